import * as z from 'zod/mini'
import { pagingQuery } from './answer.ts'
import { filterDays, Instant } from './dates.ts'
import { SHARED_EVENT_TYPES } from './event-types.ts'
import { SEARCH_LENGTH_MAX, URL_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { cleanedAddress, filterText, lengthAtMost, storable } from './text.ts'

/** The events that a partner's endpoint receives (D35). */
export const EVENT_TYPES = [...SHARED_EVENT_TYPES, 'webhook.test'] as const

export const WEBHOOK_LOG_STATUSES = ['success', 'failed', 'error', 'pending'] as const
export const WebhookLogStatus = z.enum(WEBHOOK_LOG_STATUSES)
export type WebhookLogStatus = z.infer<typeof WebhookLogStatus>

/** The names that the log shows for calls from partners' systems to the portal (section 7). */
export const INBOUND_LABELS: Record<string, string> = {
  '/api/webhook/lead': 'Submit Lead',
  '/api/webhook/deal': 'Submit Deal',
  '/api/partner/leads': 'Submit Lead',
}

/** The preview of a signing secret that no key can decrypt. Such a secret signs no deliveries. */
export const LOST_SECRET_PREVIEW = 'whsec_...'

export const WEBHOOK_URL_NOT_HTTPS = 'Webhook URL must begin with https://'

const WebhookEndpoint = z.object({
  webhook_url: z.nullable(z.string()),
  /**
   * False if there is no URL, or if the portal has disabled the endpoint (D35). Saving the URL again enables the
   * endpoint.
   */
  is_active: z.boolean(),
  disabled_at: z.nullable(Instant),
  /** `gone`: the endpoint answered 410. `failing`: every attempt failed for five days. */
  disabled_reason: z.nullable(z.enum(['gone', 'failing'])),
  /** The time since which every attempt has failed. */
  failing_since: z.nullable(Instant),
  /** The secret's first eight characters, followed by dots, or `LOST_SECRET_PREVIEW`. */
  secret_preview: z.nullable(z.string()),
  /** The time until which the old secret also signs deliveries. Null if the old secret does not sign them. */
  previous_secret_until: z.nullable(Instant),
})
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

/** Null and blank remove the URL; a body without `webhook_url` is refused. */
export const WebhookUrlChange = z.object({
  webhook_url: z.pipe(
    z.nullable(
      cleanedAddress('Webhook URL must be text, or null to remove it').check(
        lengthAtMost('Webhook URL', URL_LENGTH_MAX),
        storable('Webhook URL'),
      ),
    ),
    z.transform((text): string | null => text || null),
  ),
})
export type WebhookUrlChange = z.infer<typeof WebhookUrlChange>

export const WebhookLog = z.object({
  id: z.string(),
  /** `inbound`: a submission to the portal; `outbound`: a delivery to the partner's URL (D37). */
  direction: z.enum(['inbound', 'outbound']),
  status: WebhookLogStatus,
  /** The path of an inbound call, or the URL of a delivery. */
  endpoint: z.string(),
  /** The name of the API key that made an inbound call (D84); null for a delivery, and for a call with a session. */
  api_key: z.nullable(z.string()),
  /** Null for an inbound call. */
  event_type: z.nullable(z.string()),
  loid: z.nullable(z.string()),
  response_status: z.nullable(z.number()),
  error_message: z.nullable(z.string()),
  /** JSON text, cut at 64 KiB, without secrets. */
  request_body: z.nullable(z.string()),
  response_body: z.nullable(z.string()),
  attempts: z.number(),
  /** Set for a delivery that waits for its first or next attempt. */
  next_attempt_at: z.nullable(Instant),
  created_at: Instant,
})
export type WebhookLog = z.infer<typeof WebhookLog>

export const WebhookAttempt = z.object({
  number: z.number(),
  started_at: Instant,
  duration_ms: z.number(),
  response_status: z.nullable(z.number()),
  error_message: z.nullable(z.string()),
})
export type WebhookAttempt = z.infer<typeof WebhookAttempt>

export const WebhookLogFilters = z.object({
  ...pagingQuery(),
  status: z.optional(z.enum(WEBHOOK_LOG_STATUSES, `status must be one of: ${WEBHOOK_LOG_STATUSES.join(', ')}`)),
  endpoint: filterText('endpoint', URL_LENGTH_MAX),
  ...filterDays(),
  search: filterText('search', SEARCH_LENGTH_MAX),
})
export type WebhookLogFilters = z.output<typeof WebhookLogFilters>

export const readWebhookUrl = defineRoute({
  method: 'GET',
  path: '/dashboard/webhook-url',
  auth: 'session',
  least: 'owner',
  answer: WebhookEndpoint,
  summary: 'Where change notifications go, and whether they arrive.',
})

export const changeWebhookUrl = defineRoute({
  method: 'PUT',
  path: '/dashboard/webhook-url',
  auth: 'session',
  least: 'owner',
  asksAgain: ({ webhook_url }) => webhook_url !== null,
  body: WebhookUrlChange,
  answer: z.extend(WebhookEndpoint, {
    /** The signing secret, if this call made one. It is shown only once. */
    secret: z.nullable(z.string()),
  }),
  summary: 'Sets or changes the webhook URL; null or blank removes it. Saving a disabled URL enables it again.',
})

/** Does not accept an `Idempotency-Key`, because the server would have to store the answer, and the secret in it. */
export const rotateWebhookSecret = defineRoute({
  method: 'POST',
  path: '/dashboard/webhook-secret',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  answer: z.extend(WebhookEndpoint, { secret: z.string() }),
  status: 201,
  summary: 'Makes a new signing secret, shown only once. For 24 hours, deliveries are also signed with the old one.',
})

export const sendTestEvent = defineRoute({
  method: 'POST',
  path: '/dashboard/webhook-test',
  auth: 'session',
  least: 'owner',
  answer: z.object({ id: z.string() }),
  status: 201,
  creates: true,
  summary: 'Begins to deliver a webhook.test event; the answer has the id of its row in the log.',
})

export const listWebhookLogs = defineRoute({
  method: 'GET',
  path: '/dashboard/webhook-logs',
  auth: 'session',
  least: 'owner',
  query: WebhookLogFilters,
  answer: z.array(WebhookLog),
  envelope: 'paged',
  summary: 'Submissions by the partner’s systems and deliveries to its URL, newest first, kept for 90 days.',
})

export const readWebhookLog = defineRoute({
  method: 'GET',
  path: '/dashboard/webhook-logs/:id',
  auth: 'session',
  least: 'owner',
  answer: z.extend(WebhookLog, { attempt_list: z.array(WebhookAttempt) }),
  summary: 'One row of the log with every attempt, oldest first.',
})

/** Works for deliveries only: an inbound call can be repeated only by the partner's own system. */
export const redeliver = defineRoute({
  method: 'POST',
  path: '/dashboard/webhook-logs/:id/redeliver',
  auth: 'session',
  least: 'owner',
  answer: z.object({ id: z.string(), status: WebhookLogStatus }),
  status: 202,
  summary: 'Sends a delivery again at once, with the same webhook-id.',
})
