import * as z from 'zod/mini'
import { AccessItem, AccessRef, SettledAccess } from './access.ts'
import { OpenAgreement } from './agreement.ts'
import { Announcement } from './announcement.ts'
import { Nothing } from './answer.ts'
import { GST_REGISTERED } from './choices.ts'
import { Hold } from './holds.ts'
import {
  BUSINESS_NAME_LENGTH_MAX,
  BUSINESS_NUMBER_LENGTH_MAX,
  NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PHONE_LENGTH_MAX,
} from './limits.ts'
import { Manager } from './manager.ts'
import { changedName, optionalName, requiredName } from './own-names.ts'
import { Role } from './roles.ts'
import { defineRoute } from './route.ts'
import { changedText, Email, KnownEmail } from './text.ts'

/** More than a business has people, sessions and keys. */
const REMOVED_MAX = 1_000

export const PASSWORD_TOO_SHORT = 'Password must be at least 8 characters long'
export const PASSWORD_COMMON = 'Password is too weak. Please choose a stronger password.'
export const PASSWORDS_DIFFER = 'Passwords do not match'
export const PASSWORD_HINT = 'For better security, use uppercase, lowercase, and numbers in your password'

/** Whether the form shows PASSWORD_HINT (section 5). The form can be sent despite the hint. */
export function lacksVariety(password: string): boolean {
  return !/[A-Z]/.test(password) || !/[a-z]/.test(password) || !/\d/.test(password)
}

/** Passwords are taken as typed, never trimmed. */
function password(missing: string) {
  return z.string({ error: missing }).check(z.minLength(1, missing))
}

function notTooLong() {
  return z.maxLength(PASSWORD_LENGTH_MAX, `Password must be at most ${PASSWORD_LENGTH_MAX} characters long`)
}

/**
 * Checks the length only. The form merely hints at a better mix of characters, and the server refuses passwords
 * that are easy to guess (D131).
 */
export function newPassword(missing: string) {
  return password(missing).check(z.minLength(PASSWORD_LENGTH_MIN, PASSWORD_TOO_SHORT), notTooLong())
}

const Token = z
  .string({ error: 'Invalid reset token. Please request a new password reset.' })
  .check(
    z.minLength(1, 'Invalid reset token. Please request a new password reset.'),
    z.maxLength(200, 'Invalid reset token. Please request a new password reset.'),
  )

/** A client may send the password twice. The server then compares the two (D46). */
const confirmation = z.optional(z.string({ error: PASSWORDS_DIFFER }))
const DIFFERENT = { error: PASSWORDS_DIFFER, path: ['confirmPassword'] }

export const SignUp = z
  .object({
    email: Email,
    password: newPassword('Password is required'),
    confirmPassword: confirmation,
    businessName: requiredName('Business name', BUSINESS_NAME_LENGTH_MAX),
    firstName: optionalName('First name', NAME_LENGTH_MAX),
    lastName: optionalName('Last name', NAME_LENGTH_MAX),
  })
  .check(z.refine((form) => [undefined, form.password].includes(form.confirmPassword), DIFFERENT))
export type SignUp = z.infer<typeof SignUp>

export const SignIn = z.object({ email: KnownEmail, password: password('Password is required') })
export type SignIn = z.infer<typeof SignIn>

export const ForgotPassword = z.object({ email: KnownEmail })

/**
 * Whether an owner's new password also revokes the API key and the webhook URL. A reset always revokes them if it is
 * the first confirmation of the owner's email address (D52). A reset also ends everything of the last 30 days, or
 * exactly what `remove` names (D130).
 */
const revokeAccess = z.optional(z.boolean({ error: 'revokeAccess must be true or false' }))

export const ResetPassword = z
  .object({
    token: Token,
    newPassword: newPassword('Password is required'),
    confirmPassword: confirmation,
    revokeAccess,
    remove: z.optional(
      z
        .array(AccessRef, { error: 'remove must be a list' })
        .check(z.maxLength(REMOVED_MAX, `At most ${REMOVED_MAX} can be removed at once`)),
    ),
  })
  .check(z.refine((form) => [undefined, form.newPassword].includes(form.confirmPassword), DIFFERENT))
export type ResetPassword = z.infer<typeof ResetPassword>

export const SignedInPartner = z.object({ partnerId: z.string(), businessName: z.string(), partnerEmail: z.string() })
export type SignedInPartner = z.infer<typeof SignedInPartner>

export const VerifiedSession = z.extend(SignedInPartner, {
  personId: z.string(),
  /** The person's name, or the business name if there is none. */
  personName: z.string(),
  role: Role,
  /** Whether the lender's CRM has payments and the person may see them (D111). */
  seesPayments: z.boolean(),
  /** True until the person has confirmed their email address (D137). */
  hasUnverifiedEmail: z.boolean(),
  /** True if the portal exchanges records with the CRM only once the email address is confirmed (D121, D122). */
  mustConfirmEmail: z.boolean(),
  /** Why the portal exchanges no records with the CRM; null if it does. */
  hold: z.nullable(Hold),
  /** How many leads and deals the CRM does not show, although it does not name them as deleted (D123). */
  hiddenRecords: z.number(),
  /** Whether the CRM refuses the records of several partners for a reason of its own (D125). */
  crmTakesNone: z.boolean(),
  /** Null if the lender names nobody. */
  manager: z.nullable(Manager),
  /** Null if the lender tells nothing, or the person has put it away. */
  announcement: z.nullable(Announcement),
  /** Null if the business has accepted the lender's agreement, or the lender asks for none. */
  agreement: z.nullable(OpenAgreement),
})
export type VerifiedSession = z.infer<typeof VerifiedSession>

/** `id`, `zoho_id` and `business_name` belong to the business, the other fields to the person (D60). */
export const Profile = z.object({
  id: z.string(),
  person_id: z.string(),
  role: Role,
  zoho_id: z.nullable(z.string()),
  business_name: z.string(),
  first_name: z.nullable(z.string()),
  last_name: z.nullable(z.string()),
  email: z.string(),
  phone: z.nullable(z.string()),
  is_active: z.boolean(),
  email_verified: z.boolean(),
  /** The business's tax details (D113); null where the lender's CRM has no field for them. */
  tax: z.nullable(z.object({ abn: z.nullable(z.string()), gst_registered: z.nullable(z.enum(GST_REGISTERED)) })),
})
export type Profile = z.infer<typeof Profile>

/**
 * A change of this profile. An absent field stays unchanged. A null or blank first name, last name or phone clears the
 * stored one (D47). The other fields of the profile are ignored. A stored name may come back as it is (D132).
 */
export function profileChange(stored: Pick<Profile, 'business_name' | 'first_name' | 'last_name'>) {
  return z.object({
    /** Only an owner may change the business name. From anybody else only the current name is accepted. */
    business_name: z.optional(requiredName('Business name', BUSINESS_NAME_LENGTH_MAX, stored.business_name)),
    first_name: changedName('First name', NAME_LENGTH_MAX, stored.first_name),
    last_name: changedName('Last name', NAME_LENGTH_MAX, stored.last_name),
    phone: changedText('Phone', PHONE_LENGTH_MAX),
    /** Only an owner may change the tax details. Where the profile has none, they are ignored. */
    abn: changedText('ABN', BUSINESS_NUMBER_LENGTH_MAX),
    gst_registered: z.optional(
      z.nullable(z.enum(GST_REGISTERED, { error: `gst_registered must be one of: ${GST_REGISTERED.join(', ')}` })),
    ),
    /** Read-only: any address but the stored one is refused. */
    email: z.optional(KnownEmail),
  })
}
export type ProfileChange = z.infer<ReturnType<typeof profileChange>>

/**
 * Checks that every field is filled in, and that the new password is not too long. The server answers a short password
 * and a mismatch with codes of their own (section 8).
 */
export const PasswordChange = z.object({
  currentPassword: password('Current password is required'),
  newPassword: password('New password is required').check(notTooLong()),
  confirmPassword: password('Password confirmation is required'),
  revokeAccess,
})
export type PasswordChange = z.infer<typeof PasswordChange>

export const BegunSession = z.object({
  token: z.string(),
  partner: z.object({ id: z.string(), email: z.string(), businessName: z.string() }),
  person: z.object({ id: z.string(), role: Role, hasUnverifiedEmail: z.boolean() }),
})
export type BegunSession = z.infer<typeof BegunSession>

/** The second factors that a person can use after the password. */
const SecondFactorKind = z.enum(['totp', 'passkey', 'recovery'])
export type SecondFactorKind = z.infer<typeof SecondFactorKind>

/** The answer to a sign-in, instead of a session, if the password alone is not enough (D66). */
export const SecondStep = z.object({
  second_factor: z.object({
    /** Valid for ten minutes. */
    token: z.string(),
    kinds: z.array(SecondFactorKind),
  }),
})
export type SecondStep = z.infer<typeof SecondStep>

export const signUp = defineRoute({
  method: 'POST',
  path: '/auth/signup',
  auth: 'none',
  body: SignUp,
  answer: SignedInPartner,
  status: 201,
  creates: true,
  summary: 'Creates a partner and its first person, the owner.',
})

export const signIn = defineRoute({
  method: 'POST',
  path: '/auth/login',
  auth: 'none',
  body: SignIn,
  answer: z.union([BegunSession, SecondStep]),
  envelope: 'bare',
  summary: 'Starts a session of 24 hours, or asks for the second factor of a person who has one.',
})

export const readDemo = defineRoute({
  method: 'GET',
  path: '/auth/demo',
  auth: 'none',
  answer: z.object({ demo: z.nullable(z.object({ email: z.string(), password: z.string() })) }),
  summary: 'The sign-in of the demo account; null if this portal has no demo, and always in production.',
})

export const readPrivacy = defineRoute({
  method: 'GET',
  path: '/auth/privacy',
  auth: 'none',
  answer: z.object({ url: z.nullable(z.string()) }),
  summary: 'The address of the lender’s privacy notice; null if the portal has none.',
})

export const forgotPassword = defineRoute({
  method: 'POST',
  path: '/auth/forgot-password',
  auth: 'none',
  body: ForgotPassword,
  answer: z.object({ resetToken: z.optional(z.string()) }),
  summary: 'Mails a link that resets the password. The link is valid for an hour.',
})

export const resetPassword = defineRoute({
  method: 'POST',
  path: '/auth/reset-password',
  auth: 'none',
  body: ResetPassword,
  answer: SettledAccess,
  summary: 'Sets a new password with a reset token and ends every session. It also confirms the email address.',
})

export const readResetAccess = defineRoute({
  method: 'POST',
  path: '/auth/reset-access',
  auth: 'none',
  body: z.object({ token: Token }),
  answer: z.object({ items: z.array(AccessItem) }),
  summary: 'Everything that can get in, for the person with this reset token.',
})

const VerificationToken = z.string().check(z.minLength(1), z.maxLength(200))

export const VerifyEmail = z.object({
  token: VerificationToken,
  /** Not needed if the request has a session of the same person. */
  password: z.optional(password('Password is required')),
})
export type VerifyEmail = z.infer<typeof VerifyEmail>

export const verifyEmail = defineRoute({
  method: 'POST',
  path: '/auth/verify-email',
  auth: 'session-or-none',
  least: 'viewer',
  beforeSecondFactor: true,
  body: VerifyEmail,
  /** `already` is true if the link, or another way, had confirmed the address before. */
  answer: z.object({ already: z.boolean() }),
  summary: 'Confirms the email address with the token from the email. Needs the person’s session or password.',
})

export const sendVerification = defineRoute({
  method: 'POST',
  path: '/auth/send-verification',
  auth: 'session',
  least: 'viewer',
  answer: Nothing,
  summary: 'Mails another link that confirms the email address.',
})

export const disown = defineRoute({
  method: 'POST',
  path: '/auth/disown',
  auth: 'none',
  body: z.object({ token: VerificationToken }),
  answer: Nothing,
  summary:
    'Closes an account that somebody created with another person’s email address. `token` is from the email that asks this person to confirm the address.',
})

export const verifySession = defineRoute({
  method: 'POST',
  path: '/auth/verify',
  auth: 'none',
  body: z.object({
    token: z.string({ error: 'No token available' }).check(z.minLength(1, 'No token available'), z.maxLength(200)),
  }),
  answer: VerifiedSession,
  summary: 'Returns the person and the business that a session token belongs to.',
})

export const refreshSession = defineRoute({
  method: 'POST',
  path: '/auth/refresh',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  answer: z.object({ token: z.string() }),
  summary: 'Exchanges the session token for a new one; the old one stays valid for 30 seconds.',
})

export const signOut = defineRoute({
  method: 'POST',
  path: '/auth/logout',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  answer: Nothing,
  summary: 'Ends the session.',
})

export const readProfile = defineRoute({
  method: 'GET',
  path: '/profile',
  auth: 'session',
  least: 'viewer',
  answer: Profile,
  summary: 'The business and the person’s own details.',
})

export const changeProfile = defineRoute({
  method: 'PUT',
  path: '/profile',
  auth: 'session',
  least: 'viewer',
  /** Parsed with `profileChange` once the stored names are known. */
  body: z.looseObject({}),
  answer: Profile,
  summary:
    'Changes the person’s name and phone. An owner can also change the business name. The email address stays the same.',
})

export const changePassword = defineRoute({
  method: 'PUT',
  path: '/profile/password',
  auth: 'session',
  least: 'viewer',
  body: PasswordChange,
  answer: SettledAccess,
  summary: 'Changes the password and ends the person’s other sessions.',
})
