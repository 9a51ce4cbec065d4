import * as z from 'zod/mini'
import { BegunSession } from './accounts.ts'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { CODE_LENGTH_MAX, PASSKEY_NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX, TOKEN_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { requiredText } from './text.ts'

const UNREADABLE_PASSKEY = 'The passkey could not be read'
const CODE_MISSING = 'Code is required'

/** Bytes in the form that WebAuthn uses in JSON. */
const Base64Url = z
  .string({ error: UNREADABLE_PASSKEY })
  .check(z.maxLength(32_768, { error: UNREADABLE_PASSKEY, abort: true }), z.regex(/^[\w-]+$/, UNREADABLE_PASSKEY))

const credential = {
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key', { error: UNREADABLE_PASSKEY }),
}
const UNREADABLE = { error: UNREADABLE_PASSKEY }

/** A browser's answer to `PasskeyCreation`: the part of WebAuthn's RegistrationResponseJSON that the server reads. */
const CreatedPasskey = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: Base64Url,
        attestationObject: Base64Url,
        transports: z.optional(
          z
            .array(z.string(UNREADABLE).check(z.regex(/^[\w-]{1,30}$/, UNREADABLE_PASSKEY)), UNREADABLE)
            .check(z.maxLength(10, UNREADABLE_PASSKEY)),
        ),
      },
      UNREADABLE,
    ),
  },
  UNREADABLE,
)
export type CreatedPasskey = z.infer<typeof CreatedPasskey>

/** A browser's answer to `PasskeyQuestion`: WebAuthn's AuthenticationResponseJSON. */
const UsedPasskey = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: Base64Url,
        authenticatorData: Base64Url,
        signature: Base64Url,
        userHandle: z.optional(Base64Url),
      },
      UNREADABLE,
    ),
  },
  UNREADABLE,
)
export type UsedPasskey = z.infer<typeof UsedPasskey>

const Descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) })
const UserVerification = z.enum(['required', 'preferred', 'discouraged'])

/** WebAuthn's PublicKeyCredentialCreationOptionsJSON. */
const PasskeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ name: z.string(), id: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.number(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.boolean(),
    userVerification: UserVerification,
  }),
})
export type PasskeyCreation = z.infer<typeof PasskeyCreation>

/** WebAuthn's PublicKeyCredentialRequestOptionsJSON. */
const PasskeyQuestion = z.object({
  challenge: z.string(),
  timeout: z.number(),
  rpId: z.string(),
  allowCredentials: z.array(Descriptor),
  userVerification: UserVerification,
})
export type PasskeyQuestion = z.infer<typeof PasskeyQuestion>

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: Instant,
  last_used_at: z.nullable(Instant),
})
export type Passkey = z.infer<typeof Passkey>

export const SecondFactor = z.object({
  /** Null without an authenticator app. */
  totp: z.nullable(z.object({ added_at: Instant })),
  /** The oldest first. */
  passkeys: z.array(Passkey),
  recovery_codes_left: z.number(),
  /** True if an owner requires a second factor of everybody. */
  is_required: z.boolean(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

/** Ten codes, shown only once; null if the person got them with an earlier second factor. */
const NewRecoveryCodes = z.object({ recovery_codes: z.nullable(z.array(z.string())) })

const Code = requiredText('Code', CODE_LENGTH_MAX)

const Password = z
  .string({ error: 'Password is required' })
  .check(z.minLength(1, 'Password is required'), z.maxLength(PASSWORD_LENGTH_MAX, 'Incorrect password'))

const SignInToken = z
  .string({ error: 'The sign-in is unknown' })
  .check(z.minLength(1, 'The sign-in is unknown'), z.maxLength(TOKEN_LENGTH_MAX, 'The sign-in is unknown'))

export const FinishSignIn = z
  .object({
    token: SignInToken,
    /** A code from the authenticator app, or a recovery code. */
    code: z.optional(Code),
    passkey: z.optional(UsedPasskey),
  })
  .check(
    z.refine(({ code, passkey }) => (code === undefined) !== (passkey === undefined), {
      error: CODE_MISSING,
      path: ['code'],
    }),
  )
export type FinishSignIn = z.infer<typeof FinishSignIn>

/** A person with a second factor confirms with it: with a code, a recovery code or a passkey. Others give the password. */
export const Confirmation = z
  .object({ password: z.optional(Password), code: z.optional(Code), passkey: z.optional(UsedPasskey) })
  .check(
    z.refine((proofs) => Object.values(proofs).filter((proof) => proof !== undefined).length === 1, {
      error: 'Password is required',
      path: ['password'],
    }),
  )
export type Confirmation = z.infer<typeof Confirmation>

export const NewPasskey = z.object({ name: requiredText('Name', PASSKEY_NAME_LENGTH_MAX), passkey: CreatedPasskey })
export type NewPasskey = z.infer<typeof NewPasskey>

export const finishSignIn = defineRoute({
  method: 'POST',
  path: '/auth/second-factor',
  auth: 'none',
  body: FinishSignIn,
  answer: BegunSession,
  envelope: 'bare',
  summary: 'The second step of signing in: a code from the app, a recovery code or a passkey.',
})

export const askForPasskey = defineRoute({
  method: 'POST',
  path: '/auth/passkey/options',
  auth: 'none',
  /**
   * With the token of a sign-in that waits for its second step, the answer lists the passkeys of the person who signs
   * in. Without a token it lists none, and the browser offers all passkeys for the portal.
   */
  body: z.object({ token: z.optional(SignInToken) }),
  answer: PasskeyQuestion,
  summary: 'What a browser needs to ask for a passkey.',
})

export const signInWithPasskey = defineRoute({
  method: 'POST',
  path: '/auth/passkey',
  auth: 'none',
  body: z.object({ passkey: UsedPasskey }),
  answer: BegunSession,
  envelope: 'bare',
  summary: 'Starts a session with a passkey in place of password and second step.',
})

export const confirmAccount = defineRoute({
  method: 'POST',
  path: '/account/confirm',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  body: Confirmation,
  answer: Nothing,
  summary:
    'Confirms the person by their second factor, or by the password if they have none. For 15 minutes, calls that need a confirmation do not ask again.',
})

export const removeOtherAccess = defineRoute({
  method: 'POST',
  path: '/account/access/remove-others',
  auth: 'session',
  least: 'viewer',
  body: Confirmation,
  answer: Nothing,
  summary:
    'Ends the person’s other sessions, and every passkey and app but the one that confirms this call. Always asks for the confirmation.',
})

export const readSecondFactor = defineRoute({
  method: 'GET',
  path: '/account/second-factor',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  answer: SecondFactor,
  summary: 'The person’s second factors.',
})

export const beginTotp = defineRoute({
  method: 'POST',
  path: '/account/totp',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  beforeSecondFactor: true,
  answer: z.object({
    /** The secret in base32, for people who type it into the app. */
    secret: z.string(),
    otpauth_url: z.string(),
  }),
  summary:
    'Makes the secret for an authenticator app. The app becomes a second factor once a code from it is confirmed.',
})

export const confirmTotp = defineRoute({
  method: 'POST',
  path: '/account/totp/confirm',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  body: z.object({ code: Code }),
  answer: NewRecoveryCodes,
  summary: 'Adds the authenticator app after checking a code that the app shows.',
})

export const removeTotp = defineRoute({
  method: 'DELETE',
  path: '/account/totp',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  answer: SecondFactor,
  summary: 'Removes the authenticator app and ends the person’s other sessions.',
})

export const beginPasskey = defineRoute({
  method: 'POST',
  path: '/account/passkeys/options',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  beforeSecondFactor: true,
  answer: PasskeyCreation,
  summary: 'What a browser needs to make a passkey.',
})

export const addPasskey = defineRoute({
  method: 'POST',
  path: '/account/passkeys',
  auth: 'session',
  least: 'viewer',
  beforeSecondFactor: true,
  body: NewPasskey,
  answer: NewRecoveryCodes,
  status: 201,
  summary: 'Adds a passkey that the browser made.',
})

export const removePasskey = defineRoute({
  method: 'DELETE',
  path: '/account/passkeys/:id',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  answer: SecondFactor,
  summary: 'Removes a passkey and ends the person’s other sessions.',
})

export const renewRecoveryCodes = defineRoute({
  method: 'POST',
  path: '/account/recovery-codes',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  answer: z.object({ recovery_codes: z.array(z.string()) }),
  status: 201,
  summary: 'Makes ten new recovery codes, shown only once; the old ones stop working.',
})

const TeamSettings = z.object({
  second_factor_required: z.boolean({ error: 'second_factor_required must be true or false' }),
})
export type TeamSettings = z.infer<typeof TeamSettings>

export const changeTeamSettings = defineRoute({
  method: 'PUT',
  path: '/team/settings',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  body: TeamSettings,
  answer: TeamSettings,
  summary: 'Turns on or off the rule that everybody needs a second factor.',
})
