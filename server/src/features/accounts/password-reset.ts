import type { AccessItem, AccessRef, SettledAccess } from '@portal/contract/access.ts'
import type { ResetPassword } from '@portal/contract/account-forms.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Invalid, NotFound } from '../../platform/errors.ts'
import { type Limit, limitVisitor, type RateLimit } from '../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { lockPartner } from '../../records/partners/partners.queries.ts'
import { type AccountAccess, findAccess, removeAccess, removedText } from './access.ts'
import { findAccountToken, removeAccountTokens, takeAccountToken } from './account-tokens.queries.ts'
import { refuseInactive } from './begin-session.ts'
import { type ConnectRecords, confirmEmail } from './confirm-email.ts'
import { removeWaitingEmailChange } from './email-changes.queries.ts'
import { removeKnownSources } from './known-sources.queries.ts'
import { rememberVisitor } from './known-sources.ts'
import { enqueueNotice } from './mail-notice.job.ts'
import { mailResetLink, sendResetLink } from './mail-reset-link.job.ts'
import { hashNewPassword } from './passwords.ts'
import { findPersonByEmail, getPerson, lockPerson, type Person, updatePerson } from './people.queries.ts'
import { countFactors } from './second-factor/factors.ts'
import { removeFactors } from './second-factor/remove-factors.ts'
import { findFactors, updateMustRecover } from './second-factor/second-factor.queries.ts'
import { removeSessions } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/** The client looks for 'rate' or 'limit' in the text (section 8). */
const PER_EMAIL: RateLimit = {
  name: 'forgot-password',
  points: 3,
  seconds: 3_600,
  text: 'Rate limit reached: too many reset requests for this address',
}
/** Limits requests from one IP address, for all accounts together (D53). */
const PER_ADDRESS: RateLimit = {
  name: 'forgot-password-address',
  points: 30,
  seconds: 3_600,
  text: 'Rate limit reached: too many reset requests',
}

/**
 * Mails a reset link. Without HIDE_ACCOUNT_EXISTENCE, an unknown address is refused. In development with neither SMTP
 * nor HIDE_ACCOUNT_EXISTENCE, the answer also has the token (D13). In all other cases a job finds the person and sends
 * the mail, so that with HIDE_ACCOUNT_EXISTENCE an unknown address takes as long as a known one (D11).
 */
export async function requestPasswordReset(
  deps: Deps,
  email: string,
  { visitor, limit }: { visitor: Visitor; limit: Limit },
): Promise<{ resetToken?: string }> {
  await limitVisitor(limit, PER_ADDRESS, visitor)
  await limit(PER_EMAIL, email)
  const { isProduction, hideAccountExistence } = deps.config
  const person = await findPersonByEmail(deps.db, email)
  if (!person && !hideAccountExistence) throw new NotFound('Email not found', 'EMAIL_NOT_FOUND')
  if (!person || hideAccountExistence || isProduction || deps.mail.isDelivered) {
    await deps.jobs.enqueue(deps.db, mailResetLink, { email })
    return {}
  }
  return { resetToken: await sendResetLink(deps, person.id, newId()) }
}

/**
 * Sets the new password. This ends every session (D12) and a pending change of the address, and makes this browser the
 * only known one (D53). It also confirms the address (D15). The first confirmation also removes the second factor and,
 * if the person is an owner, revokes the API key and the webhook URL, because a stranger may have signed up with the
 * address (D52). With `revokeAccess`, the reset ends what `remove` names or, without `remove`, the API key, the webhook
 * URL and everything of the last 30 days (D130).
 */
export async function setNewPassword(
  deps: Deps,
  { token, newPassword, revokeAccess = false, remove }: ResetPassword,
  { visitor, security }: { visitor: Visitor; security: NoteSecurity },
  { access, connectRecords }: { access: AccountAccess; connectRecords: ConnectRecords },
): Promise<SettledAccess> {
  const { db, clock } = deps
  const now = clock.now().toISOString()
  const tokenHash = hashToken(token)
  const owner = await getPersonOfToken(deps, tokenHash)
  const passwordHash = await hashNewPassword(newPassword, 'newPassword', owner)
  const settled = await inTransaction(db, async (tx) => {
    // Locks the partner and the person before the token, as other calls do.
    await lockPartner(tx, owner.partner_id)
    await lockPerson(tx, owner.id)
    if ((await takeAccountToken(tx, tokenHash, 'reset-password', now)) === undefined) throw invalidToken()
    const isFirst = await confirmEmail(tx, owner, connectRecords)
    // Reads the person again under the partner's lock, because a person who was shut out must not revoke the business's
    // access.
    const person = await getPerson(tx, owner.id)
    refuseInactive(person)
    await updatePerson(tx, person.id, { password_hash: passwordHash }, now)
    await removeSessions(tx, person.id)
    await removeKnownSources(tx, person.id)
    await removeAccountTokens(tx, person.id, 'second-factor')
    await removeWaitingEmailChange(tx, person.id)
    const who = { partner: person.partner_id, person: person.id }
    const found = await findAccess(tx, { access, clock }, person)
    const isChosen = chooseAccess(isFirst, revokeAccess, remove)
    const removed = found.filter(isChosen)
    await removeAccess(
      tx,
      { access, security: (on, event, facts) => security(on, event, { ...who, ...facts }) },
      person,
      removed,
    )
    if (removed.some(isFactor)) await settleFactors(tx, person.id, { isFirst, removed })
    if (isFirst && removed.some(isFactor)) await security(tx, 'second-factor-reset', who)
    const left = found.filter((item) => !removed.includes(item))
    await enqueueNotice(tx, deps, person.id, 'password-reset', { access: { removed, left } })
    await security(tx, 'password-reset', { ...who, detail: removedText(removed) })
    return { removed, left }
  })
  await rememberVisitor(db, deps, owner.id, visitor)
  return settled
}

/** Everything that can get in, for the person with this reset token. */
export async function listResetAccess(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string,
  access: AccountAccess,
): Promise<{ items: AccessItem[] }> {
  const person = await getPersonOfToken(deps, hashToken(token))
  return { items: await findAccess(deps.db, { access, clock: deps.clock }, person) }
}

async function getPersonOfToken({ db, clock }: Pick<Deps, 'db' | 'clock'>, tokenHash: Buffer): Promise<Person> {
  const known = await findAccountToken(db, tokenHash, 'reset-password')
  if (!known) throw invalidToken()
  if (known.expires_at <= clock.now().toISOString()) {
    throw new Invalid('RESET_TOKEN_EXPIRED', 'Reset token has expired. Please request a new password reset.')
  }
  return getPerson(db, known.person_id)
}

/** Which of the things that can get in the reset removes. */
function chooseAccess(isFirst: boolean, isAsked: boolean, named: readonly AccessRef[] | undefined) {
  const isOfBusiness = ({ kind }: AccessItem) => kind === 'api-key' || kind === 'webhook'
  const isNamed = (item: AccessItem) => named?.some(({ kind, id }) => kind === item.kind && id === item.id)
  return (item: AccessItem): boolean =>
    (isFirst && (isOfBusiness(item) || isFactor(item))) ||
    (isAsked && (isNamed(item) ?? (isOfBusiness(item) || item.is_recent)))
}

function isFactor({ kind }: AccessItem): boolean {
  return kind === 'passkey' || kind === 'app'
}

/**
 * Settles how a person signs in after a reset that removed factors. A mailbox alone must not replace a factor that the
 * business requires or that is older than 30 days, not even by several resets: once no factor is left, the person signs
 * in with a recovery code, and sets up a new factor (D130).
 */
async function settleFactors(
  tx: Tx,
  personId: string,
  { isFirst, removed }: { isFirst: boolean; removed: readonly AccessItem[] },
): Promise<void> {
  const { second_factor_required, must_recover } = await findFactors(tx, personId)
  const isOldRemoved = removed.some((item) => isFactor(item) && !item.is_recent)
  if (!isFirst && (second_factor_required || must_recover || isOldRemoved)) await updateMustRecover(tx, personId, true)
  else if ((await countFactors(tx, personId)) === 0) await removeFactors(tx, personId)
}

function invalidToken(): Invalid {
  return new Invalid('INVALID_RESET_TOKEN', 'Invalid reset token. Please request a new password reset.')
}
