import {
  changePassword,
  changeProfile,
  forgotPassword,
  readProfile,
  refreshSession,
  resetPassword,
  signIn,
  signOut,
  signUp,
  verifyEmail,
  verifySession,
} from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { getPartner, removeSession } from './accounts.queries.ts'
import type { CallerMemory } from './caller-memory.ts'
import { changePartnerPassword, changePartnerProfile } from './change-profile.ts'
import { requestPasswordReset, setNewPassword } from './password-reset.ts'
import { hashNewPassword } from './passwords.ts'
import { refreshCallerSession, verifySessionToken } from './sessions.ts'
import { signInPartner } from './sign-in.ts'
import { signUpPartner } from './sign-up.ts'
import { verifyEmailAddress } from './verify-email.ts'

const SIGN_UPS: RateLimit = {
  name: 'signup',
  points: 10,
  seconds: 3_600,
  text: 'Too many accounts were created from this address. Please try again later.',
}

export function accountRoutes(mount: Mount, deps: Deps, callers: CallerMemory): void {
  mount(signUp, async ({ once, body, ip, limit }) => {
    await limit(SIGN_UPS, ip)
    const passwordHash = await hashNewPassword(body.password, 'password')
    return once((tx) => signUpPartner(tx, deps, body, passwordHash))
  })
  mount(signIn, ({ body, ip, limit }) => signInPartner(deps, body, ip, limit))
  mount(forgotPassword, ({ body, limit }) => requestPasswordReset(deps, body.email, limit))
  mount(resetPassword, async ({ body }) => {
    await setNewPassword(deps, body)
    callers.forget()
    return {}
  })
  mount(verifyEmail, async ({ body }) => {
    await verifyEmailAddress(deps, body.token)
    return {}
  })
  mount(verifySession, ({ body }) => verifySessionToken(deps, body.token))
  mount(refreshSession, ({ partner }) => refreshCallerSession(deps, partner))
  mount(signOut, async ({ partner }) => {
    await removeSession(deps.db, partner.sessionHash)
    callers.forget()
    return {}
  })
  mount(readProfile, ({ partner }) => getPartner(deps.db, partner.id))
  mount(changeProfile, async ({ partner, body }) => {
    const profile = await changePartnerProfile(deps, partner.id, body)
    callers.forget()
    return profile
  })
  mount(changePassword, async ({ partner, body }) => {
    await changePartnerPassword(deps, partner, body)
    callers.forget()
    return {}
  })
}
