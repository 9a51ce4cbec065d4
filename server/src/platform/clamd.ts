import { connect } from 'node:net'

/** What clamd says of a file. Anything that is not clean stays here (D102). */
export type Scanned = 'clean' | 'virus' | 'too-large' | 'no-answer'

const ANSWER_MS_MAX = 120_000

/** Sends a file to clamd at a `tcp://host:port` address, piece by piece. Never throws for clamd's own failures. */
export async function scanFile(
  address: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Scanned> {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port || 3310) })
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)])
  const stop = () => socket.destroy()
  deadline.addEventListener('abort', stop)
  let said = ''
  socket.setEncoding('utf8').on('data', (text: string) => (said += text))
  const closed = new Promise<void>((resolve) => socket.on('close', resolve).on('error', () => socket.destroy()))
  try {
    await send(Buffer.from('zINSTREAM\0'))
    for await (const piece of pieces) {
      // clamd answers early, and closes, if the stream is longer than it takes.
      if (socket.destroyed || said !== '') break
      const size = Buffer.alloc(4)
      size.writeUInt32BE(piece.byteLength)
      await send(size)
      await send(piece)
    }
    if (!socket.destroyed) socket.end(Buffer.alloc(4))
    await closed
  } finally {
    deadline.removeEventListener('abort', stop)
    socket.destroy()
  }
  if (/size limit exceeded/i.test(said)) return 'too-large'
  if (/\bFOUND\b/.test(said)) return 'virus'
  return /^stream: OK\0?$/.test(said.trim()) ? 'clean' : 'no-answer'

  async function send(bytes: Uint8Array): Promise<void> {
    if (socket.destroyed || socket.write(bytes)) return
    await Promise.race([closed, new Promise<void>((resolve) => socket.once('drain', resolve))])
  }
}
