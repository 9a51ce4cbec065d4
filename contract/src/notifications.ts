import * as z from 'zod/mini'
import { isTimeZone } from './calendar.ts'
import { defineRoute } from './route.ts'

/**
 * The kinds of mail that people can turn off (D73). Security mails are not listed, because nobody can turn them off.
 */
export const MAIL_KINDS = ['outcome', 'lender-note', 'crm', 'webhook', 'lead-status', 'deal-stage', 'payment'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

export const MAIL_TIMINGS = ['at-once', 'digest', 'never'] as const
export type MailTiming = (typeof MAIL_TIMINGS)[number]

export const DEFAULT_TIMINGS: Record<MailKind, MailTiming> = {
  outcome: 'at-once',
  'lender-note': 'at-once',
  crm: 'at-once',
  webhook: 'at-once',
  'lead-status': 'digest',
  'deal-stage': 'digest',
  payment: 'at-once',
}

export const MAIL_KIND_WORDS: Record<MailKind, string> = {
  outcome: 'Funded or lost',
  'lender-note': 'Note or request from the lender',
  crm: 'Could not reach the CRM',
  webhook: 'Webhook disabled',
  'lead-status': 'Lead status',
  'deal-stage': 'Deal stage',
  payment: 'Commission paid',
}

/** The hour at which the digest is sent on working days, in the person's time zone. */
export const DIGEST_HOUR = 8

const TIME_ZONE_UNKNOWN = 'Choose a time zone from the list, such as Australia/Sydney'

const Choices = z.partialRecord(
  z.enum(MAIL_KINDS, 'This kind of email is unknown'),
  z.enum(MAIL_TIMINGS, `Choose one of ${MAIL_TIMINGS.join(', ')}`),
)

export const NotificationSettings = z.object({
  /** One choice for each kind of mail that this person can get. Only owners have the kinds meant for owners. */
  choices: Choices,
  /**
   * The kinds that come at once only for the person's own leads and deals, and for others' in the digest, because the
   * person has not chosen yet (D129).
   */
  at_once_if_own: z.array(z.enum(MAIL_KINDS)),
  time_zone: z.string(),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

export const NotificationChange = z.object({
  /** An absent kind stays unchanged. */
  choices: z.optional(Choices),
  time_zone: z.optional(
    z
      .string({ error: TIME_ZONE_UNKNOWN })
      .check(z.maxLength(100, { error: TIME_ZONE_UNKNOWN, abort: true }), z.refine(isTimeZone, TIME_ZONE_UNKNOWN)),
  ),
})
export type NotificationChange = z.infer<typeof NotificationChange>

export const readNotifications = defineRoute({
  method: 'GET',
  path: '/account/notifications',
  auth: 'session',
  least: 'viewer',
  answer: NotificationSettings,
  summary: 'Which news the person gets by email: at once, in the digest or never.',
})

export const changeNotifications = defineRoute({
  method: 'PUT',
  path: '/account/notifications',
  auth: 'session',
  least: 'viewer',
  body: NotificationChange,
  answer: NotificationSettings,
  summary: 'Changes which news the person gets by email, and the time zone of the digest.',
})

export const INVALID_UNSUBSCRIBE_LINK = 'This link is no longer valid. Sign in to choose which emails you get.'

export const unsubscribe = defineRoute({
  method: 'POST',
  path: '/unsubscribe',
  auth: 'none',
  body: z.object({
    token: z
      .string({ error: INVALID_UNSUBSCRIBE_LINK })
      .check(z.minLength(1, INVALID_UNSUBSCRIBE_LINK), z.maxLength(200, INVALID_UNSUBSCRIBE_LINK)),
  }),
  answer: z.object({
    /** The kinds of mail that the person no longer gets. */
    kinds: z.array(z.enum(MAIL_KINDS)),
  }),
  summary: 'Unsubscribes from the kinds of news in an email, with the token from the email’s link.',
})
