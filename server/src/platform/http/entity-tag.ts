import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether answers carry an `ETag`, so that a caller who has the same answer already gets 304 without a body (D84). */
    hasEntityTag?: boolean
  }
}

/** The tag is weak, because the same answer may be sent compressed or not. */
export function tagAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.routeOptions.config.hasEntityTag || reply.statusCode !== 200 || typeof payload !== 'string')
      return payload
    const tag = `W/"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`
    reply.header('etag', tag)
    const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim())
    if (!known.includes(tag) && !known.includes(tag.slice(2))) return payload
    reply.status(304).removeHeader('content-type')
    return null
  })
}
