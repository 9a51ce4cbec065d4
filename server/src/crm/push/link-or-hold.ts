import type { Hold } from '@portal/contract/holds.ts'
import type { Deps } from '../../deps.ts'
import { OPTIONAL_PARTNER_FIELDS, type PushedPartner } from '../../records/crm-records.ts'
import { awaitsLender } from '../../records/partners/hold-of.ts'
import {
  changedFields,
  clearRecordSent,
  type FoundPartner,
  findPartnersLinkedTo,
  findPartnerToPush,
  type LinkCandidates,
  markPartnerHeld,
  markRecordSent,
  mustVerify,
  needsLinkConfirmed,
} from '../../records/partners/partners-in-crm.queries.ts'
import { CrmRefused } from '../zoho/errors.ts'
import { PartnerHeld } from './partner-held.ts'

/**
 * Updates, links or makes the partner's record in the CRM, or holds the partner and throws `PartnerHeld` (D121, D122).
 * What is proven is the email address, never the name, so the CRM's record with the partner's address is linked once the
 * address is verified. It is not linked without a person's word if several people would see its records, if the CRM has
 * several such records, or if the partner had another record before: staff may have removed that record as a double of
 * somebody else's (D123).
 */
export async function linkOrHold(
  deps: Pick<Deps, 'db' | 'crm' | 'config'>,
  partner: FoundPartner,
  signal?: AbortSignal,
): Promise<PushedPartner> {
  const { db, crm, config } = deps
  const { id, zoho_id, email_verified } = partner
  const awaits = awaitsLender(partner)
  if (mustVerify(partner, config)) return hold('unverified')
  const updated = zoho_id === null ? null : await update(zoho_id)
  if (updated) return updated

  const found = await crm.findPartnerRecords(partner.email, signal)
  const own = wasSent(partner) ? found.find((one) => isSameText(one.business_name, partner.business_name)) : undefined
  if (own) return link(own.zoho_id)
  const [record, ...others] = found.map((one) => one.zoho_id)
  if (zoho_id !== null) return hold('deleted', { zohoIds: found.map((one) => one.zoho_id), records: null })
  if (record === undefined) return create()
  const candidates = { zohoIds: [record, ...others], records: null }
  if (!email_verified) return hold('existing', candidates)
  const isTaken = (await findPartnersLinkedTo(db, [record])).length > 0
  if (others.length > 0 || isTaken) return hold('several', candidates)
  if (await needsLinkConfirmed(db, id, record)) {
    return hold('people', { ...candidates, records: await countRecords(record) })
  }
  return link(record)

  /** Writes what has changed. Staff may have corrected the rest (D30). Returns null if the record is gone. */
  function update(zohoId: string): Promise<PushedPartner | null> {
    return crm.updatePartner(zohoId, changedFields(partner), signal)
  }

  /**
   * Writes into a record that was there only what the portal alone knows, and Pending if the partner waits for the
   * lender's word and the record has none (D116).
   */
  async function link(zohoId: string): Promise<PushedPartner> {
    const linked = { zoho_id: zohoId, left_out: [], lacking: [] }
    const [there] = (await crm.getPartners([zohoId], signal)).records
    const told = new Map(Object.entries({ abn: there?.abn, gst_registered: there?.gst_registered }))
    const known = Object.fromEntries(
      OPTIONAL_PARTNER_FIELDS.flatMap((field) =>
        partner[field] === null || told.get(field) ? [] : [[field, partner[field]]],
      ),
    )
    if (awaits && there?.portal_access === null) await crm.updatePartner(zohoId, { portal_access: 'Pending' }, signal)
    const written = Object.keys(known).length > 0 ? await crm.updatePartner(zohoId, known, signal) : null
    return { ...linked, ...written, was_there: true }
  }

  async function create(): Promise<PushedPartner> {
    if (!(await markRecordSent(db, partner))) return again()
    try {
      return await crm.createPartner(awaits ? { ...partner, portal_access: 'Pending' } : partner, signal)
    } catch (error) {
      if (error instanceof CrmRefused) await clearRecordSent(db, id)
      throw error
    }
  }

  async function hold(reason: Hold, there?: LinkCandidates): Promise<PushedPartner> {
    if (await markPartnerHeld(db, id, reason, there)) throw new PartnerHeld(reason)
    // The address was verified in the meantime.
    return again()
  }

  async function again(): Promise<PushedPartner> {
    const now = await findPartnerToPush(db, id)
    // The account was closed in the meantime.
    if (!now) throw new PartnerHeld('existing')
    return linkOrHold(deps, now, signal)
  }

  async function countRecords(zohoId: string): Promise<number> {
    let count = 0
    for (const module of ['Leads', 'Deals'] as const) {
      for await (const { versions } of crm.versionPages(module, zohoId, signal)) count += versions.length
    }
    return count
  }
}

/**
 * Whether an earlier push has begun to make a record and got no answer, so that a record with the partner's email and
 * name is the partner's own. Not if the partner has changed since: such a record might be another partner's.
 */
function wasSent({ crm_record_sent_at, modified_time }: FoundPartner): boolean {
  return crm_record_sent_at === modified_time
}

function isSameText(a: string | null, b: string): boolean {
  return a?.toLowerCase() === b.trim().toLowerCase()
}
