import type { Pagination } from '@portal/contract/answer.ts'
import type { Auth, PathParams, Route } from '@portal/contract/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { NotFound } from '../errors.ts'
import type { Authenticate, Caller } from './authenticate.ts'
import { answerOnce } from './idempotency.ts'
import { invalid } from './invalid.ts'
import type { Limit } from './rate-limit.ts'

type Schema = z.ZodMiniType
type Parsed<S> = S extends Schema ? z.output<S> : undefined

/** What a handler gets: everything checked, nothing of HTTP but the caller's address. */
export interface Call<Path extends string, Query, Body, Who extends Auth> {
  partner: Who extends 'none' ? undefined : Caller
  params: PathParams<Path>
  query: Parsed<Query>
  body: Parsed<Body>
  /** The caller's address, for limits. */
  ip: string
  /** Counts one against a limit and tells the caller how much is left (D14). */
  limit: Limit
}

interface CreatingCall<Path extends string, Query, Body, Who extends Auth> extends Call<Path, Query, Body, Who> {
  /** Everything that the call creates is written here, with the answer that a repeat gets (D9). */
  tx: Tx
}

/** What a handler of a `paged` route returns. */
export interface Paged<Data> {
  data: Data
  pagination: Pagination
}

/** The call goes on after its answer (202). */
export class Accepted<Data> {
  readonly data: Data
  constructor(data: Data) {
    this.data = data
  }
}

export interface Mount {
  <
    Path extends string,
    Query extends Schema | undefined,
    Body extends Schema | undefined,
    Answer extends Schema,
    Later extends Schema | undefined,
    Who extends Auth,
  >(
    route: Route<Path, Query, Body, Answer, Later, Who>,
    handler: (call: Call<Path, Query, Body, Who>) => Promise<Result<Answer, Later>>,
  ): void
  /** For routes that create: the handler runs in one transaction and a repeat gets the first answer. */
  creating: <
    Path extends string,
    Query extends Schema | undefined,
    Body extends Schema | undefined,
    Answer extends Schema,
    Later extends Schema | undefined,
    Who extends Auth,
  >(
    route: Route<Path, Query, Body, Answer, Later, Who>,
    handler: (call: CreatingCall<Path, Query, Body, Who>) => Promise<Result<Answer, Later>>,
  ) => void
}

type Result<Answer, Later> =
  | Parsed<Answer>
  | Paged<Parsed<Answer>>
  | (Later extends Schema ? Accepted<Parsed<Later>> : never)

/** Turns contract routes into Fastify routes: caller, parse, handler, parse of the answer, envelope, status (D5, D6). */
export function createMount(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock'>,
  authenticate: Authenticate,
  limiter: LimitFor,
): Mount {
  const mount: Mount = (route, handler) =>
    add(app, route, async (request, reply) => {
      const call = await readCall(route, request, reply)
      send(reply, route, await handler(call))
    })
  mount.creating = (route, handler) =>
    add(app, route, async (request, reply) => {
      const call = await readCall(route, request, reply)
      const answer = await answerOnce(deps, request, call.partner?.id, async (tx) => {
        return envelope(route, await handler({ ...call, tx }))
      })
      if (answer.isReplayed) reply.header('idempotency-replayed', 'true')
      reply.status(answer.status).send(answer.body)
    })
  return mount

  async function readCall<Path extends string, Query, Body, Who extends Auth>(
    route: { auth: Who; query: Query; body: Body; path: Path },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call<Path, Query, Body, Who>> {
    const partner = await authenticate(request, route.auth)
    return {
      partner,
      params: request.params,
      query: parse(route.query, request.query),
      body: parse(route.body, request.body),
      ip: request.ip,
      limit: limiter(reply),
    } as Call<Path, Query, Body, Who> // each part was checked above against the same route
  }
}

type LimitFor = (reply: FastifyReply) => Limit

function add(
  app: FastifyInstance,
  route: { method: Route['method']; path: string },
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  app.route({ method: route.method, url: `/api${route.path}`, handler })
}

function parse(schema: unknown, input: unknown): unknown {
  if (!isSchema(schema)) {
    if (input && Object.keys(input).length > 0) throw unexpected(Object.keys(input))
    return undefined
  }
  const parsed = schema.safeParse(input ?? {})
  if (!parsed.success) throw invalid(parsed.error.issues)
  return parsed.data
}

function unexpected(keys: string[]) {
  return invalid([{ code: 'unrecognized_keys', keys, path: [], message: '' }])
}

function isSchema(schema: unknown): schema is Schema {
  return schema !== undefined
}

function send(reply: FastifyReply, route: Route, result: unknown): void {
  const { status, body } = envelope(route, result)
  reply.status(status).send(body)
}

/** Parsing the answer drops every column that the contract does not name. */
function envelope(route: Route, result: unknown): { status: number; body: object } {
  if (result instanceof Accepted) {
    if (!route.accepted) throw new Error(`${route.path} has no accepted answer`)
    return { status: 202, body: { success: true, data: route.accepted.parse(result.data) } }
  }
  const { status } = route
  if (route.envelope === 'paged') {
    const { data, pagination } = result as Paged<unknown>
    return { status, body: { success: true, data: route.answer.parse(data), pagination } }
  }
  const answer = route.answer.parse(result)
  const body = route.envelope === 'bare' ? { success: true, ...(answer as object) } : { success: true, data: answer }
  return { status, body }
}

/** For addresses that no route has. */
export function noSuchAddress(): never {
  throw new NotFound('There is no such address in this API')
}
