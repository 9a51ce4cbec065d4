import type { SettledAccess } from '@portal/contract/access.ts'
import { PASSWORDS_DIFFER, type PasswordChange } from '@portal/contract/account-forms.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { Limit, RateLimit } from '../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPartner } from '../../records/partners/partners.queries.ts'
import { type AccountAccess, findAccess, removeAccess, removedText } from './access.ts'
import { removeAccountTokens } from './account-tokens.queries.ts'
import { removeWaitingEmailChange } from './email-changes.queries.ts'
import { lockCaller } from './lock-caller.ts'
import { enqueueNotice } from './mail-notice.job.ts'
import { hashPassword, isPassword, refuseWeakPassword } from './passwords.ts'
import { getPasswordHash, getPerson, updatePerson } from './people.queries.ts'
import { removeOtherSessions } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/** Limits a person's wrong passwords (D53), so that an intruder with a stolen session cannot guess the password. */
export const PASSWORD_CHECKS: RateLimit = {
  name: 'password-check',
  points: 10,
  seconds: 3_600,
  text: 'Too many wrong passwords. Please wait a few seconds before trying again.',
  slows: true,
}

/**
 * Changes the caller's password. Refusals have the codes and texts that section 8 demands. The person's other sessions
 * end (D12), and so do unfinished sign-ins and a pending change of the address. An owner can also have the API key and
 * the webhook URL revoked.
 */
export async function changePersonPassword(
  deps: Deps,
  caller: SessionCaller,
  form: PasswordChange,
  { access, limit, security }: { access: AccountAccess; limit: Limit; security: NoteSecurity },
): Promise<SettledAccess> {
  const { db, clock } = deps
  if (form.newPassword !== form.confirmPassword) {
    throw new Invalid('PASSWORD_MISMATCH', PASSWORDS_DIFFER, { confirmPassword: PASSWORDS_DIFFER })
  }
  const person = await getPerson(db, caller.personId)
  await refuseWeakPassword(form.newPassword, 'newPassword', person)
  const counted = await limit(PASSWORD_CHECKS, person.id)
  const checkedHash = await getPasswordHash(db, person.id)
  if (!(await isPassword(form.currentPassword, checkedHash, true))) {
    await security(db, 'confirmation-failed', { reason: 'INVALID_CURRENT_PASSWORD' })
    throw wrongPassword()
  }
  await counted.giveBack()
  if (form.newPassword === form.currentPassword) {
    const text = 'New password must be different from current password'
    throw new Invalid('SAME_PASSWORD', text, { newPassword: text })
  }
  const passwordHash = await hashPassword(form.newPassword)
  return inTransaction(db, async (tx) => {
    await lockPartner(tx, caller.id)
    await lockCaller(tx, deps, caller)
    if ((await getPasswordHash(tx, person.id)) !== checkedHash) throw wrongPassword()
    await updatePerson(tx, person.id, { password_hash: passwordHash }, clock.now().toISOString())
    await removeOtherSessions(tx, person.id, hashToken(caller.token))
    await removeAccountTokens(tx, person.id, 'second-factor')
    await removeWaitingEmailChange(tx, person.id)
    const found = (await findAccess(tx, { access, clock }, person, hashToken(caller.token))).filter(
      ({ is_this_one }) => !is_this_one,
    )
    const removed = form.revokeAccess ? found.filter(({ kind }) => kind === 'api-key' || kind === 'webhook') : []
    await removeAccess(tx, { access, security }, person, removed)
    const left = found.filter((item) => !removed.includes(item))
    await enqueueNotice(tx, deps, person.id, 'password-changed', { access: { removed, left } })
    await security(tx, 'password-changed', { detail: removedText(removed) })
    return { removed, left }
  })
}

function wrongPassword(): Invalid {
  const text = 'Current password is incorrect'
  return new Invalid('INVALID_CURRENT_PASSWORD', text, { currentPassword: text })
}
