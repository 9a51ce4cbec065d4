import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { mayTell, RECORD_EVENT_TYPES } from './event-types.ts'
import type { PersonRight } from './person-rights.ts'
import { type Role, reaches } from './roles.ts'
import { defineRoute } from './route.ts'

/** How many open pages of one person a server process allows. */
export const STREAMS_OF_PERSON_MAX = 10
/** How many missed events a stream repeats. If there are more, it sends `stream.reset` instead. */
export const MISSED_EVENTS_MAX = 1_000

/**
 * Events (D35), then other changes that pages show, then messages about the stream itself. The other changes have no
 * id, so a page misses those that happen while its stream is broken; a new page gets those of the partner and the team that it may have missed.
 */
const LIVE_TYPES = [
  ...RECORD_EVENT_TYPES,
  /** The record's `crm` changed, or the lender changed one of its fields. */
  'lead.changed',
  'deal.changed',
  'note.changed',
  'document.changed',
  'sync.progressed',
  'sync.ended',
  'webhook.logged',
  'endpoint.changed',
  /** Somebody marked an item of 'Needs attention' as done. */
  'attention.changed',
  'team.changed',
  /** The lender changed what its CRM says of the partner itself. */
  'partner.changed',
  'security.logged',
  /** Sent once in each stream, after the events that the page missed. */
  'stream.opened',
  /** The page missed more events than a stream repeats, so all its data may be out of date. */
  'stream.reset',
] as const
const LiveType = z.enum(LIVE_TYPES)
export type LiveType = z.infer<typeof LiveType>

const LIVE_KINDS = [
  'lead',
  'deal',
  'note',
  'request',
  'document',
  'sync',
  'webhook',
  'endpoint',
  'attention',
  'team',
  'partner',
  'security',
  'stream',
] as const
const LiveKind = z.enum(LIVE_KINDS)

/** The `data` of one message in the stream (D70). */
export const LiveMessage = z.object({
  type: LiveType,
  loid: z.nullable(z.string()),
  /** What the message is about: the first word of `type`. */
  kind: LiveKind,
  at: Instant,
})
export type LiveMessage = z.infer<typeof LiveMessage>

/** Makes a message. Undefined for a type that only another version of the portal knows. */
export function liveMessage(type: string, loid: string | null, at: string): LiveMessage | undefined {
  return LiveMessage.safeParse({ type, loid, kind: type.split('.', 1)[0], at }).data
}

const OWNERS_KINDS: readonly LiveMessage['kind'][] = ['webhook', 'endpoint', 'security']

/** What the person who has a page open may see. */
export interface Hearing {
  role: Role
  personRights: readonly PersonRight[]
}

/** Nobody gets messages about data that the role or the rights do not allow to see (D61, D111). */
export function mayHear({ role, personRights }: Hearing, { kind, type }: LiveMessage): boolean {
  return mayTell(type, personRights) && (!OWNERS_KINDS.includes(kind) || reaches(role, 'owner'))
}

export const readLive = defineRoute({
  method: 'GET',
  path: '/live',
  auth: 'session',
  least: 'viewer',
  answer: LiveMessage,
  envelope: 'stream',
  summary:
    'A stream of what happens to the partner’s records, as server-sent events. Send `Last-Event-ID` to resume it.',
})
