import type { Access, ResetPassword } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Invalid, NotFound } from '../../errors.ts'
import type { Limit, RateLimit } from '../../http/rate-limit.ts'
import type { Visitor } from '../../http/visitor.ts'
import { type AccountAccess, settleAccess } from './access.ts'
import {
  findAccountToken,
  findPartnerByEmail,
  getPartner,
  removeSessions,
  takeAccountToken,
  updatePassword,
} from './accounts.queries.ts'
import { type ConnectRecords, confirmEmail } from './confirm-email.ts'
import { rememberVisitor } from './known-sources.ts'
import { enqueueNotice } from './mail-notice.job.ts'
import { mailResetLink, sendResetLink } from './mail-reset-link.job.ts'
import { hashNewPassword } from './passwords.ts'
import { hashToken } from './tokens.ts'

/** The client looks for 'rate' or 'limit' in the text (section 8). */
const PER_EMAIL: RateLimit = {
  name: 'forgot-password',
  points: 3,
  seconds: 3_600,
  text: 'Rate limit reached: too many reset requests for this address',
}
/** Of one address for all accounts together (D53). */
const PER_ADDRESS: RateLimit = {
  name: 'forgot-password-address',
  points: 30,
  seconds: 3_600,
  text: 'Rate limit reached: too many reset requests',
}

/**
 * Mails a reset link. Without SMTP, in development, the token is also answered, as an aid (D13); otherwise a job looks for
 * the partner and mails, so that where existence is hidden an unknown address takes the same time (D11).
 */
export async function requestPasswordReset(
  deps: Deps,
  email: string,
  { visitor, limit }: { visitor: Visitor; limit: Limit },
): Promise<{ resetToken?: string }> {
  await limit(PER_ADDRESS, visitor.address)
  await limit(PER_EMAIL, email)
  const { isProduction, hideAccountExistence } = deps.config
  const partner = await findPartnerByEmail(deps.db, email)
  if (!partner && !hideAccountExistence) throw new NotFound('Email not found', 'EMAIL_NOT_FOUND')
  if (!partner || hideAccountExistence || isProduction || deps.mail.isDelivered) {
    await deps.jobs.enqueue(deps.db, mailResetLink, { email })
    return {}
  }
  return { resetToken: await sendResetLink(deps, partner) }
}

/**
 * A completed reset ends every session (D12) and makes the browser a known one (D53). It also proves the address (D15): for
 * the first time, it revokes the key and the webhook URL as well, which may be another's who signed up with it (D52).
 */
export async function setNewPassword(
  deps: Deps,
  { token, newPassword, revokeAccess = false }: ResetPassword,
  visitor: Visitor,
  { access, connectRecords }: { access: AccountAccess; connectRecords: ConnectRecords },
): Promise<{ partnerId: string; access: Access }> {
  const { db, clock } = deps
  const now = clock.now().toISOString()
  const tokenHash = hashToken(token)
  const known = await findAccountToken(db, tokenHash, 'reset-password')
  if (!known) throw invalidToken()
  if (known.expires_at <= now) {
    throw new Invalid('RESET_TOKEN_EXPIRED', 'Reset token has expired. Please request a new password reset.')
  }
  const partnerId = known.partner_id
  const passwordHash = await hashNewPassword(newPassword, 'newPassword', await getPartner(db, partnerId))
  const settled = await db.transaction().execute(async (tx) => {
    if ((await takeAccountToken(tx, tokenHash, 'reset-password', now)) === undefined) throw invalidToken()
    await updatePassword(tx, partnerId, passwordHash, now)
    await removeSessions(tx, partnerId)
    const isFirst = await confirmEmail(tx, partnerId, connectRecords)
    const left = await settleAccess(tx, access, partnerId, isFirst || revokeAccess)
    await enqueueNotice(tx, deps, partnerId, 'password-reset', left)
    return left
  })
  await rememberVisitor(deps, partnerId, visitor)
  return { partnerId, access: settled }
}

function invalidToken(): Invalid {
  return new Invalid('INVALID_RESET_TOKEN', 'Invalid reset token. Please request a new password reset.')
}
