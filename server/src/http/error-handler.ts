import type { Failure } from '@portal/contract/answer.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { PortalError } from '../errors.ts'

/** The only place where an error becomes an answer. One it does not know is a bug: logged whole, answered empty. */
export function handleError(error: FastifyError | PortalError, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof PortalError ? error : fromFastify(error)
  if (!known) {
    request.log.error({ err: error }, 'unexpected error')
    reply.status(500).send(failure('Something went wrong. Please try again or contact support.', 'INTERNAL'))
    return
  }
  if (known.status >= 500) request.log.warn({ err: error }, 'request failed')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  reply.status(known.status).send(failure(known.message, known.code, known.fields))
}

function failure(error: string, code: Failure['code'], fields?: Record<string, string>): Failure {
  return { success: false, error, code, ...(fields && { fields }) }
}

/** Fastify's own refusals, which happen before a route is reached. */
function fromFastify(error: FastifyError): PortalError | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new PortalError(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 64 KiB.')
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new PortalError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON (content-type: application/json).')
  }
  if (error.code === 'FST_UNDER_PRESSURE') {
    return new PortalError(503, 'UNAVAILABLE', 'The portal is busy. Please try again in a moment.', {
      retryAfterSeconds: 5,
    })
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new PortalError(error.statusCode, 'MALFORMED_REQUEST', 'The request could not be read.')
  }
  return undefined
}
