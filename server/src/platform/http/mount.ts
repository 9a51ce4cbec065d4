import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Pagination } from '@portal/contract/answer.ts'
import type { Auth, PathParams, Route } from '@portal/contract/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { $ZodType } from 'zod/v4/core'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../db/database.ts'
import type { ReadSource, Replica } from '../db/replica.ts'
import { type Authenticate, type CallerOf, whoOf } from './authenticate.ts'
import { ExportFile } from './export-file.ts'
import { holdBytes } from './hold-bytes.ts'
import { answerOnce, type Creation, createOnce, findFirstAnswer } from './idempotency.ts'
import { invalidFromIssues } from './invalid-from-issues.ts'
import { parseInput } from './parse-input.ts'
import type { Limit } from './rate-limit.ts'
import { bytesMaxOf, readBytes } from './read-bytes.ts'
import { type FindConfirmation, requireAdmission, requireConfirmed } from './require-admission.ts'
import { type NoteSecurity, noteSecurity, type StoreSecurity } from './security-events.ts'
import { answerHeaders, logAnswer, STREAM_HEADERS } from './server.ts'
import { RequestVisitor, type Visitor } from './visitor.ts'

type Schema = z.ZodMiniType
type Parsed<S> = S extends Schema ? z.output<S> : undefined

/** How long a check of the caller stays valid. */
const ADMITTED_MS = 1_000

declare module 'fastify' {
  interface FastifyRequest {
    /** When the caller was last checked, in milliseconds. */
    admittedAt: number
  }
}

/** A handler's input, already checked. Only `visitor` describes the HTTP request itself. */
export interface Call<Path extends string, Query, Body, Answer, Who extends Auth> {
  partner: CallerOf<Who>
  params: PathParams<Path>
  query: Parsed<Query>
  body: Parsed<Body>
  /**
   * Reads the body of a route that takes bytes, into the given buffer or one of its own. Undefined for any other route, and
   * if no bytes were sent. Call it once.
   */
  bytes: (into?: Buffer) => Promise<Buffer | undefined>
  visitor: Visitor
  /** A header of the request, for a protocol whose messages have headers of their own. */
  header: (name: string) => string | undefined
  /** Counts one call against a limit and tells the caller how much is left (D14). */
  limit: Limit
  /** Notes a security event. The event's partner and person are the caller's, unless the facts name others. */
  security: NoteSecurity
  /**
   * Routes that create records use this to write. `work` runs in one transaction and returns the answer. A repeated
   * request with the same `Idempotency-Key` gets the first answer and does not run `work` again (D9).
   */
  once: (work: (tx: Tx) => Promise<Parsed<Answer>>) => Promise<Parsed<Answer>>
  /** Like `once`, for a route that has read everything before it writes: all of it is one statement. */
  create: (creation: Creation<Parsed<Answer>>) => Promise<Parsed<Answer>>
  /**
   * Lists, searches and the dashboard use this to read. It reads from the replica if the replica has the partner's last
   * change, otherwise from the primary (D90). `work` can run twice.
   */
  fromReplica: <T>(work: (from: ReadSource) => Promise<T>) => Promise<T>
}

/** Ends the handler of a repeated call at its first count, or before its first write: the first answer is given again. */
class Repeated extends Error {}

/** The result of a handler of a `paged` route. */
export interface Paged<Data> {
  data: Data
  pagination: Pagination
}

/** A result that is answered with 202, while the work continues. */
export class Accepted<Data> {
  readonly data: Data
  constructor(data: Data) {
    this.data = data
  }
}

/** The answer of a `file` route that passes somebody's file on. It is saved, and never shown as a page. */
export class OpenedFile {
  readonly name: string
  readonly type: string
  readonly stream: Readable
  constructor(name: string, type: string, stream: Readable) {
    this.name = name
    this.type = type
    this.stream = stream
  }
}

/** A call that can become a stream. */
export interface StreamCall {
  /** The last id that the caller received; some messages have no id. Undefined on the first call. */
  lastEventId: string | undefined
  /** Answers 200. From then on the stream writes the answer. */
  accept(): ServerResponse
}

/** The answer of a `stream` route. `begin` accepts the call, or throws. */
export class Streamed {
  readonly begin: (call: StreamCall) => void
  constructor(begin: Streamed['begin']) {
    this.begin = begin
  }
}

type Result<Answer, Later> =
  | Parsed<Answer>
  | Paged<Parsed<Answer>>
  | Streamed
  | ExportFile
  | OpenedFile
  | (Later extends Schema ? Accepted<Parsed<Later>> : never)

export type Mount = <
  Path extends string,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Answer extends Schema,
  Later extends Schema | undefined,
  Who extends Auth,
>(
  route: Route<Path, Query, Body, Answer, Later, Who>,
  handler: (call: Call<Path, Query, Body, Answer, Who>) => Promise<Result<Answer, Later>>,
) => void

interface MountSettings {
  findConfirmation: FindConfirmation
  storeSecurity: StoreSecurity
  replica: Pick<Replica, 'read'> | undefined
}

/**
 * Turns contract routes into Fastify routes: checks the caller, the role and the right, parses the input, runs the
 * handler, parses the answer and sets envelope and status (D5, D6).
 */
export function createMount(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'pool' | 'reads' | 'clock' | 'publicUrl'>,
  authenticate: Authenticate,
  limiter: (reply: FastifyReply) => Limit,
  { findConfirmation, storeSecurity, replica }: MountSettings,
): Mount {
  app.decorateRequest('caller', null)
  app.decorateRequest('admittedAt', 0)
  return (route, handler) => {
    type ThisCall = Parameters<typeof handler>[0]
    // Compiled at the first answer, because compiling the schemas of all routes would add up to 50 ms to the start.
    let compiled: typeof route.answer | undefined
    const answerSchema = () => (compiled ??= z.compile(route.answer))
    const isSecure = () => deps.publicUrl.startsWith('https:')
    async function admit(request: FastifyRequest, reply: FastifyReply) {
      request.admittedAt = deps.clock.now().getTime()
      await authenticate(request, reply, route.auth)
      requireAdmission(request.caller, route, reply)
      if (route.asksAgain === true) await requireConfirmed(request.caller, findConfirmation)
    }
    async function admitAgain(request: FastifyRequest, reply: FastifyReply) {
      if (deps.clock.now().getTime() - request.admittedAt > ADMITTED_MS) await admit(request, reply)
    }
    app.route({
      method: route.method,
      url: `/api${route.path}`,
      exposeHeadRoute: route.envelope !== 'stream' && route.envelope !== 'file',
      config: {
        ignoresBody: route.body === undefined && route.bytesMax === undefined && ignoresUnknown(route),
        hasEntityTag: route.method === 'GET' && route.auth === 'api-key',
        takesBytes: route.bytesMax !== undefined,
      },
      ...(route.bytesMax !== undefined && { bodyLimit: route.bytesMax }),
      // The caller is checked before the body is read, because a stranger's body is not worth reading.
      onRequest: admit,
      // Sending the body can take a long time, and the caller can lose access in the meantime.
      preHandler: admitAgain,
      handler: async (request, reply) => {
        const partner = request.caller ?? undefined
        const visitor: Visitor = new RequestVisitor(request, reply, isSecure())
        const security: NoteSecurity = (db, event, facts) => {
          const { ip, browser } = visitor
          const noted = { log: request.log, store: storeSecurity }
          return noteSecurity(noted, db, event, { ...whoOf(request.caller), ip, browser, ...facts })
        }
        // The look for an earlier answer leaves together with what the handler reads first.
        const looking = route.creates ? findFirstAnswer(deps, request, partner?.id) : undefined
        looking?.catch(() => undefined)
        const unlessRepeated = async () => {
          if (await looking) throw new Repeated()
        }
        const count = limiter(reply)
        let release = () => {}
        const told = async (answered: () => ReturnType<typeof answerOnce>) => {
          await unlessRepeated()
          const { answer, isReplayed } = await answered()
          if (isReplayed) reply.header('idempotency-replayed', 'true')
          return answer
        }
        const parsed = {
          partner,
          params: request.params,
          query: parse(route, route.query, withoutBlanks(request.query)),
          body: parse(route, route.body, request.body),
          bytes: async (into?: Buffer) => {
            if (!into) release = holdBytes(partner?.id ?? visitor.ip, bytesMaxOf(request))
            const read = await readBytes(request, into)
            await admitAgain(request, reply)
            return read
          },
          visitor,
          header: (name: string) => request.headers[name]?.toString(),
          limit: async (...counted: Parameters<Limit>) => {
            await unlessRepeated()
            return count(...counted)
          },
          security,
          once: (work: (tx: Tx) => Promise<unknown>) =>
            told(() => answerOnce(deps, request, partner?.id, async (tx) => z.parse(answerSchema(), await work(tx)))),
          create: ({ answer, writes }: Creation<unknown>) =>
            told(() => createOnce(deps, request, partner?.id, { answer: z.parse(answerSchema(), answer), writes })),
          fromReplica: <T>(work: (from: ReadSource) => Promise<T>) =>
            partner && replica ? replica.read(partner.id, work) : work(deps),
        }
        // oxlint-disable-next-line typescript/consistent-type-assertions -- each part was checked against this route
        const call = parsed as ThisCall
        if (typeof route.asksAgain === 'function' && route.asksAgain(call.body)) {
          await requireConfirmed(request.caller, findConfirmation)
        }
        const result = await handler(call)
          .finally(() => release())
          .catch(async (error: unknown) => {
            const first = await looking
            if (!first) throw error
            reply.header('idempotency-replayed', 'true')
            return first.answer
          })
        if (result instanceof Streamed) return beginStream(request, reply, result, isSecure())
        if (result instanceof ExportFile || result instanceof OpenedFile) {
          request.budget?.end()
          return reply.headers(headersOf(result)).send(result.stream)
        }
        // A protocol of its own has no body for what needs no answer.
        if (result instanceof Accepted && route.envelope === 'whole') return reply.status(202).send()
        const { status, body } = envelope(route, answerSchema(), result)
        return reply.status(status).send(body)
      },
    })
  }
}

function beginStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { begin }: Streamed,
  isSecure: boolean,
): FastifyReply {
  // A caller who left during the checks would never end the stream.
  if (reply.raw.destroyed) return reply.hijack()
  const lastEventId = request.headers['last-event-id']
  begin({
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    accept() {
      reply.hijack()
      // A stream has no end that its caller waits for.
      request.budget?.end()
      reply.raw.on('close', () => logAnswer(request, reply))
      const headers = { ...reply.getHeaders(), ...answerHeaders(request, isSecure), ...STREAM_HEADERS }
      for (const [name, value] of Object.entries(headers)) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      return reply.raw.writeHead(200)
    },
  })
  return reply
}

function headersOf(file: ExportFile | OpenedFile) {
  const [type, name] =
    file instanceof ExportFile
      ? ['text/csv; charset=utf-8', `filename="${file.name}"`]
      : [file.type, `filename*=UTF-8''${encodeURIComponent(file.name).replace(/['()*]/g, encodeCharacter)}`]
  return { 'content-type': type, 'content-disposition': `attachment; ${name}` }
}

/** The characters that a name in a header may not have, though `encodeURIComponent` leaves them (RFC 8187). */
function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** A blank filter is treated as absent (D46). */
function withoutBlanks(query: unknown): unknown {
  const given = Object.entries(Object(query)).filter(([, value]) => typeof value !== 'string' || value.trim() !== '')
  return Object.fromEntries(given)
}

/**
 * Parses input with the route's schema. Without a schema, input is ignored, except on routes for systems with an API
 * key. Those routes refuse unknown fields and name them, because a typing mistake would lose data (D46).
 */
function parse(route: Route, schema: Schema | undefined, input: unknown): unknown {
  if (schema) return parseInput(schema, input === undefined ? {} : input)
  if (ignoresUnknown(route) || input === undefined || input === null) return undefined
  const keys = Object.keys(input)
  // A number has no keys, but is unknown input all the same.
  if (typeof input !== 'object' || keys.length > 0) {
    throw invalidFromIssues(
      typeof input === 'object' ? [{ code: 'unrecognized_keys', keys, path: [], message: '' }] : [],
    )
  }
  return undefined
}

function ignoresUnknown({ auth }: Route): boolean {
  return auth !== 'api-key' && auth !== 'session-or-api-key'
}

/** Parsing the answer drops every column that the contract does not name. */
function envelope(route: Route, schema: $ZodType, result: unknown): { status: number; body: object } {
  const { status } = route
  if (result instanceof Accepted) {
    if (!route.accepted) throw new Error(`${route.path} has no accepted answer`)
    return { status: 202, body: { success: true, data: route.accepted.parse(result.data) } }
  }
  if (route.envelope === 'paged') {
    if (!isPage(result)) throw new Error(`${route.path} did not answer with a page`)
    return { status, body: { success: true, data: z.parse(schema, result.data), pagination: result.pagination } }
  }
  const answer = z.parse(schema, result)
  if (route.envelope === 'whole') return { status, body: Object(answer) }
  const body = route.envelope === 'bare' ? Object.assign({ success: true }, answer) : { success: true, data: answer }
  return { status, body }
}

function isPage(result: unknown): result is Paged<unknown> {
  return typeof result === 'object' && result !== null && 'data' in result && 'pagination' in result
}
