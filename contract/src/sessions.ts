import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** A browser in which the person is signed in (D65). */
export const Session = z.object({
  /** Identifies the session. It gives no access. */
  id: z.string(),
  /** The names of the browser and its operating system, if the portal recognises them. */
  browser: z.nullable(z.string()),
  /** The IP address of the sign-in. Null for a sign-in from before the portal stored addresses. */
  ip: z.nullable(z.string()),
  first_seen_at: Instant,
  last_seen_at: Instant,
  is_this_one: z.boolean(),
})
export type Session = z.infer<typeof Session>

export const listSessions = defineRoute({
  method: 'GET',
  path: '/account/sessions',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ sessions: z.array(Session) }),
  summary: 'The person’s sessions, most recently used first. A person has at most 100.',
})

export const endSession = defineRoute({
  method: 'DELETE',
  path: '/account/sessions/:id',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  answer: Nothing,
  summary: 'Ends one of the person’s sessions.',
})

export const endOtherSessions = defineRoute({
  method: 'POST',
  path: '/account/sessions/end-others',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  answer: Nothing,
  summary: 'Ends all of the person’s sessions but this one.',
})
