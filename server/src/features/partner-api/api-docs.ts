import { ERROR_CODES, type ErrorCode } from '@portal/contract/error-codes.ts'
import { EVENT_PAYLOADS } from '@portal/contract/event-payloads.ts'
import { API_CALLS_PER_MINUTE, BODY_BYTES_MAX, IDEMPOTENCY_KEY_LENGTH_MAX } from '@portal/contract/limits.ts'
import type { ApiDocs, ApiField } from '@portal/contract/partner-api.ts'
import type { Route } from '@portal/contract/route.ts'
import { REMEMBERED_HOURS, REPEAT_SECONDS } from '../../platform/http/idempotency.ts'
import { apiBaseUrl } from '../api-keys/api-base-url.ts'
import { ATTEMPT_MS_MAX } from '../webhooks/attempt-delivery.ts'
import { FAILING_MS_MAX, GONE } from '../webhooks/disable-endpoint.ts'
import { ATTEMPTS_MAX } from '../webhooks/retry-schedule.ts'
import { PREVIOUS_VALID_MS } from '../webhooks/rotate-secret.ts'
import { bodyFields } from './body-fields.ts'
import { codeExamples, readExamples, VERIFICATION } from './code-examples.ts'
import { DOCUMENTED_ROUTES } from './documented-routes.ts'

export const API_TITLE = 'Partner API'
export const API_VERSION = '1.0'
export const API_DESCRIPTION =
  'Submit leads and deals from your own systems, read all of them and what changed, and receive changes as they happen. An assistant that speaks the Model Context Protocol connects to `/partner/mcp`. Everything is JSON over HTTPS; amounts are in Australian dollars, as numbers or as text with one amount (`50,000`, `1.5m`), times are ISO 8601 in UTC.'

export const KEY_NOTE =
  'Generate an API key under API Keys in the portal, and send it with every call. It is shown only once. Keep it with your server’s secrets, never in a web page or an app. Regenerating that key ends the old one at once; a key with a name works until an owner ends it, so make the next one first. A key with a name may `submit`, `read` or both; the key without a name may submit. Calls that a key may not make get 403.'

/** The error codes of the partner API, by HTTP status. */
export const API_ERRORS: Record<string, readonly ErrorCode[]> = {
  400: ['VALIDATION', 'MALFORMED_REQUEST'],
  401: ['UNAUTHORIZED'],
  403: ['ACCOUNT_SUSPENDED', 'NOT_ALLOWED', 'SECOND_FACTOR_REQUIRED'],
  404: ['NOT_FOUND', 'LEAD_REMOVED', 'DEAL_REMOVED'],
  409: ['IDEMPOTENCY_KEY_REUSED'],
  410: ['START_AGAIN'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
  503: ['UNAVAILABLE'],
}

export const RATE_LIMIT_HEADERS = [
  { name: 'RateLimit-Limit', description: 'Calls that your keys together may make in a minute.' },
  { name: 'RateLimit-Remaining', description: 'Calls that are left.' },
  { name: 'RateLimit-Reset', description: 'Seconds until all calls are available again.' },
]
export const RETRY_AFTER = {
  name: 'Retry-After',
  description: 'With 429 and 503: seconds to wait before the next try.',
}

export const IDEMPOTENCY_NOTE = `Up to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters of your own, such as your reference. If you repeat a request with the same key within ${REMEMBERED_HOURS} hours, you get the first answer again, with \`Idempotency-Replayed: true\`, and nothing is submitted a second time. A different request with the same key is refused. Without a key, the same request again within ${REPEAT_SECONDS} seconds also gets the first answer.`

const HOUR_MS = 3_600_000

export const WEBHOOKS_DESCRIPTION = [
  'Set an HTTPS URL under Webhook in the portal, and each event of your leads and deals is sent to it as a POST.',
  `A delivery is received if your server gives a 2xx answer within ${ATTEMPT_MS_MAX / 1_000} seconds; redirects are not followed.`,
  `A delivery that was not received is tried up to ${ATTEMPTS_MAX} times, with growing pauses.`,
  `A URL is disabled if it answers ${GONE}, or if every attempt fails for ${FAILING_MS_MAX / (24 * HOUR_MS)} days.`,
  'A delivery may come twice or out of order: recognise repeats by `webhook-id`.',
  'Deliveries are signed as the Standard Webhooks specification says.',
].join(' ')

export const WEBHOOK_HEADERS = [
  { name: 'webhook-id', description: 'The delivery’s id, the same with every try.' },
  { name: 'webhook-timestamp', description: 'When this try was sent, in seconds since 1970.' },
  {
    name: 'webhook-signature',
    description: `\`v1,\` and the base64 of HMAC-SHA256 over \`id.timestamp.body\` with your signing secret. For ${PREVIOUS_VALID_MS / HOUR_MS} hours after a change of the secret, there are two such signatures, separated by a space.`,
  },
]

/** Makes the API documentation (section 3 of the specification) from the contract's routes, limits and error codes. */
export function apiDocs(publicUrl: string, mailFrom: string): ApiDocs {
  const baseUrl = apiBaseUrl(publicUrl)
  return {
    title: API_TITLE,
    version: API_VERSION,
    baseUrl,
    description: API_DESCRIPTION,
    authentication: {
      type: 'API key as bearer token',
      note: `${KEY_NOTE} The calls under \`/webhook\` also accept a session’s token.`,
      header: 'Authorization: Bearer <YOUR_API_KEY>',
      tokenLifetime: 'Permanent: an API key does not expire. It ends when an owner regenerates, revokes or ends it.',
    },
    endpoints: DOCUMENTED_ROUTES.map(({ route, description, requestExample, answerExample }) => ({
      method: route.method,
      path: route.path.replace(/:(\w+)/g, '{$1}'),
      description: route.creates
        ? `${description} Send an \`Idempotency-Key\` so that you can safely repeat the call. Without one, the same call again within ${REPEAT_SECONDS} seconds gets the first answer and submits nothing.`
        : description,
      requestBody: route.body ? { fields: documentedFields(route.body), example: requestExample } : null,
      responseExample: { success: true, data: answerExample },
    })),
    examples: codeExamples(baseUrl),
    readExamples: readExamples(baseUrl),
    errorCodes: Object.fromEntries(
      Object.entries(API_ERRORS).flatMap(([status, codes]) =>
        codes.map((code) => [code, `HTTP ${status}. ${ERROR_CODES[code]}`]),
      ),
    ),
    rateLimits: {
      description:
        'All API keys of a business together may make a fixed number of calls a minute, including refused calls. Every answer says how many are left. Beyond the limit the answer is 429 and says when to try again.',
      limits: [
        { name: 'Calls with API keys', limit: `${API_CALLS_PER_MINUTE} a minute` },
        { name: 'Size of a body', limit: `${BODY_BYTES_MAX / 1024} KiB` },
        {
          name: 'Idempotency-Key',
          limit: `${IDEMPOTENCY_KEY_LENGTH_MAX} characters, remembered ${REMEMBERED_HOURS} hours`,
        },
      ],
      headers: [...RATE_LIMIT_HEADERS, RETRY_AFTER],
    },
    webhooks: {
      description: WEBHOOKS_DESCRIPTION,
      headers: WEBHOOK_HEADERS,
      events: Object.entries(EVENT_PAYLOADS).map(([type, { description, example }]) => ({
        type,
        description,
        example,
      })),
      verification: VERIFICATION,
    },
    support: { email: addressOf(mailFrom), documentation: `${publicUrl}/api-docs`, portal: publicUrl },
  }
}

function documentedFields(body: NonNullable<Route['body']>): ApiField[] {
  return bodyFields(body).map(({ name, isRequired, description, schema }) => {
    const words = schema.enum?.filter((word) => word !== null)
    return {
      name,
      required: isRequired,
      type: [schema.type].flat().includes('number')
        ? 'number'
        : schema.format === 'date'
          ? 'date'
          : typeName(schema.type),
      description: words ? `${description}. One of: ${words.join(', ')}.` : `${description}.`,
    }
  })
}

function typeName(type: string | string[] | undefined): string {
  return [type].flat().find((one) => one !== 'null') ?? 'string'
}

/** Returns `portal@example.com` from `Partner Portal <portal@example.com>`. */
function addressOf(sender: string): string {
  return /<([^<>]+)>/.exec(sender)?.[1] ?? sender
}
