import type { CrmLink } from '@portal/contract/crm-link.ts'
import { personName } from '@portal/contract/person-name.ts'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/database.ts'
import { Conflict, Forbidden } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { confirmLink, endHold, getLinkState, lockPartner } from '../../records/partners/partners.queries.ts'
import type { ConnectRecords } from './confirm-email.ts'
import { lockCaller } from './lock-caller.ts'
import { findContact, findTeam } from './people.queries.ts'

/** Why the business is not connected with the CRM, and who would then see its existing records (D121). */
export async function readLink(db: Db, caller: SessionCaller): Promise<CrmLink> {
  const { hold, link_records } = await getLinkState(db, caller.id)
  const mayConfirm = hold === 'people' && (await findContact(db, caller.id))?.person_id === caller.personId
  const people = mayConfirm ? (await findTeam(db, caller.id)).filter((one) => one.is_active) : []
  return {
    hold,
    may_confirm: mayConfirm,
    records: mayConfirm ? link_records : null,
    people: people.map((one) => ({ name: personName(one), email: one.email, role: one.role })),
  }
}

/**
 * Stores that the contact agrees to the link, and queues it. The agreement is about one record of the CRM, so it does
 * not count for another one that the push may find instead.
 */
export async function confirmLinkOf(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: SessionCaller,
  { connectRecords, security }: { connectRecords: ConnectRecords; security: NoteSecurity },
): Promise<CrmLink> {
  await db.transaction().execute(async (tx) => {
    await lockPartner(tx, caller.id)
    await lockCaller(tx, { clock }, caller)
    const { hold, link_candidates } = await getLinkState(tx, caller.id)
    const [record] = link_candidates
    if (hold !== 'people' || record === undefined) throw new Conflict('CONFLICT', 'There is nothing to confirm.')
    const contact = await findContact(tx, caller.id)
    if (contact?.person_id !== caller.personId || !contact.email_verified) {
      throw new Forbidden('NOT_ALLOWED', `Only ${contact?.email} can confirm this.`)
    }
    await confirmLink(tx, caller.id, { record, personId: caller.personId })
    await endHold(tx, caller.id)
    await connectRecords(tx, caller.id)
    await security(tx, 'confirmed', { detail: 'to connect the existing records' })
  })
  return readLink(db, caller)
}
