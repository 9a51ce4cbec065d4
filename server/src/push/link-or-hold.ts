import type { Deps } from '../deps.ts'
import type { PushedPartner } from '../zoho/crm-records.ts'
import { CrmPartnerExists, CrmRefused } from '../zoho/errors.ts'
import { PartnerHeld } from './partner-held.ts'
import { type FoundPartner, markPartnerHeld, markRecordSent } from './partners-in-crm.queries.ts'

/**
 * Updates, links or makes the partner's record in the CRM. Names and email addresses are public, so another record with
 * the partner's name and email is linked only after the address is verified (D52). Until then this function throws
 * `PartnerHeld`. If the CRM has no record with this name and email, the partner gets a new record at once. If the
 * CRM's answer was lost, a retry links the new record. If the name or email may have changed since, the retry is
 * treated as a first push, because a record with that name and email might be another partner's.
 */
export async function linkOrHold(
  { db, crm, clock }: Pick<Deps, 'db' | 'crm' | 'clock'>,
  partner: FoundPartner,
  signal?: AbortSignal,
): Promise<PushedPartner> {
  const { id, zoho_id, email_verified, crm_record_sent_at, modified_time } = partner
  const wasSent = crm_record_sent_at !== null && crm_record_sent_at > modified_time
  const isFirst = zoho_id === null && !email_verified && !wasSent
  try {
    if (isFirst) {
      const isThere = (await crm.findPartnerRecord({ ...partner, may_link: false }, signal)) !== undefined
      if (isThere) throw new CrmPartnerExists()
      await markRecordSent(db, id, clock.now().toISOString())
    }
    // If the record of an unverified partner was deleted, another record with the same name and email might belong to
    // another partner.
    return await crm.upsertPartner({ ...partner, may_link: email_verified || zoho_id === null }, signal)
  } catch (error) {
    if (error instanceof CrmRefused && zoho_id === null) await markRecordSent(db, id, null)
    if (!(error instanceof CrmPartnerExists)) throw error
    if (await markPartnerHeld(db, id)) throw new PartnerHeld()
    return crm.upsertPartner({ ...partner, may_link: true }, signal)
  }
}
