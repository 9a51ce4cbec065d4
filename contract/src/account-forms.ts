import * as z from 'zod/mini'
import { AccessRef } from './access.ts'
import { GST_REGISTERED } from './choices.ts'
import {
  BUSINESS_NAME_LENGTH_MAX,
  BUSINESS_NUMBER_LENGTH_MAX,
  NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PHONE_LENGTH_MAX,
} from './limits.ts'
import { changedName, optionalName, requiredName } from './own-names.ts'
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

export const ResetToken = z
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
    token: ResetToken,
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

interface StoredNames {
  business_name: string
  first_name: string | null
  last_name: string | null
}

/**
 * A change of the profile. An absent field stays unchanged. A null or blank first name, last name or phone clears the
 * stored one (D47). The other fields of the profile are ignored. A stored name may come back as it is (D132).
 */
export function profileChange(stored: StoredNames) {
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

export const VerificationToken = z.string().check(z.minLength(1), z.maxLength(200))

export const VerifyEmail = z.object({
  token: VerificationToken,
  /** Not needed if the request has a session of the same person. */
  password: z.optional(password('Password is required')),
})
export type VerifyEmail = z.infer<typeof VerifyEmail>
