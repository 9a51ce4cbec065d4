import { expect, test } from 'vitest'
import { Failure, UNEXPECTED } from '../../api/failure.ts'
import {
  changePasswordFailureText,
  failedToLoadProfileText,
  forgotPasswordFailureText,
  resetPasswordFailureText,
  signUpFailureText,
  updateProfileFailureText,
  weakPasswordText,
} from './failure-texts.ts'
import { signInFailureText } from './sign-in-failure-text.ts'

const failed = (status: number, message: string, code = '') => new Failure(status, message, { code })

test.each([
  [signInFailureText, failed(403, 'Your account is disabled'), 'Your account is inactive. Please contact support.'],
  [signInFailureText, failed(500, 'Login failed'), 'Login failed'],
  [signInFailureText, failed(500, 'Out of order'), 'Login failed: Out of order'],
  [signUpFailureText, failed(400, 'Validation of the form'), 'Please check your information and try again.'],
  [
    forgotPasswordFailureText,
    failed(404, 'Email not found', 'NOT_FOUND'),
    'No account found with this email address. Please check the email or create a new account.',
  ],
  [
    forgotPasswordFailureText,
    failed(429, 'Slow down', 'RATE_LIMITED'),
    'Too many reset requests. Please wait a few minutes before trying again.',
  ],
  [forgotPasswordFailureText, failed(500, 'Mail is away'), 'Failed to send reset email: Mail is away'],
  [
    resetPasswordFailureText,
    failed(400, 'Reset token has expired', 'RESET_TOKEN_EXPIRED'),
    'Reset token has expired. Please request a new password reset.',
  ],
  [
    resetPasswordFailureText,
    failed(400, 'Invalid reset token', 'INVALID_RESET_TOKEN'),
    'Invalid reset token. Please request a new password reset.',
  ],
  [
    resetPasswordFailureText,
    failed(403, 'Account is inactive', 'ACCOUNT_INACTIVE'),
    'Your account is inactive. Please contact support.',
  ],
  [resetPasswordFailureText, failed(400, 'Weak'), 'Password is too weak. Please choose a stronger password.'],
  [weakPasswordText, failed(400, 'x', 'WEAK_PASSWORD'), 'Password is too weak. Please choose a stronger password.'],
  [
    weakPasswordText,
    failed(400, 'Password is too weak. Please choose a stronger password. It contains your name.', 'WEAK_PASSWORD'),
    'Password is too weak. Please choose a stronger password. It contains your name.',
  ],
  [resetPasswordFailureText, failed(500, 'Out of order'), 'Password reset failed: Out of order'],
  [updateProfileFailureText, failed(0, 'Network error', 'NETWORK'), 'Error updating profile'],
  [updateProfileFailureText, failed(409, 'That name is taken', 'BUSINESS_EXISTS'), 'That name is taken'],
  [changePasswordFailureText, failed(0, 'Network error', 'NETWORK'), 'Error changing password'],
  [changePasswordFailureText, failed(500, 'Failed to change password'), 'Failed to change password'],
  [failedToLoadProfileText, failed(500, 'x'), 'Failed to load profile'],
  [failedToLoadProfileText, failed(0, 'Network error', 'NETWORK'), 'Error loading profile'],
])('%o gives %o the text: %s', (text, failure, expected) => {
  expect(text(failure)).toBe(expected)
})

test('an unforeseen error gets the text for unexpected errors', () => {
  expect(signInFailureText(new TypeError('x is undefined'))).toBe(UNEXPECTED)
})
