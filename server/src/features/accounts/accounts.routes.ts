import {
  changePassword,
  changeProfile,
  disown,
  forgotPassword,
  readDemo,
  readPrivacy,
  readProfile,
  readResetAccess,
  refreshSession,
  resetPassword,
  sendVerification,
  signIn,
  signOut,
  signUp,
  verifyEmail,
  verifySession,
} from '@portal/contract/accounts.ts'
import { acceptAgreement, readAgreement } from '@portal/contract/agreement.ts'
import { putAwayAnnouncement } from '@portal/contract/announcement.ts'
import { confirmCrmLink, readCrmLink } from '@portal/contract/crm-link.ts'
import { changeEmail, confirmNewEmail, undoNewEmail } from '@portal/contract/email-address.ts'
import { ASK_FOR_INVITATION } from '@portal/contract/sign-up-mode.ts'
import { listSubmitters } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { limitVisitor, type RateLimit } from '../../platform/http/rate-limit.ts'
import type { AccountAccess } from './access.ts'
import { acceptForBusiness, findAgreementState } from './agreement/accept-agreement.ts'
import { askEmailChange } from './ask-email-change.ts'
import type { CallerMemory } from './caller-memory.ts'
import { confirmEmailChange, undoEmailChange } from './change-email.ts'
import { changePersonPassword } from './change-password.ts'
import { changePersonProfile, profileOf } from './change-profile.ts'
import type { ConnectRecords } from './confirm-email.ts'
import { confirmLinkOf, readLink } from './crm-link.ts'
import { DEMO_SIGN_IN, hasDemo } from './demo-sign-in.ts'
import { disownAccount } from './disown-account.ts'
import { signOutCaller } from './end-sessions.ts'
import { limitPartner } from './limit-partner.ts'
import { listResetAccess, requestPasswordReset, setNewPassword } from './password-reset.ts'
import { findPeopleByName, getPerson, putAway } from './people.queries.ts'
import { sendVerificationAgain } from './send-verification.ts'
import { refreshCallerSession, verifySessionToken } from './sessions.ts'
import { signInPerson } from './sign-in.ts'
import { hashSignUpPassword, signUpPartner } from './sign-up.ts'
import { verifyEmailAddress } from './verify-email.ts'

const SIGN_UPS: RateLimit = {
  name: 'signup',
  points: 10,
  seconds: 3_600,
  text: 'Too many accounts were created from this IP address. Please try again later.',
}

/** The parts that the accounts need from elsewhere. app.ts passes them in. */
interface Neighbours {
  callers: CallerMemory
  access: AccountAccess
  connectRecords: ConnectRecords
}

export function accountRoutes(mount: Mount, deps: Deps, { callers, access, connectRecords }: Neighbours): void {
  mount(readDemo, async () => ({ demo: hasDemo(deps.config) ? DEMO_SIGN_IN : null }))
  mount(readPrivacy, async () => ({ url: deps.config.privacyUrl ?? null }))
  mount(signUp, async ({ once, body, visitor, limit, security }) => {
    if (deps.config.signUp === 'invite') throw new Forbidden('INVITATION_NEEDED', ASK_FOR_INVITATION)
    await limitVisitor(limit, SIGN_UPS, visitor)
    const passwordHash = await hashSignUpPassword(body)
    return once(async (tx) => {
      const signedUp = await signUpPartner(tx, deps, body, passwordHash)
      await security(tx, 'signed-up', { partner: signedUp.partnerId, person: signedUp.personId })
      return signedUp
    })
  })
  mount(listSubmitters, async ({ partner }) => ({ people: await findPeopleByName(deps.reads, partner.id) }))
  mount(signIn, ({ body, ...call }) => signInPerson(deps, body, call))
  mount(forgotPassword, ({ body, ...call }) => requestPasswordReset(deps, body.email, call))
  mount(resetPassword, async ({ body, visitor, security }) => {
    const left = await setNewPassword(deps, body, { visitor, security }, { access, connectRecords })
    callers.forget()
    return left
  })
  mount(readResetAccess, ({ body }) => listResetAccess(deps, body.token, access))
  mount(verifyEmail, async ({ body, ...call }) => {
    const already = await verifyEmailAddress(deps, body, call, connectRecords)
    callers.forget()
    return { already }
  })
  mount(sendVerification, async ({ partner, limit }) => {
    await sendVerificationAgain(deps, partner.personId, limit)
    return {}
  })
  mount(changeEmail, async ({ partner, body, ...call }) => {
    await askEmailChange(deps, partner, body.email, call)
    return {}
  })
  mount(confirmNewEmail, async ({ body, security }) => {
    const changed = await confirmEmailChange(deps, body.token, { connectRecords, security })
    callers.forget()
    return changed
  })
  mount(undoNewEmail, async ({ body, security }) => {
    const undone = await undoEmailChange(deps, body.token, security)
    callers.forget()
    return undone
  })
  mount(disown, async ({ body, security }) => {
    await disownAccount(deps, body.token, { access, security })
    callers.forget()
    return {}
  })
  mount(readCrmLink, ({ partner }) => readLink(deps.db, partner))
  mount(confirmCrmLink, ({ partner, security }) => confirmLinkOf(deps, partner, { connectRecords, security }))
  mount(verifySession, ({ body }) => verifySessionToken(deps, body.token))
  mount(readAgreement, ({ partner }) => findAgreementState(deps, partner))
  mount(acceptAgreement, ({ partner, body, visitor, security }) =>
    acceptForBusiness(deps, partner, body, { visitor, security, connectRecords }),
  )
  mount(putAwayAnnouncement, async ({ partner, body }) => {
    await putAway(deps.db, partner.personId, body.id)
    return {}
  })
  mount(refreshSession, ({ partner }) => refreshCallerSession(deps, partner))
  mount(signOut, async ({ partner, security }) => {
    await signOutCaller(deps, partner, security)
    callers.forget()
    return {}
  })
  mount(readProfile, async ({ partner }) => profileOf(await getPerson(deps.db, partner.personId)))
  mount(changeProfile, async (call) => {
    const { partner, body } = call
    await limitPartner(deps, call, 'changes')
    const profile = await changePersonProfile(deps, partner, body, connectRecords)
    callers.forget()
    return profile
  })
  mount(changePassword, async ({ partner, body, limit, security }) => {
    const left = await changePersonPassword(deps, partner, body, { access, limit, security })
    callers.forget()
    return left
  })
}
