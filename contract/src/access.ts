import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** The ways into an account and its data, apart from the password. */
export const ACCESS_KINDS = ['session', 'passkey', 'app', 'api-key', 'webhook', 'person', 'invitation'] as const
export type AccessKind = (typeof ACCESS_KINDS)[number]

export const ACCESS_KIND_NAMES: Record<AccessKind, string> = {
  session: 'Session',
  passkey: 'Passkey',
  app: 'Authenticator app',
  'api-key': 'API key',
  webhook: 'Webhook URL',
  person: 'Person',
  invitation: 'Invitation',
}

/** What came within this time is marked, because an intruder may have planted it (D130). */
export const RECENT_ACCESS_DAYS = 30

export const AccessRef = z.object({
  kind: z.enum(ACCESS_KINDS, { error: `kind must be one of: ${ACCESS_KINDS.join(', ')}` }),
  /** The id of a session, passkey, key with a name, person or invitation. There is only one app, unnamed API key and webhook URL. */
  id: z.string({ error: 'id must be text' }).check(z.maxLength(36, 'id must be an id')),
})
export type AccessRef = z.infer<typeof AccessRef>

/** Something that can get into the account or receive its data (D130). */
export const AccessItem = z.extend(AccessRef, {
  /** A session's browser, a passkey's or key's name, an unnamed key's first characters, a webhook's host, or a person's name. */
  name: z.string(),
  /** A session's IP address, what a key with a name may do, or a person's email address and role. */
  detail: z.nullable(z.string()),
  added_at: Instant,
  last_used_at: z.nullable(Instant),
  /** Whether it was added in the last 30 days. */
  is_recent: z.boolean(),
  /** The session that calls. */
  is_this_one: z.boolean(),
})
export type AccessItem = z.infer<typeof AccessItem>

/** What a new password removed, and what can still get in. */
export const SettledAccess = z.object({ removed: z.array(AccessItem), left: z.array(AccessItem) })
export type SettledAccess = z.infer<typeof SettledAccess>

const AccessList = z.object({ items: z.array(AccessItem) })

export const readAccess = defineRoute({
  method: 'GET',
  path: '/account/access',
  auth: 'session',
  least: 'viewer',
  answer: AccessList,
  summary:
    'Everything that can get in: the person’s sessions, passkeys and app; for an owner also the API keys, the webhook URL, the other people and the open invitations.',
})
