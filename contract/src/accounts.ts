import * as z from 'zod/mini'
import { AccessItem, SettledAccess } from './access.ts'
import {
  ForgotPassword,
  PasswordChange,
  ResetPassword,
  ResetToken,
  SignIn,
  SignUp,
  VerificationToken,
  VerifyEmail,
} from './account-forms.ts'
import { OpenAgreement } from './agreement.ts'
import { Announcement } from './announcement.ts'
import { Nothing } from './answer.ts'
import { GST_REGISTERED } from './choices.ts'
import { Hold } from './holds.ts'
import { Manager } from './manager.ts'
import { RoleField } from './role-field.ts'
import { defineRoute } from './route.ts'

export const SignedInPartner = z.object({ partnerId: z.string(), businessName: z.string(), partnerEmail: z.string() })
export type SignedInPartner = z.infer<typeof SignedInPartner>

export const VerifiedSession = z.extend(SignedInPartner, {
  personId: z.string(),
  /** The person's name, or the business name if there is none. */
  personName: z.string(),
  role: RoleField,
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
  role: RoleField,
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

export const BegunSession = z.object({
  token: z.string(),
  partner: z.object({ id: z.string(), email: z.string(), businessName: z.string() }),
  person: z.object({ id: z.string(), role: RoleField, hasUnverifiedEmail: z.boolean() }),
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
  body: z.object({ token: ResetToken }),
  answer: z.object({ items: z.array(AccessItem) }),
  summary: 'Everything that can get in, for the person with this reset token.',
})

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
