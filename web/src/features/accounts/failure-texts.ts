import { Failure, failureText } from '../../api/failure.ts'
import { hasCode, INACTIVE, type Mapping, mappedText, says } from './failure-mapping.ts'

const WEAK_PASSWORD = 'Password is too weak. Please choose a stronger password.'
const EXPIRED_RESET_TOKEN = 'Reset token has expired. Please request a new password reset.'
const INVALID_RESET_TOKEN = 'Invalid reset token. Please request a new password reset.'
/** The texts for a link that can no longer be used. */
export const DEAD_LINK_TEXTS = [EXPIRED_RESET_TOKEN, INVALID_RESET_TOKEN]
export const MISSING_RESET_TOKEN = 'Invalid or missing reset token. Please request a new password reset.'

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

export function signUpFailureText(error: unknown): string {
  return mappedText(error, SIGN_UP, 'Account creation failed')
}

export function forgotPasswordFailureText(error: unknown): string {
  return mappedText(error, FORGOT_PASSWORD, 'Failed to send reset email')
}

export function resetPasswordFailureText(error: unknown): string {
  return mappedText(error, RESET_PASSWORD, 'Password reset failed')
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
