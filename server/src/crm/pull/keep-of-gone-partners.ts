import type { Deps } from '../../deps.ts'
import type { CrmDeal, CrmLead } from '../../records/crm-records.ts'
import { findShownOf } from '../../records/kinds/crm-rows.queries.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import {
  findPartnersById,
  type LinkedPartner,
  linkPartner,
  lockPartner,
} from '../../records/partners/partners.queries.ts'
import {
  findPartnersLinkedTo,
  markPartnerHeld,
  needsLinkConfirmed,
} from '../../records/partners/partners-in-crm.queries.ts'
import { CONNECT_QUEUE } from '../push/connect-queue.ts'
import { PartnerHeld } from '../push/partner-held.ts'
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
  const partners = await findPartnersById(deps.db, [...new Set(rows.map((row) => row.partner_id))])
  const linked = partners.flatMap(({ id, zoho_id, held_for }) => (zoho_id === null ? [] : { id, zoho_id, held_for }))
  const there = await deps.crm.partnersThere(
    linked.map((partner) => partner.zoho_id),
    signal,
  )
  for (const partner of linked) {
    const { id, zoho_id } = partner
    if (there.has(zoho_id)) continue
    const named = [...new Set(rows.flatMap((row) => (row.partner_id === id ? (namedBy(row) ?? []) : [])))]
    const master = await findMaster(id, named)
    if (master !== undefined && (await follow(id, zoho_id, master))) followed.add(id)
    else {
      await holdWithoutRecord(deps, partner, named)
      heldPartnerIds.add(id)
    }
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

  /** The one record that all of the partner's records name, if the partner may be linked to it without a question. */
  async function findMaster(partnerId: string, named: readonly string[]): Promise<string | undefined> {
    const [master, ...others] = named
    if (master === undefined || others.length > 0) return undefined
    if ((await findPartnersLinkedTo(deps.db, [master])).length > 0) return undefined
    if (await needsLinkConfirmed(deps.db, partnerId, master)) return undefined
    if (!(await deps.crm.partnersThere([master], signal)).has(master)) return undefined
    return (await allName(partnerId, master)) ? master : undefined
  }

  /**
   * Whether the partner's other records name the master too. If not, staff gave some records away and then deleted the
   * partner's own record, and the partner must not see the other one's records.
   */
  async function allName(partnerId: string, master: string): Promise<boolean> {
    const { db, crm } = deps
    const leads = await crm.getLeads(await findShownOf(db, 'leads', partnerId, LOOKED_AT_MAX), signal)
    const deals = await crm.getDeals(await findShownOf(db, 'deals', partnerId, LOOKED_AT_MAX), signal)
    return [...leads.records, ...deals.records].every((record) => record.partner_zoho_id === master)
  }

  /** Returns false if another call has linked the partner, or has given the record to another partner. */
  async function follow(partnerId: string, from: string, to: string): Promise<boolean> {
    const isFollowed = await deps.db.transaction().execute(async (tx) => {
      const partner = await lockPartner(tx, partnerId)
      if (partner?.zoho_id !== from || (await findPartnersLinkedTo(tx, [to])).length > 0) return false
      await linkPartner(tx, partnerId, to)
      await deps.jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
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
