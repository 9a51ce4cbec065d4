/** Every machine code a failure may carry (D5), with the text that the API documentation gives it. */
export const ERROR_CODES = {
  VALIDATION: 'A field is missing or not in the form asked for; `fields` tells which.',
  MALFORMED_REQUEST: 'The request is not readable, for example broken JSON.',
  UNAUTHORIZED: 'The session or API key is missing, unknown or has ended.',
  EMAIL_NOT_FOUND: 'No partner has this email address.',
  INVALID_PASSWORD: 'The password is not right.',
  ACCOUNT_INACTIVE: 'The account was deactivated.',
  EMAIL_EXISTS: 'A partner with this email address exists.',
  BUSINESS_EXISTS: 'A partner with this business name exists.',
  INVALID_RESET_TOKEN: 'The reset token is unknown or was used.',
  RESET_TOKEN_EXPIRED: 'The reset token is older than an hour.',
  INVALID_VERIFICATION_TOKEN: 'The verification link is unknown or was used.',
  INVALID_CURRENT_PASSWORD: 'The current password is not right.',
  PASSWORD_MISMATCH: 'The two passwords differ.',
  WEAK_PASSWORD: 'The password is too short or among the most common.',
  SAME_PASSWORD: 'The new password is the old one.',
  NOT_FOUND: 'There is no such record among yours, or no such address.',
  CONFLICT: 'The request does not fit the present state.',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with another body.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 64 KiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON.',
  RATE_LIMITED: 'Too many requests; `Retry-After` tells when to come back.',
  CRM_UNAVAILABLE: 'The CRM does not answer; the portal’s own data is not affected.',
  UNAVAILABLE: 'The portal is overloaded or stopping; try again in a moment.',
  INTERNAL: 'Something went wrong on our side; quote the x-request-id when you write to us.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES
