import type { Logger } from 'pino'

/** What an operator must be able to tell afterwards: each is one line of the log (D68). */
export type SecurityEvent =
  | 'signed-up'
  | 'signed-in'
  | 'sign-in-failed'
  | 'second-factor-failed'
  | 'recovery-code-used'
  | 'confirmed'
  | 'confirmation-failed'
  | 'totp-added'
  | 'totp-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'recovery-codes-made'
  | 'second-factor-required'
  | 'second-factor-optional'
  | 'second-factor-reset'
  | 'password-changed'
  | 'password-reset'
  | 'email-confirmed'
  | 'account-disowned'
  | 'person-invited'
  | 'invitation-revoked'
  | 'invitation-accepted'
  | 'role-changed'
  | 'person-activated'
  | 'person-deactivated'
  | 'api-key-made'
  | 'api-key-revoked'
  | 'webhook-url-changed'
  | 'partner-activated'
  | 'partner-deactivated'

export interface SecurityFacts {
  /** Its id, and never its email; absent where the account is not known. */
  partner?: string | undefined
  /** The same of who did it, or whose account it is. */
  person?: string | undefined
  /** The id of the person whose role or access was changed. */
  changed?: string
  /** An error code, where it did not succeed. */
  reason?: string
}

/** Writes one event with who called. Takes no free text, so that no secret can be in it. */
export type NoteSecurity = (event: SecurityEvent, facts?: SecurityFacts) => void

export function noteSecurity(
  log: Pick<Logger, 'info'>,
  event: SecurityEvent,
  facts: SecurityFacts & { ip?: string },
): void {
  log.info({ security: event, ...facts }, 'security')
}
