import type { ResetPassword } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Invalid, NotFound } from '../../errors.ts'
import type { Limit, RateLimit } from '../../http/rate-limit.ts'
import {
  findAccountToken,
  findPartnerByEmail,
  markEmailVerified,
  removeSessions,
  takeAccountToken,
  updatePassword,
} from './accounts.queries.ts'
import { mailResetLink, sendResetLink } from './mail-reset-link.job.ts'
import { hashPassword, refuseWeakPassword } from './passwords.ts'
import { hashToken } from './tokens.ts'

/** The client looks for 'rate' or 'limit' in the text (section 8). */
const PER_EMAIL: RateLimit = {
  name: 'forgot-password',
  points: 3,
  seconds: 3_600,
  text: 'Rate limit reached: too many reset requests for this address',
}

/**
 * Mails a reset link. Without SMTP, in development, the token is also answered, as an aid (D13); otherwise a job looks for
 * the partner and mails, so that where existence is hidden an unknown address takes the same time (D11).
 */
export async function requestPasswordReset(deps: Deps, email: string, limit: Limit): Promise<{ resetToken?: string }> {
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

/** A completed reset also proves the address (D15) and ends every session (D12). */
export async function setNewPassword({ db, clock }: Deps, { token, newPassword }: ResetPassword): Promise<void> {
  await refuseWeakPassword(newPassword, 'newPassword')
  const hash = hashToken(token)
  const known = await findAccountToken(db, hash, 'reset-password')
  if (!known) throw invalidToken()
  if (known.expires_at <= clock.now().toISOString()) {
    throw new Invalid('RESET_TOKEN_EXPIRED', 'Reset token has expired. Please request a new password reset.')
  }
  const passwordHash = await hashPassword(newPassword)
  await db.transaction().execute(async (tx) => {
    const partnerId = await takeAccountToken(tx, hash, 'reset-password')
    if (partnerId === undefined) throw invalidToken()
    await updatePassword(tx, partnerId, passwordHash, clock.now().toISOString())
    await markEmailVerified(tx, partnerId)
    await removeSessions(tx, partnerId)
  })
}

function invalidToken(): Invalid {
  return new Invalid('INVALID_RESET_TOKEN', 'Invalid reset token. Please request a new password reset.')
}
