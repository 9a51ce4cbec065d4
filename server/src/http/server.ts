import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import { BODY_BYTES_MAX } from '@portal/contract/limits.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { handleError } from './error-handler.ts'

/** Fastify with everything that is not ours to decide a route at a time: ids, headers, body limit, errors, load. */
export async function createServer(log: Logger, isSecure: boolean): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = log
  const app = Fastify({
    loggerInstance,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: 'loopback',
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.setErrorHandler(handleError)
  // One line a request. The path alone: a query may hold what somebody searched for, or a token of a page's address.
  app.addHook('onResponse', async (request, reply) => {
    const path = request.url.split('?', 1)[0]
    const ms = Math.round(reply.elapsedTime)
    request.log.info({ method: request.method, path, status: reply.statusCode, ms, ip: request.ip }, 'answered')
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (request.url.startsWith('/api')) reply.header('cache-control', 'no-store')
  })
  acceptEmptyJson(app)

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: isSecure,
  })
  await app.register(underPressure, {
    maxEventLoopDelay: 2_000,
    healthCheckInterval: 1_000,
    exposeStatusRoute: false,
  })
  return app
}

/** Some clients name JSON as the content type of a call without a body. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parseJson(request, String(body), done)
  })
}
