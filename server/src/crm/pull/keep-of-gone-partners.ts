import type { Deps } from '../../deps.ts'
import type { CrmDeal, CrmLead } from '../../records/crm-records.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import { findPartnersById, linkPartner } from '../../records/partners/partners.queries.ts'
import {
  findPartnersLinkedTo,
  markPartnerHeld,
  needsLinkConfirmed,
} from '../../records/partners/partners-in-crm.queries.ts'
import { CONNECT_QUEUE } from '../push/connect-queue.ts'
import { PartnerHeld } from '../push/partner-held.ts'
import type { Pull } from './pull.ts'
import type { Run } from './run/run.ts'

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
  const linked = partners.flatMap(({ id, zoho_id }) => (zoho_id === null ? [] : { id, zoho_id }))
  const there = await deps.crm.partnersThere(
    linked.map((partner) => partner.zoho_id),
    signal,
  )
  for (const { id, zoho_id } of linked) {
    if (there.has(zoho_id)) continue
    const named = namedBy(
      rows.filter((row) => row.partner_id === id),
      read,
    )
    const master = await findMaster(id, named)
    if (master === undefined) {
      await holdWithoutRecord(deps, id, named)
      heldPartnerIds.add(id)
    } else {
      await follow(id, zoho_id, master)
      followed.add(id)
    }
  }
  const leaving = rows.filter((row) => !heldPartnerIds.has(row.partner_id) && !followed.has(row.partner_id))
  return { leaving, heldPartnerIds }

  /** The one record that all of the partner's records name, if the partner may be linked to it without a question. */
  async function findMaster(partnerId: string, named: readonly string[]): Promise<string | undefined> {
    const [master, ...others] = named
    if (master === undefined || others.length > 0) return undefined
    if ((await findPartnersLinkedTo(deps.db, [master])).length > 0) return undefined
    if (await needsLinkConfirmed(deps.db, partnerId, master)) return undefined
    return (await deps.crm.partnersThere([master], signal)).has(master) ? master : undefined
  }

  async function follow(partnerId: string, from: string, to: string): Promise<void> {
    await deps.db.transaction().execute(async (tx) => {
      await linkPartner(tx, partnerId, to)
      await deps.jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
    })
    deps.log.warn(
      { partner: partnerId, from, to },
      'the lender merged this partner’s own record into another one; the portal follows',
    )
  }
}

async function holdWithoutRecord(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  partnerId: string,
  candidates: readonly string[],
): Promise<void> {
  await markPartnerHeld(db, partnerId, 'deleted', { zohoIds: [...candidates], records: null })
  log.warn(
    { partner: partnerId, candidates },
    'the CRM does not show this partner’s own record any more; the portal keeps its leads and deals, and waits for `partner link`',
  )
}

/** Holds the partner of a sync run and throws `PartnerHeld` if the CRM does not have the partner's own record (D123). */
export async function requireOwnRecord({ deps, partner, signal }: Run): Promise<void> {
  const [now] = await findPartnersById(deps.db, [partner.id])
  const isFollowed = now?.zoho_id !== partner.zoho_id
  if (isFollowed || (await deps.crm.partnersThere([partner.zoho_id], signal)).has(partner.zoho_id)) return
  await holdWithoutRecord(deps, partner.id, [])
  throw new PartnerHeld('deleted')
}

/** The partners' records that these leads or deals name now. */
function namedBy(rows: readonly RecordRow[], read: ReadonlyMap<string, CrmLead | CrmDeal>): string[] {
  return [...new Set(rows.flatMap((row) => read.get(row.zoho_id ?? '')?.partner_zoho_id ?? []))]
}
