import { Readable } from 'node:stream'
import { errorCodes, type FastifyRequest } from 'fastify'
import { countBytes } from '../collect-bytes.ts'
import { PortalError } from '../errors.ts'

/**
 * Reads a body of bytes into one buffer, so that its pieces do not stay in memory beside the whole. Returns a part of
 * `into` if it is given. Undefined if the request has no such body. Throws if the body is larger than its buffer.
 */
export async function readBytes(request: FastifyRequest, into?: Buffer): Promise<Buffer | undefined> {
  const { body } = request
  if (!(body instanceof Readable)) return undefined
  const room = into ?? Buffer.allocUnsafeSlow(bytesMaxOf(request))
  let end = 0
  try {
    // A body that is too large is answered before it has arrived, so its connection stays.
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(piece) || end + piece.byteLength > room.byteLength) {
        throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
      }
      end += piece.copy(room, end)
      countBytes(piece.byteLength)
    }
  } catch (cause) {
    if (cause instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) throw cause
    throw new PortalError(400, 'MALFORMED_REQUEST', 'The request could not be read.', { cause })
  }
  return room.subarray(0, end)
}

/** How many bytes the body can have. */
export function bytesMaxOf({ headers, routeOptions }: FastifyRequest): number {
  return Number(headers['content-length'] ?? routeOptions.bodyLimit)
}
