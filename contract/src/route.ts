import type * as z from 'zod/mini'
import type { KeyRight } from './key-rights.ts'
import type { PersonRight } from './person-rights.ts'
import type { Role } from './roles.ts'

/**
 * Who may call a route: anybody, a signed-in person, or a system with an API key. On a `session-or-none` route, an
 * ended session counts as no session.
 */
export type Auth = 'none' | 'session' | 'api-key' | 'session-or-api-key' | 'session-or-none'
/** Only routes that accept a session check the role, and only those that accept an API key check its rights. */
type SessionAuth = Exclude<Auth, 'none' | 'api-key'>
type KeyAuth = Extract<Auth, 'api-key' | 'session-or-api-key'>

/**
 * How an answer is wrapped (D5, D6): `data` as `{success, data}`, `paged` as `{success, data, pagination}`, `bare` as
 * `success` with the answer's own fields beside it, `whole` as the answer itself, for a protocol that has its own form, `stream` as a series of server-sent events, `file` as the bytes of a file.
 */
export type Envelope = 'data' | 'paged' | 'bare' | 'whole' | 'stream' | 'file'

type Schema = z.ZodMiniType

export interface Route<
  Path extends string = string,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Answer extends Schema = Schema,
  Accepted extends Schema | undefined = Schema | undefined,
  Caller extends Auth = Auth,
  Wrap extends Envelope = Envelope,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to `/api`, with parameters as `:name`. */
  path: Path
  auth: Caller
  /** The least role that may call the route (D61). Undefined for a route that accepts no session. */
  least: Role | undefined
  /** The right that an API key needs for the route (D84). Undefined for a route that accepts no key. */
  right: KeyRight | 'any' | undefined
  /** The right that a person needs for the route besides the role (D111). */
  personRight: PersonRight | undefined
  /** Whether the route requires that the person confirmed within the last 15 minutes who they are (D66, D130). */
  asksAgain: AsksAgain<Body>
  /** Whether a person who still has to set up a second factor may call the route. */
  beforeSecondFactor: boolean
  query: Query
  body: Body
  /** Set for a route whose body is bytes instead of JSON: at most this many. */
  bytesMax: number | undefined
  answer: Answer
  /** The answer (202) to a call whose work continues in the background. */
  accepted: Accepted
  envelope: Wrap
  status: 200 | 201 | 202
  /** Whether the route runs in one transaction and honours `Idempotency-Key`, so that a repeat creates nothing (D9). */
  creates: boolean
  summary: string
}

/** A function decides by the body, for a route with which a person can also end access. */
type AsksAgain<Body> = boolean | ((body: Body extends Schema ? z.output<Body> : undefined) => boolean)

/** Requires `least` for a route that accepts a session. Only a person has a right of a person. */
type LeastRole<Caller> = Caller extends SessionAuth
  ? { least: Role; personRight?: PersonRight }
  : { least?: undefined; personRight?: undefined }

/** Requires `right` for a route that accepts an API key. */
type NeededRight<Caller> = Caller extends KeyAuth ? { right: KeyRight | 'any' } : { right?: undefined }

interface RouteDefinition<Path, Query, Body, Answer, Accepted, Caller, Wrap> {
  method: Route['method']
  path: Path
  auth: Caller
  asksAgain?: AsksAgain<Body>
  beforeSecondFactor?: boolean
  query?: Query
  body?: Body
  bytesMax?: number
  answer: Answer
  accepted?: Accepted
  envelope?: Wrap
  status?: Route['status']
  creates?: boolean
  summary: string
}

/** Defines one route of the API. The server mounts it, and the web app or a partner's own system calls it. */
export function defineRoute<
  const Path extends string,
  const Caller extends Auth,
  Answer extends Schema,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Accepted extends Schema | undefined = undefined,
  const Wrap extends Envelope = 'data',
>(
  definition: RouteDefinition<Path, Query, Body, Answer, Accepted, Caller, Wrap> &
    LeastRole<Caller> &
    NeededRight<Caller>,
): Route<Path, Query, Body, Answer, Accepted, Caller, Wrap> {
  const { least, right, personRight, query, body, bytesMax, accepted, envelope, ...rest } = definition
  return {
    status: 200,
    creates: false,
    beforeSecondFactor: false,
    asksAgain: false,
    ...rest,
    least,
    right,
    personRight,
    bytesMax,
    /* oxlint-disable typescript/consistent-type-assertions -- absent and undefined are the same here, which the type of
       an optional property cannot say; without an envelope, Wrap is 'data' */
    envelope: envelope ?? ('data' as Wrap),
    query: query as Query,
    body: body as Body,
    accepted: accepted as Accepted,
    /* oxlint-enable typescript/consistent-type-assertions */
  }
}

/** The names of a path's parameters: `{id: string}` for `'/crm/lead/:id'`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : Record<never, never>
