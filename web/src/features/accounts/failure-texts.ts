import { Failure, failureText, UNEXPECTED } from '../../api/failure.ts'

/**
 * Section 8 chooses a text by the words in the server's text. If several words are given, all must occur (D11). Some
 * texts are also chosen by the answer's code or status.
 */
interface Mapping {
  when: (failure: Failure) => boolean
  text: string
}

const WEAK_PASSWORD = 'Password is too weak. Please choose a stronger password.'
const EXPIRED_RESET_TOKEN = 'Reset token has expired. Please request a new password reset.'
const INVALID_RESET_TOKEN = 'Invalid reset token. Please request a new password reset.'
/** The texts for a link that can no longer be used. */
export const DEAD_LINK_TEXTS = [EXPIRED_RESET_TOKEN, INVALID_RESET_TOKEN]
export const MISSING_RESET_TOKEN = 'Invalid or missing reset token. Please request a new password reset.'

const INACTIVE = 'Your account is inactive. Please contact support.'

const SIGN_IN: Mapping[] = [
  { when: says('email'), text: 'Account not found. Please check your email or create an account.' },
  { when: says('user'), text: 'Account not found. Please check your email or create an account.' },
  { when: says('password'), text: 'Incorrect password. Please try again or reset your password.' },
  { when: says('inactive'), text: INACTIVE },
  { when: says('disabled'), text: INACTIVE },
]

const SIGN_UP: Mapping[] = [
  {
    when: says('email', 'exists'),
    text: 'An account with this email already exists. Please try signing in instead.',
  },
  {
    when: says('business', 'exists'),
    text: 'A business with this name is already registered. Please contact support if this is your business.',
  },
  { when: hasCode('VALIDATION'), text: 'Please check your information and try again.' },
  { when: says('validation'), text: 'Please check your information and try again.' },
]

const FORGOT_PASSWORD: Mapping[] = [
  {
    when: says('email', 'not found'),
    text: 'No account found with this email address. Please check the email or create a new account.',
  },
  {
    when: (failure) => failure.status === 429 || says('rate')(failure) || says('limit')(failure),
    text: 'Too many reset requests. Please wait a few minutes before trying again.',
  },
]

const RESET_PASSWORD: Mapping[] = [
  { when: says('inactive'), text: INACTIVE },
  { when: says('expired'), text: EXPIRED_RESET_TOKEN },
  {
    when: (failure) => hasCode('INVALID_RESET_TOKEN')(failure) || says('invalid', 'token')(failure),
    text: INVALID_RESET_TOKEN,
  },
  { when: says('weak'), text: WEAK_PASSWORD },
]

export function signInFailureText(error: unknown): string {
  return mapped(error, SIGN_IN, 'Login failed')
}

export function signUpFailureText(error: unknown): string {
  return mapped(error, SIGN_UP, 'Account creation failed')
}

export function forgotPasswordFailureText(error: unknown): string {
  return mapped(error, FORGOT_PASSWORD, 'Failed to send reset email')
}

export function resetPasswordFailureText(error: unknown): string {
  return mapped(error, RESET_PASSWORD, 'Password reset failed')
}

/** The text for a password that the server refuses, with the server's reason. Undefined for other failures. */
export function weakPasswordText(error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined
  if (error.message.startsWith(WEAK_PASSWORD)) return error.message
  return hasCode('WEAK_PASSWORD')(error) ? WEAK_PASSWORD : undefined
}

export function failedToLoadProfileText(error: unknown): string {
  return isUnreached(error) ? 'Error loading profile' : 'Failed to load profile'
}

export function updateProfileFailureText(error: unknown): string {
  return isUnreached(error) ? 'Error updating profile' : failureText(error)
}

export function changePasswordFailureText(error: unknown): string {
  return isUnreached(error) ? 'Error changing password' : failureText(error)
}

/** Whether no answer came although the browser is online. */
function isUnreached(error: unknown): boolean {
  return error instanceof Failure && error.status === 0 && error.code !== 'OFFLINE'
}

/** A suspension shows the lender's reason as it is (D116), whatever words the reason has. */
const isSuspended = hasCode('ACCOUNT_SUSPENDED')

function mapped(error: unknown, mappings: Mapping[], otherwise: string): string {
  if (!(error instanceof Failure)) return UNEXPECTED
  if (error.code === 'OFFLINE' || isSuspended(error)) return error.message
  const text = mappings.find(({ when }) => when(error))?.text
  if (text) return text
  return error.message === otherwise ? otherwise : `${otherwise}: ${error.message}`
}

function says(...words: string[]) {
  return (failure: Failure) => words.every((word) => failure.message.toLowerCase().includes(word))
}

function hasCode(code: string) {
  return (failure: Failure) => failure.code === code
}
