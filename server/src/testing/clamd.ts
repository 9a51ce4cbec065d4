import { createServer, type Socket } from 'node:net'

/** A stand-in for clamd that speaks INSTREAM. It finds a virus in a file that contains these words. */
export const VIRUS = 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE'

export interface Clamd {
  url: string
  /** The files that have been scanned. */
  scanned: Buffer[]
  /** From now on it takes a file and never answers, or answers again. */
  hang(isHanging: boolean): void
  /** From now on nobody listens at the address. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Like clamd, it ends a stream that is longer than `bytesMax`. */
export async function startClamd({ port = 0, bytesMax = Number.POSITIVE_INFINITY } = {}): Promise<Clamd> {
  const sockets = new Set<Socket>()
  const scanned: Buffer[] = []
  let isHanging = false
  const server = createServer((socket) => {
    sockets.add(socket)
    let arrived = Buffer.alloc(0)
    let isOver = false
    const say = (words: string) => {
      isOver = true
      if (!isHanging) socket.end(`${words}\0`)
    }
    socket
      .on('error', () => socket.destroy())
      .on('close', () => sockets.delete(socket))
      .on('data', (bytes: Buffer) => {
        if (isOver) return
        arrived = Buffer.concat([arrived, bytes])
        const file = readStream(arrived)
        if (file === 'wrong') return say('UNKNOWN COMMAND')
        if (file.content.byteLength > bytesMax) return say('INSTREAM size limit exceeded. ERROR')
        if (!file.isWhole) return
        scanned.push(file.content)
        say(file.content.includes(VIRUS) ? 'stream: Win.Test.EICAR_HDB-1 FOUND' : 'stream: OK')
      })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port')
  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `tcp://127.0.0.1:${address.port}`,
    scanned,
    hang: (hangs) => {
      isHanging = hangs
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const COMMAND = Buffer.from('zINSTREAM\0')

/** The chunks that follow the command: each has its length before it, and one of no length ends the file. */
function readStream(arrived: Buffer): { content: Buffer; isWhole: boolean } | 'wrong' {
  const begun = arrived.subarray(0, COMMAND.byteLength)
  if (!COMMAND.subarray(0, begun.byteLength).equals(begun)) return 'wrong'
  const chunks: Buffer[] = []
  for (let at = COMMAND.byteLength; at + 4 <= arrived.byteLength; ) {
    const length = arrived.readUInt32BE(at)
    if (length === 0) return { content: Buffer.concat(chunks), isWhole: true }
    chunks.push(arrived.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return { content: Buffer.concat(chunks), isWhole: false }
}
