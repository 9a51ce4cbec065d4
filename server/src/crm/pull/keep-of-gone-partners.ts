import type { Deps } from '../../deps.ts'
import type { CrmDeal, CrmLead } from '../../records/crm-records.ts'
import { findShownOf } from '../../records/kinds/crm-rows.queries.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import {
  findPartnersById,
  findPartnersByZohoId,
  type LinkedPartner,
  linkPartner,
  lockPartner,
} from '../../records/partners/partners.queries.ts'
import {
  findPartnersLinkedTo,
  markPartnerHeld,
  needsLinkConfirmed,
} from '../../records/partners/partners-in-crm.queries.ts'
import { PartnerHeld } from '../push/partner-held.ts'
import { CONNECT_QUEUE, LINKED_QUEUE } from '../queues.ts'
import type { Pull } from './pull.ts'
import type { Run } from './run/run.ts'

/** So many leads, and so many deals, tell a merge from a deletion. */
const LOOKED_AT_MAX = 100

interface Kept<Row> {
  /** The rows that may be removed, because the CRM still has their partners' own records. */
  leaving: Row[]
  /** The partners whose link waits for the operator. */
  heldPartnerIds: ReadonlySet<string>
}

/**
 * Keeps the records of partners whose own CRM record is gone (D123): staff merged or deleted it, or the API user may no
 * longer read it. A merge is followed: the partner is linked to the record that its leads and deals name now. Otherwise
 * the link waits for the operator. One call reads the records of all these partners.
 *
 * @param rows The portal's records that the CRM does not show as these partners' records any more.
 * @param read What the CRM shows of them, by id.
 */
export async function keepOfGonePartners<Row extends RecordRow>(
  { deps, signal }: Pull,
  rows: readonly Row[],
  read: ReadonlyMap<string, CrmLead | CrmDeal>,
): Promise<Kept<Row>> {
  const heldPartnerIds = new Set<string>()
  const followed = new Set<string>()
  if (rows.length === 0) return { leaving: [], heldPartnerIds }
  const linked = withRecord(await findPartnersById(deps.db, [...new Set(rows.map((row) => row.partner_id))]))
  for (const partner of await findGone({ deps, signal }, linked)) {
    const named = rows.flatMap((row) => (row.partner_id === partner.id ? (namedBy(row) ?? []) : []))
    if (await follow({ deps, signal }, partner, named)) followed.add(partner.id)
    else heldPartnerIds.add(partner.id)
  }
  const own = new Map(linked.map((partner) => [partner.id, partner.zoho_id]))
  const leaving = rows.filter(({ partner_id, ...row }) => {
    const isKept = heldPartnerIds.has(partner_id) || followed.has(partner_id)
    // Another pull may have followed the merge after this pull began.
    return !isKept && (namedBy(row) === undefined || namedBy(row) !== own.get(partner_id))
  })
  return { leaving, heldPartnerIds }

  /** The partner's record that this lead or deal names now. */
  function namedBy({ zoho_id }: Pick<RecordRow, 'zoho_id'>): string | undefined {
    return read.get(zoho_id ?? '')?.partner_zoho_id ?? undefined
  }
}

/** Follows the merges, or holds the links, of the partners whose own records are among these and gone from the CRM. */
export async function lookAfterGonePartners(work: Work, zohoIds: readonly string[]): Promise<void> {
  if (zohoIds.length === 0) return
  const partners = await findPartnersByZohoId(work.deps.db, zohoIds)
  const linked = withRecord(
    await findPartnersById(
      work.deps.db,
      partners.map(({ id }) => id),
    ),
  )
  for (const partner of await findGone(work, linked)) {
    const named = await partnersNamedByRecordsOf(work, partner.id)
    await follow(
      work,
      partner,
      named.flatMap((zohoId) => zohoId ?? []),
    )
  }
}

type Work = Pick<Pull, 'deps' | 'signal'>
type Linked = LinkedPartner & { zoho_id: string }

function withRecord(partners: readonly LinkedPartner[]): Linked[] {
  return partners.flatMap(({ zoho_id, ...partner }) => (zoho_id === null ? [] : { ...partner, zoho_id }))
}

/** The partners whose own record the CRM does not have. One call looks for all of them. */
async function findGone({ deps, signal }: Work, linked: readonly Linked[]): Promise<Linked[]> {
  if (linked.length === 0) return []
  const there = await deps.crm.partnersThere(
    linked.map((partner) => partner.zoho_id),
    signal,
  )
  return linked.filter((partner) => !there.has(partner.zoho_id))
}

/** Links the partner to the record that all its records name now; otherwise holds the link and returns false. */
async function follow(work: Work, partner: Linked, namedNow: readonly string[]): Promise<boolean> {
  const named = [...new Set(namedNow)].filter((zohoId) => zohoId !== partner.zoho_id)
  const master = await findMaster(work, partner.id, named)
  if (master !== undefined && (await linkAgain(work, partner, master))) return true
  await holdWithoutRecord(work.deps, partner, named)
  return false
}

/** The one record that all of the partner's records name, if the partner may be linked to it without a question. */
async function findMaster(work: Work, partnerId: string, named: readonly string[]): Promise<string | undefined> {
  const { db, crm } = work.deps
  const [master, ...others] = named
  if (master === undefined || others.length > 0) return undefined
  if ((await findPartnersLinkedTo(db, [master])).length > 0) return undefined
  if (await needsLinkConfirmed(db, partnerId, master)) return undefined
  if (!(await crm.partnersThere([master], work.signal)).has(master)) return undefined
  // If some of the partner's records name another one, staff gave records away and then deleted the partner's own
  // record. The partner must not see the other one's records.
  const all = await partnersNamedByRecordsOf(work, partnerId)
  return all.every((zohoId) => zohoId === master) ? master : undefined
}

/** For each of up to a hundred leads and a hundred deals of the partner, the partner's record that it names. */
async function partnersNamedByRecordsOf(
  { deps: { db, crm }, signal }: Work,
  partnerId: string,
): Promise<(string | null)[]> {
  const leads = await crm.getLeads(await findShownOf(db, 'leads', partnerId, LOOKED_AT_MAX), signal)
  const deals = await crm.getDeals(await findShownOf(db, 'deals', partnerId, LOOKED_AT_MAX), signal)
  return [...leads.records, ...deals.records].map((record) => record.partner_zoho_id)
}

/** Returns false if another call has linked the partner, or has given the record to another partner. */
async function linkAgain({ deps }: Work, { id: partnerId, zoho_id: from }: Linked, to: string): Promise<boolean> {
  const isFollowed = await deps.db.transaction().execute(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    if (partner?.zoho_id !== from || (await findPartnersLinkedTo(tx, [to])).length > 0) return false
    await linkPartner(tx, partnerId, to)
    await deps.jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
    await deps.jobs.enqueue(tx, LINKED_QUEUE, { partnerId })
    return true
  })
  if (isFollowed) {
    deps.log.warn(
      { partner: partnerId, from, to },
      'the lender merged this partner’s own record into another one; the portal follows',
    )
  }
  return isFollowed
}

async function holdWithoutRecord(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { id, held_for }: Pick<LinkedPartner, 'id' | 'held_for'>,
  candidates: readonly string[],
): Promise<void> {
  if (held_for === 'deleted') return
  await markPartnerHeld(db, id, 'deleted', { zohoIds: [...candidates], records: null })
  log.warn(
    { partner: id, candidates },
    'the CRM does not show this partner’s own record any more; the portal keeps its leads and deals, and waits for `partner link`',
  )
}

/** Holds the partner of a sync run and throws `PartnerHeld` if the CRM does not have the partner's own record (D123). */
export async function requireOwnRecord({ deps, partner, signal }: Run): Promise<void> {
  const [now] = await findPartnersById(deps.db, [partner.id])
  // The partner was linked to another record since the run began.
  if (now?.zoho_id !== partner.zoho_id) return
  if ((await deps.crm.partnersThere([partner.zoho_id], signal)).has(partner.zoho_id)) return
  await holdWithoutRecord(deps, now, [])
  throw new PartnerHeld('deleted')
}
