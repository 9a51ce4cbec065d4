import { pushPartner } from '../../crm/push/push-partner.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPartner, updateForCrm } from '../../records/partners/partners.queries.ts'
import { removeAccountTokens } from './account-tokens.queries.ts'
import { refuseInactive } from './begin-session.ts'
import { type ConnectRecords, confirmEmail } from './confirm-email.ts'
import {
  findEmailChange,
  findEmailChangeByToken,
  markEmailChanged,
  removeEmailChange,
} from './email-changes.queries.ts'
import { removeKnownSources } from './known-sources.queries.ts'
import { mailEmailChanged } from './mail-email-change.job.ts'
import { mailResetLink } from './mail-reset-link.job.ts'
import { mailVerification } from './mail-verification.job.ts'
import { hashPassword } from './passwords.ts'
import { findContact, getPerson, lockPerson, type Person, updatePerson } from './people.queries.ts'
import { refuseHeldEmail, refusingTaken } from './refusing-taken.ts'
import { removeFactorsAddedSince } from './second-factor/remove-factors.ts'
import { removeSessions } from './sessions.queries.ts'
import { hashToken, newToken } from './tokens.ts'
import { invalidToken } from './verify-email.ts'

const UNDO_MS = 72 * 3_600_000

interface LinkCall {
  connectRecords: ConnectRecords
  security: NoteSecurity
}

/**
 * Completes the change when the link in the mail to the new address is opened. The old address gets a mail with a link
 * to undo the change within 72 hours (D67). If the old address was never confirmed, that mail has no link, because the
 * old address may be a stranger's. Older links in mails to the old address stop working.
 *
 * The reader of the mail may not be the person who signed up. So the link does not confirm the new address if the old
 * address was never confirmed and the partner has no record in the CRM yet: the confirmation could connect the partner
 * with an existing record (D52). Instead, a second mail has a link that confirms the new address, but only together
 * with a session or the password.
 */
export async function confirmEmailChange(
  deps: Deps,
  token: string,
  { connectRecords, security }: LinkCall,
): Promise<{ email: string; already: boolean }> {
  const now = deps.clock.now()
  const at = now.toISOString()
  const change = await findEmailChangeByToken(deps.db, 'confirm_hash', hashToken(token))
  if (!change) throw invalidToken()
  const { person_id: personId, new_email: email } = change
  return inTransaction(deps.db, async (tx) => {
    const partner = await lockPartner(tx, (await getPerson(tx, personId)).partner_id)
    await lockPerson(tx, personId)
    const person = await getPerson(tx, personId)
    refuseInactive(person)
    // The link says so when it is opened again (D150).
    if (person.email === email && (await findEmailChange(tx, change.id))?.done_at) return { email, already: true }
    const undo_until = person.email_verified ? new Date(now.getTime() + UNDO_MS).toISOString() : null
    if (!(await markEmailChanged(tx, change.id, { at, old_email: person.email, undo_until }))) throw invalidToken()
    const isKnown = person.email_verified || partner?.zoho_id
    if (isKnown) await confirmEmail(tx, person, connectRecords)
    else if (partner?.crm === 'held') await connectRecords(tx, person.partner_id)
    await giveEmail(tx, deps, person, { email })
    await removeAccountTokens(tx, personId)
    if (!isKnown) await deps.jobs.enqueue(tx, mailVerification, { personId, isWelcome: false })
    await deps.jobs.enqueue(tx, mailEmailChanged, { changeId: change.id })
    await security(tx, 'email-changed', { partner: person.partner_id, person: personId })
    return { email, already: false }
  })
}

/**
 * Undoes a change that an intruder made. The intruder must have known the password and had a session, so the password
 * stops working and all sessions end. Later changes are removed, and so are second factors that were added after this
 * change was requested. The old address gets a link to set a new password.
 */
export async function undoEmailChange(deps: Deps, token: string, security: NoteSecurity): Promise<{ email: string }> {
  const now = deps.clock.now().toISOString()
  const change = await findEmailChangeByToken(deps.db, 'undo_hash', hashToken(token))
  if (!change) throw invalidToken()
  const { person_id: personId, old_email: email } = change
  const nobodysPassword = await hashPassword(newToken())
  return inTransaction(deps.db, async (tx) => {
    const person = await getPerson(tx, personId)
    await lockPartner(tx, person.partner_id)
    await lockPerson(tx, personId)
    if (!(await removeEmailChange(tx, change, now))) throw invalidToken()
    await giveEmail(tx, deps, person, { email, password_hash: nobodysPassword })
    await removeSessions(tx, personId)
    await removeKnownSources(tx, personId)
    await removeAccountTokens(tx, personId)
    await removeFactorsAddedSince(tx, personId, change.asked_at)
    await deps.jobs.enqueue(tx, mailResetLink, { email })
    await security(tx, 'email-change-undone', { partner: person.partner_id, person: personId })
    return { email }
  })
}

/**
 * Gives the person the address. Throws if somebody else has the address, or can get it back by undoing a change. Pushes
 * the address to the CRM if the partner's record there names the person.
 */
async function giveEmail(
  tx: Tx,
  { clock, jobs }: Deps,
  { id, partner_id: partnerId }: Person,
  change: { email: string; password_hash?: string },
): Promise<void> {
  const now = clock.now()
  await refusingTaken(updatePerson(tx, id, change, now.toISOString()))
  await refuseHeldEmail(tx, change.email, id, now)
  if ((await findContact(tx, partnerId))?.person_id !== id) return
  await updateForCrm(tx, partnerId, {}, now.toISOString())
  await jobs.enqueue(tx, pushPartner, { partnerId })
}
