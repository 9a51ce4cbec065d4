import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { KEY_RIGHTS } from './key-rights.ts'
import { API_KEY_NAME_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { inOneLine, requiredText } from './text.ts'

/**
 * What the portal shows about the specification's one API key (D39), which may submit. The key itself is stored only as
 * a hash.
 */
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

const NO_RIGHT = 'Choose what the key may do'

/** One of the keys that a business gives to its systems, beside the one key above (D84). */
export const NamedKey = z.object({
  id: z.string(),
  name: z.string(),
  rights: z.array(z.enum(KEY_RIGHTS)),
  /** The key's first eight characters, followed by dots. */
  preview: z.string(),
  created_at: Instant,
  /** The person who made it. Null if the person's data was erased. */
  made_by: z.nullable(z.string()),
  /** Accurate to the minute. */
  last_used_at: z.nullable(Instant),
})
export type NamedKey = z.infer<typeof NamedKey>

export const NewNamedKey = z.object({
  name: requiredText('Name', API_KEY_NAME_LENGTH_MAX).check(inOneLine('Name')),
  rights: z.pipe(
    z
      .array(z.enum(KEY_RIGHTS, `rights must be of: ${KEY_RIGHTS.join(', ')}`), NO_RIGHT)
      .check(z.minLength(1, NO_RIGHT), z.maxLength(KEY_RIGHTS.length, NO_RIGHT)),
    z.transform((chosen) => KEY_RIGHTS.filter((right) => chosen.includes(right))),
  ),
})
export type NewNamedKey = z.output<typeof NewNamedKey>

const NamedKeys = z.object({ keys: z.array(NamedKey) })

export const listNamedKeys = defineRoute({
  method: 'GET',
  path: '/dashboard/api-keys',
  auth: 'session',
  least: 'owner',
  answer: NamedKeys,
  summary: 'The API keys with a name, the newest first.',
})

/** Does not accept an `Idempotency-Key`, for the same reason as `generateApiKey`. */
export const makeNamedKey = defineRoute({
  method: 'POST',
  path: '/dashboard/api-keys',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  body: NewNamedKey,
  answer: z.extend(NamedKeys, { api_key: z.string() }),
  status: 201,
  summary: 'Makes an API key with a name and rights, which is shown only once. No other key changes.',
})

export const endNamedKey = defineRoute({
  method: 'DELETE',
  path: '/dashboard/api-keys/:id',
  auth: 'session',
  least: 'owner',
  answer: NamedKeys,
  summary: 'Ends one API key with a name at once.',
})
