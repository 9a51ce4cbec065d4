import type { SignIn } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden, PortalError, Unauthorized } from '../../errors.ts'
import type { Limit } from '../../http/rate-limit.ts'
import type { NoteSecurity } from '../../http/security-events.ts'
import type { Visitor } from '../../http/visitor.ts'
import { findPartnerByEmail, type Partner } from './accounts.queries.ts'
import { countPasswordTry } from './count-password-try.ts'
import { rememberVisitor } from './known-sources.ts'
import { isPassword, pretendToCheck } from './passwords.ts'
import { startSession } from './sessions.ts'

interface SignInCall {
  visitor: Visitor
  limit: Limit
  security: NoteSecurity
}

/** D11's texts, which the client maps by their words: a wrong password names neither email nor user. */
export async function signInPartner(deps: Deps, form: SignIn, { visitor, limit, security }: SignInCall) {
  const known = await findPartnerByEmail(deps.db, form.email)
  try {
    const counted = await countPasswordTry(deps, form.email, visitor, limit)
    const partner = await checkSignIn(deps, form, known)
    await counted.giveBack()
    if (!partner.is_active) throw new Forbidden('ACCOUNT_INACTIVE', 'Account is inactive')

    await rememberVisitor(deps, partner.id, visitor)
    const token = await startSession(deps, partner.id)
    security('signed-in', { partner: partner.id })
    return { token, partner: { id: partner.id, email: partner.email, businessName: partner.business_name } }
  } catch (error) {
    if (error instanceof PortalError) security('sign-in-failed', { partner: known?.id, reason: error.code })
    throw error
  }
}

async function checkSignIn(
  { config }: Pick<Deps, 'config'>,
  form: SignIn,
  partner: (Partner & { password_hash: string }) | undefined,
): Promise<Partner> {
  if (!partner) {
    if (!config.hideAccountExistence) throw new Unauthorized('EMAIL_NOT_FOUND', 'No user with this email')
    await pretendToCheck(form.password)
    throw wrongPassword()
  }
  if (!(await isPassword(form.password, partner.password_hash))) throw wrongPassword()
  return partner
}

function wrongPassword(): Unauthorized {
  return new Unauthorized('INVALID_PASSWORD', 'Incorrect password')
}
