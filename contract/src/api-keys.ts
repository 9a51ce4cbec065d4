import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** What the portal shows about an existing API key (D39). The key itself is stored only as a hash. */
export const ApiKeyStatus = z.object({
  has_api_key: z.boolean(),
  /** The key's first eight characters, followed by dots. */
  api_key_preview: z.nullable(z.string()),
  business_name: z.string(),
  last_generated: z.nullable(Instant),
  /** Accurate to the minute. */
  last_used: z.nullable(Instant),
  /** The base URL of the calls that accept the key, as in the API documentation. */
  base_url: z.string(),
})
export type ApiKeyStatus = z.infer<typeof ApiKeyStatus>

export const readApiKeyStatus = defineRoute({
  method: 'GET',
  path: '/dashboard/api-key-status',
  auth: 'session',
  least: 'owner',
  answer: ApiKeyStatus,
  summary: 'Whether there is an API key, its first characters, and when it was last used.',
})

/**
 * Does not accept an `Idempotency-Key`, because the server would have to store the answer, and the API key in it (D39).
 * A repeated call makes another API key.
 */
export const generateApiKey = defineRoute({
  method: 'POST',
  path: '/dashboard/generate-api-key',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  answer: z.extend(ApiKeyStatus, { api_key: z.string() }),
  status: 201,
  summary: 'Makes a new API key, which is shown only once. The previous key, if any, stops working at once.',
})

export const revokeApiKey = defineRoute({
  method: 'DELETE',
  path: '/dashboard/revoke-api-key',
  auth: 'session',
  least: 'owner',
  answer: ApiKeyStatus,
  summary: 'Ends the API key at once.',
})
