import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** The kinds of events by which the log can be filtered. */
export const SECURITY_KINDS = [
  'sign-ins',
  'passwords',
  'email',
  'second-factor',
  'sessions',
  'keys',
  'webhook',
  'team',
  'documents',
  'account',
] as const
export type SecurityKind = (typeof SECURITY_KINDS)[number]

export const SECURITY_KIND_NAMES: Record<SecurityKind, string> = {
  'sign-ins': 'Sign-ins',
  passwords: 'Passwords',
  email: 'Email addresses',
  'second-factor': 'Second factor',
  sessions: 'Sessions',
  keys: 'API keys',
  webhook: 'Webhook',
  team: 'Team',
  documents: 'Documents',
  account: 'Account',
}

/** The events that an owner and an operator must be able to find later (D68). */
export const SECURITY_EVENTS = [
  'signed-up',
  'signed-in',
  'sign-in-failed',
  'signed-out',
  'password-changed',
  'password-reset',
  'email-confirmed',
  'email-change-asked',
  'email-changed',
  'email-change-undone',
  'confirmed',
  'confirmation-failed',
  'second-factor-failed',
  'totp-added',
  'totp-removed',
  'passkey-added',
  'passkey-removed',
  'recovery-code-used',
  'recovery-codes-made',
  'second-factor-required',
  'second-factor-optional',
  'second-factor-reset',
  'session-ended',
  'other-sessions-ended',
  'api-key-made',
  'api-key-revoked',
  'records-read',
  'assistant-called',
  'webhook-url-changed',
  'webhook-url-removed',
  'webhook-secret-made',
  'person-invited',
  'invitation-sent-again',
  'invitation-revoked',
  'invitation-accepted',
  'role-changed',
  'payments-shown',
  'payments-hidden',
  'person-activated',
  'person-deactivated',
  'agreement-accepted',
  'account-disowned',
  'partner-activated',
  'partner-deactivated',
  'partner-suspended',
  'partner-resumed',
  'record-linked',
  'leads-exported',
  'deals-exported',
  'document-uploaded',
  'document-opened',
  'document-taken-back',
  'payments-exported',
  'statement-opened',
  'import-checked',
  'import-discarded',
  'import-submitted',
  'import-undone',
  'import-rows-exported',
  'applicant-exported',
  'applicant-erased',
  'person-exported',
  'person-erased',
] as const
export const SecurityEvent = z.enum(SECURITY_EVENTS)
export type SecurityEvent = z.infer<typeof SecurityEvent>

/** The kind of each event, and its text in the log. */
export const SECURITY_EVENT_WORDS: Record<SecurityEvent, { kind: SecurityKind; text: string }> = {
  'signed-up': { kind: 'account', text: 'Account created' },
  'signed-in': { kind: 'sign-ins', text: 'Signed in' },
  'sign-in-failed': { kind: 'sign-ins', text: 'Sign-in failed' },
  'signed-out': { kind: 'sign-ins', text: 'Signed out' },
  'password-changed': { kind: 'passwords', text: 'Password changed' },
  'password-reset': { kind: 'passwords', text: 'Password reset by email' },
  'email-confirmed': { kind: 'email', text: 'Email address confirmed' },
  'email-change-asked': { kind: 'email', text: 'Change of the email address requested' },
  'email-changed': { kind: 'email', text: 'Email address changed' },
  'email-change-undone': { kind: 'email', text: 'Change of the email address undone' },
  confirmed: { kind: 'sign-ins', text: 'Confirmed with password or passkey' },
  'confirmation-failed': { kind: 'sign-ins', text: 'Confirmation failed' },
  'second-factor-failed': { kind: 'second-factor', text: 'Second step of signing in failed' },
  'totp-added': { kind: 'second-factor', text: 'Authenticator app added' },
  'totp-removed': { kind: 'second-factor', text: 'Authenticator app removed' },
  'passkey-added': { kind: 'second-factor', text: 'Passkey added' },
  'passkey-removed': { kind: 'second-factor', text: 'Passkey removed' },
  'recovery-code-used': { kind: 'second-factor', text: 'Recovery code used' },
  'recovery-codes-made': { kind: 'second-factor', text: 'Recovery codes made' },
  'second-factor-required': { kind: 'second-factor', text: 'Second factor required of everybody' },
  'second-factor-optional': { kind: 'second-factor', text: 'Second factor no longer required' },
  'second-factor-reset': { kind: 'second-factor', text: 'Second factor reset' },
  'session-ended': { kind: 'sessions', text: 'Session ended' },
  'other-sessions-ended': { kind: 'sessions', text: 'All other sessions ended' },
  'api-key-made': { kind: 'keys', text: 'API key made' },
  'api-key-revoked': { kind: 'keys', text: 'API key revoked' },
  'records-read': { kind: 'keys', text: 'Reading of all records begun' },
  'assistant-called': { kind: 'keys', text: 'Called by an assistant' },
  'webhook-url-changed': { kind: 'webhook', text: 'Webhook URL saved' },
  'webhook-url-removed': { kind: 'webhook', text: 'Webhook URL removed' },
  'webhook-secret-made': { kind: 'webhook', text: 'Webhook secret made' },
  'person-invited': { kind: 'team', text: 'Invited' },
  'invitation-sent-again': { kind: 'team', text: 'Invitation sent again' },
  'invitation-revoked': { kind: 'team', text: 'Invitation revoked' },
  'invitation-accepted': { kind: 'team', text: 'Joined the team' },
  'role-changed': { kind: 'team', text: 'Role changed' },
  'payments-shown': { kind: 'team', text: 'May see payments' },
  'payments-hidden': { kind: 'team', text: 'May no longer see payments' },
  'person-activated': { kind: 'team', text: 'Person reactivated' },
  'person-deactivated': { kind: 'team', text: 'Person deactivated' },
  'agreement-accepted': { kind: 'account', text: 'Agreement accepted' },
  'account-disowned': { kind: 'account', text: 'Account closed by email' },
  'partner-activated': { kind: 'account', text: 'Account activated' },
  'partner-deactivated': { kind: 'account', text: 'Account deactivated' },
  'partner-suspended': { kind: 'account', text: 'Account suspended by the lender' },
  'partner-resumed': { kind: 'account', text: 'Suspension ended by the lender' },
  'record-linked': { kind: 'account', text: 'Linked with another record in the lender’s CRM' },
  'leads-exported': { kind: 'account', text: 'Leads exported' },
  'deals-exported': { kind: 'account', text: 'Deals exported' },
  'document-uploaded': { kind: 'documents', text: 'Document uploaded' },
  'document-opened': { kind: 'documents', text: 'Document opened' },
  'document-taken-back': { kind: 'documents', text: 'Document taken back' },
  'payments-exported': { kind: 'account', text: 'Payments exported' },
  'statement-opened': { kind: 'account', text: 'Statement opened' },
  'import-checked': { kind: 'account', text: 'File of leads checked' },
  'import-discarded': { kind: 'account', text: 'File of leads discarded' },
  'import-submitted': { kind: 'account', text: 'Leads imported' },
  'import-undone': { kind: 'account', text: 'Import of leads undone' },
  'import-rows-exported': { kind: 'account', text: 'Rows of an import exported' },
  'applicant-exported': { kind: 'account', text: 'Applicant’s data exported' },
  'applicant-erased': { kind: 'account', text: 'Applicant’s data erased' },
  'person-exported': { kind: 'team', text: 'Person’s data exported' },
  'person-erased': { kind: 'team', text: 'Person’s data erased' },
}

/** Who caused the events that neither a person nor an operator of the portal causes. */
export const OTHER_ACTORS: { readonly [Event in SecurityEvent]?: string } = {
  'records-read': 'An API key',
  'assistant-called': 'An API key',
  'account-disowned': 'Somebody with the link in a mail',
  'partner-suspended': 'The lender',
  'partner-resumed': 'The lender',
}

export const SECURITY_LOG_SIZE = 50

export const SecurityEntry = z.object({
  id: z.string(),
  at: Instant,
  event: SecurityEvent,
  /** The person who acted, or whose account somebody tried to sign in to. Null for `OTHER_ACTORS` and for operators. */
  person: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** The name of the person whose role, access, second factor or invitation an owner or operator changed, or of an API key. */
  subject: z.nullable(z.string()),
  /** More about the event, in the portal's own words. */
  detail: z.nullable(z.string()),
  /** The error code, if the action failed. */
  reason: z.nullable(z.string()),
  ip: z.nullable(z.string()),
  /** The names of the browser and its operating system, if the portal recognises them. */
  browser: z.nullable(z.string()),
})
export type SecurityEntry = z.infer<typeof SecurityEntry>

export const SecurityLogFilters = z.object({
  /** `next_cursor` of the previous answer. */
  cursor: idOf('cursor'),
  type: z.optional(z.enum(SECURITY_KINDS, `type must be one of: ${SECURITY_KINDS.join(', ')}`)),
  /** The id of the `person` that the entries name. */
  person: idOf('person'),
})
export type SecurityLogFilters = z.output<typeof SecurityLogFilters>

export const readSecurityLog = defineRoute({
  method: 'GET',
  path: '/security-log',
  auth: 'session',
  least: 'owner',
  query: SecurityLogFilters,
  answer: z.object({ entries: z.array(SecurityEntry), next_cursor: z.nullable(z.string()) }),
  summary: 'The security events of the partner’s account in the last year, newest first.',
})

function idOf(name: string) {
  return z.optional(z.guid(`${name} must be an id`))
}
