/**
 * The parts of a backup in order. The header comes first. Each table follows with its name and columns, its rows as
 * COPY writes them, and the number of rows. The end mark comes last; without it the file is incomplete.
 */
export const FRAME = { header: 1, table: 2, rows: 3, tableEnd: 4, end: 5 } as const

export interface Frame {
  kind: number
  payload: Buffer
}

const HEAD_BYTES = 5
/** Far more than any frame holds. A frame of rows holds what a single read from the connection returned. */
const PAYLOAD_BYTES_MAX = 256 * 1024 * 1024

export function frame(kind: number, payload: Buffer | object): Buffer {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(kind)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/**
 * Reads a backup's frames, holding little more than one frame in memory at a time. Throws if the bytes end in the
 * middle of a frame, or if a frame is too long for a backup.
 */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    pieces.push(chunk)
    bytes += chunk.length
    if (bytes < wanted(pieces)) continue
    let rest = Buffer.concat(pieces)
    while (rest.length >= wanted([rest])) {
      const end = wanted([rest])
      yield { kind: rest.readUInt8(), payload: rest.subarray(HEAD_BYTES, end) }
      rest = rest.subarray(end)
    }
    pieces = [rest]
    bytes = rest.length
  }
  if (bytes > 0) throw new Error('The file ends too early')
}

/** The length of the next frame, or of its head while the head is incomplete. */
function wanted(pieces: readonly Buffer[]): number {
  const head = Buffer.concat(pieces.filter((piece) => piece.length > 0).slice(0, HEAD_BYTES))
  if (head.length < HEAD_BYTES) return HEAD_BYTES
  const length = head.readUInt32BE(1)
  if (length > PAYLOAD_BYTES_MAX) throw new Error('This is not a backup of the portal')
  return HEAD_BYTES + length
}
