import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance } from 'fastify'

/** Shorter answers fit into one packet as they are. */
const PACKED_FROM_BYTES = 1_024
/** A shorter answer is packed in less time than a thread needs to be told of it; a longer one would hold up other calls. */
const PACKED_HERE_BYTES_MAX = 64 * 1_024
const LEVEL = { level: 6 }

const gzipInThread = promisify(gzip)

/**
 * JSON goes out as gzip to callers that take it: a page of a list is a quarter as long so, on a slow phone a round trip
 * less. Files and streams of events stay as they are. Its hook has to be the last, for the others read answers. No caller
 * is known by a cookie, so nobody can have somebody else's browser call with guesses and read off the length which one is
 * right (BREACH).
 */
export function packAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload
    const bytes = Buffer.byteLength(payload)
    if (bytes < PACKED_FROM_BYTES) return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary ? `${String(vary)}, accept-encoding` : 'accept-encoding')
    if (!negotiate(request.headers['accept-encoding'] ?? '', ['gzip'])) return payload
    reply.header('content-encoding', 'gzip')
    return bytes < PACKED_HERE_BYTES_MAX ? gzipSync(payload, LEVEL) : gzipInThread(payload, LEVEL)
  })
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('application/json')
}
