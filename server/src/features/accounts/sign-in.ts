import type { SignIn } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden, Unauthorized } from '../../errors.ts'
import type { Limit, RateLimit } from '../../http/rate-limit.ts'
import { findPartnerByEmail } from './accounts.queries.ts'
import { isPassword, pretendToCheck } from './passwords.ts'
import { startSession } from './sessions.ts'

const TRY_LATER = 'Too many sign-in attempts. Please wait a few minutes before trying again.'
const PER_ADDRESS: RateLimit = { name: 'login', points: 10, seconds: 60, text: TRY_LATER }
const PER_ACCOUNT: RateLimit = { name: 'login-account', points: 100, seconds: 3_600, text: TRY_LATER }

/** D11's texts, which the client maps by their words: a wrong password names neither email nor user. */
export async function signInPartner(deps: Deps, form: SignIn, ip: string, limit: Limit) {
  // A try that one address may not make any more is none against the account: nobody locks a partner out alone.
  await limit(PER_ADDRESS, `${form.email} ${ip}`)
  await limit(PER_ACCOUNT, form.email)

  const partner = await findPartnerByEmail(deps.db, form.email)
  if (!partner) {
    if (!deps.config.hideAccountExistence) throw new Unauthorized('EMAIL_NOT_FOUND', 'No user with this email')
    await pretendToCheck(form.password)
    throw wrongPassword()
  }
  if (!(await isPassword(form.password, partner.password_hash))) throw wrongPassword()
  if (!partner.is_active) throw new Forbidden('ACCOUNT_INACTIVE', 'Account is inactive')

  const token = await startSession(deps, partner.id)
  return { token, partner: { id: partner.id, email: partner.email, businessName: partner.business_name } }
}

function wrongPassword(): Unauthorized {
  return new Unauthorized('INVALID_PASSWORD', 'Incorrect password')
}
