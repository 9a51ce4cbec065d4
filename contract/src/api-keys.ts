import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** The part of a key that anybody may see (D39). The whole key is stored only as a hash. */
export const ApiKeyStatus = z.object({
  has_api_key: z.boolean(),
  /** The first eight characters and dots. */
  api_key_preview: z.nullable(z.string()),
  business_name: z.string(),
  last_generated: z.nullable(Instant),
  /** To the minute. */
  last_used: z.nullable(Instant),
  /** The base URL of the calls that take the key, as in the API documentation. */
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
 * Does not take an `Idempotency-Key`: a remembered answer would keep the key itself (D39). A repeat makes another key,
 * which is what generating means.
 */
export const generateApiKey = defineRoute({
  method: 'POST',
  path: '/dashboard/generate-api-key',
  auth: 'session',
  least: 'owner',
  asksAgain: 'with-second-factor',
  answer: z.extend(ApiKeyStatus, { api_key: z.string() }),
  status: 201,
  summary: 'Makes a new API key, shown only once; an older one stops working at once.',
})

export const revokeApiKey = defineRoute({
  method: 'DELETE',
  path: '/dashboard/revoke-api-key',
  auth: 'session',
  least: 'owner',
  answer: ApiKeyStatus,
  summary: 'Ends the API key at once.',
})
