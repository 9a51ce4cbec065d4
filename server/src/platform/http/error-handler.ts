import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Failure } from '@portal/contract/answer.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../db/database.ts'
import { PortalError } from '../errors.ts'
import { STATUS_CODES } from '../node-http.ts'

/** Turns every error into an answer. An unknown error is a bug, and only the log describes it. */
export function handleError(error: FastifyError | PortalError, request: FastifyRequest, reply: FastifyReply): void {
  // If the caller hung up, Fastify does not call `onResponse`, so nothing else would log the request.
  if (request.raw.errored === error) request.log.info('the caller hung up')
  const answer = known(error, request)
  // If Fastify refuses a request before any hook runs, nothing else sets this header.
  reply.header('x-request-id', request.id)
  if (!answer) {
    request.log.error({ err: error }, 'unexpected error')
    reply.status(500).send(failure('Something went wrong. Please try again or contact support.', 'INTERNAL'))
    return
  }
  if (answer.status >= 500) request.log.warn({ err: error }, 'request failed')
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds))
  reply.status(answer.status).send(failure(answer.message, answer.code, answer))
}

/** Answers input that Node cannot read as a request. There is no request or reply object yet. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket, headers: string[]): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = UNREADABLE[error.code ?? ''] ?? 400
  const body = JSON.stringify(failure('The request could not be read.', 'MALFORMED_REQUEST'))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
    ...headers,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closes the connection even if the caller keeps it open, but only after a moment, so that the answer can arrive.
  setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref()
}

const LAST_WORDS_MS = 1_000

const UNREADABLE: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** A file could not be written: the disk is full, or the process has no descriptor left. */
const LACKS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'])

function failure(
  error: string,
  code: Failure['code'],
  { fields, removed }: Partial<Pick<PortalError, 'fields' | 'removed'>> = {},
): Failure {
  return { success: false, error, code, ...(fields && { fields }), ...(removed && { removed }) }
}

/**
 * Turns known errors into a `PortalError`: Fastify's refusals before a route runs, and a database that does not answer.
 */
function known(error: FastifyError | PortalError, { routeOptions }: FastifyRequest): PortalError | undefined {
  if (error instanceof PortalError) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit, config } = routeOptions
    const text = config.takesBytes
      ? `The file is larger than ${bodyLimit / 1024 / 1024} MB.`
      : `The body is larger than ${bodyLimit / 1024} KiB.`
    return new PortalError(413, 'PAYLOAD_TOO_LARGE', text)
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new PortalError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON (content-type: application/json).')
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new PortalError(error.statusCode, 'MALFORMED_REQUEST', 'The request could not be read.')
  }
  // Checked after Fastify's own errors, because a caller who hangs up during an upload also causes an ECONNRESET.
  if (isDatabaseAway(error) || LACKS.has(error.code)) {
    return new PortalError(503, 'UNAVAILABLE', 'The portal is not available. Please try again in a moment.', {
      retryAfterSeconds: 5,
    })
  }
  return undefined
}
