import { normalizeBusinessNumber } from '@portal/contract/abn.ts'
import { profileChange } from '@portal/contract/account-forms.ts'
import { type Profile } from '@portal/contract/accounts.ts'
import { cleanText } from '@portal/contract/clean-text.ts'
import { readPhone } from '@portal/contract/phone.ts'
import { askAnOwner } from '@portal/contract/roles.ts'
import { comparedEmail } from '@portal/contract/text.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Forbidden, Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { parseInput } from '../../platform/http/parse-input.ts'
import { type BusinessChange, lockPartner } from '../../records/partners/partners.queries.ts'
import type { ConnectRecords } from './confirm-email.ts'
import { findContact, getPerson, type Person, updatePerson } from './people.queries.ts'
import { pushChangedPartner } from './push-changed-partner.ts'

const EMAIL_IS_READ_ONLY =
  'The email address cannot be changed here. Change it under Email Address in Profile Settings.'

/**
 * Changes the caller's own names and phone, and the business name and tax details if the caller is an owner (D61, D113).
 * Pushes the partner's record to the CRM if the business changes or the caller is the contact. A valid phone number is stored in E.164
 * (D19). Any other number is stored as it was typed.
 */
export async function changePersonProfile(
  { db, clock, jobs }: Deps,
  caller: SessionCaller,
  body: Record<string, unknown>,
  connectRecords: ConnectRecords,
): Promise<Profile> {
  return inTransaction(db, async (tx) => {
    const at = clock.now().toISOString()
    const partner = await lockPartner(tx, caller.id)
    const person = await getPerson(tx, caller.personId)
    const { email, business_name, abn, gst_registered, ...change } = parseInput(profileChange(person), body)
    const phone = change.phone && (readPhone(change.phone)?.e164 ?? change.phone)
    if (email !== undefined && email !== comparedEmail(person.email))
      throw new Invalid('VALIDATION', EMAIL_IS_READ_ONLY, { email: EMAIL_IS_READ_ONLY })
    const isRenamed = business_name !== undefined && business_name !== cleanText(person.business_name).trim()
    const tax = changedTax(person.tax, { abn: abn && normalizeBusinessNumber(abn), gst_registered })
    if ((isRenamed || tax) && person.role !== 'owner')
      throw new Forbidden('NOT_ALLOWED', askAnOwner(person.business_name))

    await updatePerson(tx, person.id, { ...change, phone }, at)
    const isContact = (await findContact(tx, caller.id))?.person_id === person.id
    if (isRenamed || tax || isContact) {
      const changed = { partner, partnerId: caller.id, at, ...(isRenamed && { business_name }), ...tax }
      await pushChangedPartner(tx, { jobs }, changed, connectRecords)
    }
    return profileOf(await getPerson(tx, person.id))
  })
}

/** The tax details that differ; undefined if none does, or the lender's CRM has no fields for them. */
function changedTax(
  stored: Profile['tax'],
  { abn = stored?.abn, gst_registered = stored?.gst_registered }: Pick<BusinessChange, 'abn' | 'gst_registered'>,
): Pick<BusinessChange, 'abn' | 'gst_registered'> | undefined {
  const isSame = abn === stored?.abn && gst_registered === stored?.gst_registered
  return stored === null || isSame ? undefined : { abn, gst_registered }
}

export function profileOf({ id, partner_id, ...person }: Person): Profile {
  return { ...person, id: partner_id, person_id: id }
}
