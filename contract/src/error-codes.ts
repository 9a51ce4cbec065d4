/**
 * Every machine-readable code of a failed answer (D5), with its meaning. The security log shows the meaning. The API
 * documentation shows it too, for the codes that the documented calls can return.
 */
export const ERROR_CODES = {
  VALIDATION: 'A field is missing or invalid; `fields` names it.',
  MALFORMED_REQUEST: 'The request is not readable, for example because its JSON is broken.',
  UNAUTHORIZED: 'The session or API key is missing or unknown, or has ended.',
  EMAIL_NOT_FOUND: 'No account has this email address.',
  INVALID_PASSWORD: 'The password is not right.',
  ACCOUNT_INACTIVE: 'The account was deactivated.',
  ACCOUNT_PENDING: 'The lender has yet to confirm the account of the business.',
  ACCOUNT_SUSPENDED: 'The lender has suspended the business. The text is the lender’s reason.',
  NOT_ALLOWED: 'The person’s role or the API key’s rights do not allow this; an owner of the business can change that.',
  LAST_OWNER: 'This would leave the partner without an active owner.',
  INVALID_INVITATION:
    'The invitation is unknown, was used, was revoked, is older than seven days or comes from a person who is no longer an owner.',
  INVITATION_NEEDED: 'The lender invites its partners; nobody signs up without an invitation.',
  EMAIL_EXISTS: 'An account has this email address, or could still regain it by undoing an address change.',
  BUSINESS_EXISTS: 'A partner with this business name already exists.',
  INVALID_RESET_TOKEN: 'The reset token is unknown, has been used or is no longer valid.',
  RESET_TOKEN_EXPIRED: 'The reset token is older than an hour.',
  INVALID_VERIFICATION_TOKEN: 'The link from the email is unknown, has been used or is no longer valid.',
  INVALID_UNSUBSCRIBE_LINK: 'The unsubscribe link is unknown or older than a year.',
  CONFIRM_PASSWORD:
    'The second factor, or the password of a person without one, must be entered again. The link that confirms a new account’s email address needs a sign-in to that account, or its password.',
  INVALID_CODE: 'The code of the second step is wrong or has already been used.',
  INVALID_PASSKEY: 'The passkey is unknown or belongs to somebody else, or its challenge is unknown or has expired.',
  SIGN_IN_EXPIRED:
    'The second step came too late (after ten minutes) or was already completed. Or the password or a second factor has changed since the first step.',
  LAST_SECOND_FACTOR: 'The business requires a second factor, and this is the person’s last one.',
  SECOND_FACTOR_REQUIRED: 'The business requires a second factor, and the person has none yet.',
  CONFIRM_EMAIL: 'The email address must be confirmed first.',
  AGREEMENT_REQUIRED: 'An owner of the business must first accept the lender’s agreement.',
  CONFIRM_LINK: 'A person of the business must first confirm who will see the records that the CRM already has.',
  ASK_LENDER: 'The lender must say which of its records is that of the business.',
  INVALID_CURRENT_PASSWORD: 'The current password is not right.',
  PASSWORD_MISMATCH: 'The two passwords differ.',
  WEAK_PASSWORD: 'The password is too short or easily guessed.',
  SAME_PASSWORD: 'The new password is the same as the old one.',
  NOT_FOUND: 'You have no such record, or the address does not exist.',
  LEAD_REMOVED: 'The lender removed this lead; `removed` has its name, its last status and the time.',
  DEAL_REMOVED: 'The lender removed this deal; `removed` has its name, its last stage and the time.',
  START_AGAIN:
    'The cursor is older than 30 days, or from before the portal’s database was replaced. Start again without `since`.',
  METHOD_NOT_ALLOWED: 'The address does not know this method; `Allow` names the methods that it knows.',
  CONFLICT: 'The request does not fit the present state.',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with another request.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 64 KiB, or the file than the call takes.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON in UTF-8, not compressed.',
  RATE_LIMITED: 'Too many requests; `Retry-After` says when to try again.',
  CRM_UNAVAILABLE: 'The CRM does not answer; the portal’s own data is not affected.',
  UNAVAILABLE: 'The portal is overloaded or stopping; try again in a moment.',
  INTERNAL: 'Something went wrong on our side; quote the x-request-id when you write to us.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES
