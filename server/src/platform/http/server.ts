import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import cookie from '@fastify/cookie'
import { BODY_BYTES_MAX } from '@portal/contract/limits.ts'
import Fastify, {
  errorCodes,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { TimeBudget, withinBudget } from '../db/time-budget.ts'
import { PortalError } from '../errors.ts'
import { IncomingMessage, maxHeaderSize, ServerResponse } from '../node-http.ts'
import { inTrace, readTraceparent, type Span, type Spans, type Trace, traceOf } from '../trace.ts'
import { whoOf } from './authenticate.ts'
import { answerUnreadable, handleError } from './error-handler.ts'
import { refuseUnderOverload } from './refuse-under-overload.ts'

interface ServerSettings {
  isSecure: boolean
  trustProxy: string[]
  requestTimeoutMs: number
  connectionsMax: number
  /** How long the statements of one request may take together. */
  databaseMsMax: number
  /**
   * While the portal is stopping, each answer closes its connection, so that no caller sends a request on a connection
   * that is about to close.
   */
  isStopping(): boolean
  /** Records requests; absent without OpenTelemetry. */
  spans?: Spans | undefined
  /** Called after each answer that is not a stream. */
  onAnswered?: ((answered: Answered) => void) | undefined
}

export interface Answered {
  method: string
  /** The registered route; absent if no route matches the address. */
  route?: string | undefined
  status: number
  ms: number
}

/**
 * Creates Fastify with the settings that all routes share: request ids, headers, limits, errors and protection from
 * overload.
 */
export async function createServer(
  log: Logger,
  {
    isSecure,
    trustProxy,
    requestTimeoutMs,
    connectionsMax,
    databaseMsMax,
    isStopping,
    spans,
    onAnswered,
  }: ServerSettings,
): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = log
  const app = Fastify({
    loggerInstance,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestTimeoutMs,
    // Closes the connections of callers who do not read their answers.
    connectionTimeout: 2 * requestTimeoutMs,
    http: {
      // Node enforces the time limit on the whole request only if the limit on the request's head is not longer.
      headersTimeout: requestTimeoutMs / 2,
      connectionsCheckingInterval: requestTimeoutMs / 6,
    },
    trustProxy,
    forceCloseConnections: 'idle',
    // During a stop, a request on an open connection is answered like any other request.
    return503OnClosing: false,
    // A parameter can be as long as a whole address, so that an id that is too long is answered like an unknown id.
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url = '/' }) => (isApi(url) ? url : decodable(url)),
    frameworkErrors: handleError,
    clientErrorHandler: (error, socket) =>
      answerUnreadable(error, socket, isSecure ? [`strict-transport-security: ${HSTS}`] : []),
    logController: new LogController({ disableRequestLogging: true }),
    // The contract checks requests and answers; loading Fastify's own validation at each start would be useless.
    schemaController: { compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing } },
  })
  app.server.maxConnections = connectionsMax
  app.setErrorHandler(handleError)
  app.addHook('onResponse', async (request, reply) => {
    // The head of this answer may have kept the connection, and the stop waits until it is closed.
    if (isStopping() && !app.server.listening) request.raw.socket.end()
    // A stream lasts while its page is open, so its duration says nothing about the portal. A stream logs its own end,
    // even if the caller leaves.
    if (reply.raw.getHeader('content-type') === STREAM_HEADERS['content-type']) return
    logAnswer(request, reply)
    const { method, routeOptions } = request
    onAnswered?.({ method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime })
  })
  // Two hosts are a sign of a proxy and a portal that read a request differently (RFC 9112, section 3.2).
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    done(hosts.length > 1 ? new PortalError(400, 'MALFORMED_REQUEST', TWO_HOSTS) : undefined)
  })
  app.decorateRequest('budget', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const budget = new TimeBudget(databaseMsMax)
    request.budget = budget
    reply.raw.once('close', () => budget.end())
    withinBudget(budget, done)
  })
  app.decorateRequest('span', undefined)
  if (spans) app.addHook('onRequest', async (request, reply) => recordRequest(spans, request, reply))
  // Sets budget and trace after the body was read, because reading the body loses them. Everything that a route
  // begins, such as jobs and calls to the CRM, belongs to the request's trace.
  app.addHook('preHandler', (request, _reply, done) => {
    withinBudget(request.budget, () => inTrace(request.span?.trace ?? traceOfRequest(request), done))
  })
  app.addHook('onSend', async (request, reply) => {
    if (isStopping()) reply.header('connection', 'close')
    if (isApi(request.url)) reply.headers(answerHeaders(request, isSecure))
    else reply.header('x-request-id', request.id)
  })
  acceptJson(app)
  refuseOtherMethods(app)
  await app.register(cookie)

  const pageHeaders = findPageHeaders(isSecure)
  app.addHook('onRequest', ({ url }, { raw }, done) => {
    if (!isApi(url)) for (const [name, value] of pageHeaders) raw.setHeader(name, value)
    done()
  })
  refuseUnderOverload(app)
  return app
}

/** What helmet sets on each page. It is always the same, and helmet would cost every call of the API time. */
function findPageHeaders(isSecure: boolean): [name: string, value: string][] {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // Pictures among the documents are shown from blobs (D104).
        imgSrc: ["'self'", 'data:', 'blob:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        // Browsers that know Trusted Types run no script that the page writes into its document as text.
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    strictTransportSecurity: isSecure,
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  setHeaders(request, response, () => undefined)
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)])
}

/** The caller's trace, or a new trace with the request's id. */
function traceOfRequest({ id, headers }: FastifyRequest): Trace {
  return readTraceparent(headers['traceparent']) ?? traceOf(id)
}

/**
 * Records an API request as a span, from its head to the end of its answer or connection. Health checks are left out,
 * because load balancers send them all the time.
 */
function recordRequest(spans: Spans, request: FastifyRequest, reply: FastifyReply): void {
  const { method, url, routeOptions } = request
  if (!isApi(url) || /^\/api\/(?:health|ready)$/.test(routeOptions.url ?? '')) return
  const route = routeOptions.url && { 'http.route': routeOptions.url }
  const span = spans.begin(
    { ...traceOfRequest(request), spans },
    {
      name: [method, routeOptions.url].filter(Boolean).join(' '),
      kind: 'server',
      attributes: { 'http.request.method': method, ...route },
    },
  )
  request.span = span
  reply.raw.once('close', () => {
    // A caller who leaves early gets no answer.
    if (reply.raw.headersSent) span.answered(reply.statusCode)
    span.end()
  })
}

function compileNothing(): never {
  throw new Error('A route has a Fastify schema: put the schema into the contract instead')
}

/** Logs one line for each request, with the path and without the query, which can hold a search text or a token. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split('?', 1)[0]
  const ms = Math.round(reply.elapsedTime)
  const { method, ip, caller } = request
  const { traceId: trace } = traceOfRequest(request)
  request.log.info({ method, path, status: reply.statusCode, ms, ip, trace, ...whoOf(caller) }, 'answered')
}

/** The headers of every answer of the API. */
export function answerHeaders({ id }: FastifyRequest, isSecure: boolean): Record<string, string> {
  return { ...ANSWER_HEADERS, 'x-request-id': id, ...(isSecure && { 'strict-transport-security': HSTS }) }
}

/** An answer is data for a program. No proxy or browser should store it, guess its type or show it as a page. */
const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** No proxy should store or compress a stream's messages, because this would delay them. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

const TWO_HOSTS = 'The request has more than one Host header'

/** The same value that helmet sets for pages. */
const HSTS = 'max-age=31536000; includeSubDomains'

/** `/api-docs` and `/api-keys` are pages. */
export function isApi(url: string): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

/**
 * If a page's address is not validly encoded, such as `/deals/%E0%A4%A`, its text is taken literally, so that the app
 * can read the address.
 */
function decodable(url: string): string {
  if (!url.includes('%')) return url
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route has no body in the contract and ignores a body that is sent (D46). */
    ignoresBody?: boolean
    /** The route's body is bytes. */
    takesBytes?: boolean
  }
  interface FastifyRequest {
    /** A body that was sent as JSON, as it arrived, even if it is not valid. Undefined if no such body was read. */
    bodyText: string | undefined
    /** The request's time for the database. */
    budget: TimeBudget | undefined
    /** Absent if this request is not recorded. */
    span: Span | undefined
  }
}

/** Answers another method of a known address with 405 and the methods that the address knows (D148). */
function refuseOtherMethods(app: FastifyInstance): void {
  const known = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ method, url }) => {
    if (!isApi(url)) return
    const address = known.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) address.methods.add(one)
    known.set(url, address)
  })
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || !isApi(request.url)) return
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap((one) => [...one.methods])
    if (methods.length === 0) return
    const allowed = [...new Set(methods)].toSorted().join(', ')
    reply.header('allow', allowed)
    throw new PortalError(405, 'METHOD_NOT_ALLOWED', `This address answers ${allowed}, not ${request.method}`)
  })
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
}

/**
 * Accepts only JSON, and bytes where a route takes them. Also allows an empty body, because some clients name JSON as the content type of a call without a
 * body.
 */
function acceptJson(app: FastifyInstance): void {
  app.decorateRequest('bodyText', undefined)
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 || ignoresBody(request)) return done(null, undefined)
    const bytes = Buffer.from(body)
    // The log of calls also shows a body that is refused.
    request.bodyText = new TextDecoder().decode(bytes)
    const refusal = findRefusal(request, bytes)
    if (refusal) return done(refusal)
    void parseJson(request, request.bodyText, done)
  })
  // A route that takes bytes reads them itself, when their turn comes.
  app.addContentTypeParser('application/octet-stream', (request, payload, done) => {
    const { bodyLimit, config } = request.routeOptions
    if (config.takesBytes !== true) {
      const refused = new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type'])
      return done(ignoresBody(request) ? null : refused)
    }
    const isTooLarge = Number(request.headers['content-length']) > bodyLimit
    done(isTooLarge ? new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE() : null, payload)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, _body, done) => {
    done(ignoresBody(request) ? null : new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type']))
  })
}

/** JSON is UTF-8 (D148): other bytes are refused, because they would be stored wrongly. */
function findRefusal({ headers }: FastifyRequest, body: Buffer): PortalError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity') {
    return new PortalError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed (no content-encoding).')
  }
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (!/^utf-?8$/i.test(charset)) {
    return new PortalError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8 (charset=utf-8).')
  }
  return isUtf8(body) ? undefined : new PortalError(400, 'MALFORMED_REQUEST', 'The body is not valid UTF-8.')
}

/** A call to an unknown address is answered with 404, whatever its body is (D8). */
function ignoresBody({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.config.ignoresBody === true
}
