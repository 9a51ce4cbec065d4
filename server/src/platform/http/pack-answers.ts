import { promisify } from 'node:util'
import { constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance } from 'fastify'

/** Shorter answers fit into one packet without compression. */
const PACKED_FROM_BYTES = 1_024
/**
 * Compressing a shorter answer takes less time than passing it to a thread. Compressing a longer answer here would
 * delay other calls.
 */
const PACKED_HERE_BYTES_MAX = 64 * 1_024
/**
 * Small chunks come from Node's pool of buffers. With the default size, each compressed answer has its own buffer of
 * 16 kB, which lives until the next full garbage collection and makes these collections about four times as frequent.
 */
const chunkSize = 2_048
const GZIP = { level: 3, chunkSize }
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize }
const gzipInThread = promisify(gzip)
const zstdInThread = promisify(zstdCompress)

/** The preferred encoding comes first (docs/decisions/queries.md). */
const PACKERS = {
  zstd: {
    here: (text: string) => zstdCompressSync(text, ZSTD),
    inThread: (text: string) => zstdInThread(text, ZSTD),
  },
  gzip: {
    here: (text: string) => gzipSync(text, GZIP),
    inThread: (text: string) => gzipInThread(text, GZIP),
  },
}
const ENCODINGS: (keyof typeof PACKERS)[] = ['zstd', 'gzip']

/**
 * Compresses JSON answers of 1 KiB or more for callers that accept compression. A page of a list shrinks to a quarter,
 * which saves a slow phone a round trip. Files and streams of events are not compressed. The hook has to be the last
 * one, because other hooks read the answer as text. No caller is identified by a cookie, so nobody can make another
 * person's browser send guesses and learn from the length which guess is right (BREACH).
 */
export function packAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload
    const bytes = Buffer.byteLength(payload)
    if (bytes < PACKED_FROM_BYTES) return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary ? `${String(vary)}, accept-encoding` : 'accept-encoding')
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', ENCODINGS)
    if (!encoding) return payload
    reply.header('content-encoding', encoding)
    const { here, inThread } = PACKERS[encoding]
    return bytes < PACKED_HERE_BYTES_MAX ? here(payload) : inThread(payload)
  })
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('application/json')
}
