import { Socket, type TcpSocketConnectOpts } from 'node:net'
import pg from 'pg'

/** Finds the host that currently accepts writes. */
export type Seek = () => Promise<{ host: string; port: number }>

/**
 * Tries the hosts in turn, beginning with the host that the last search found. The hosts share four fifths of `msMax`
 * equally; the last fifth is for the connection itself. A connection that is opened during a search shares that search.
 */
export function seekWritable(urls: string[], msMax: number): Seek {
  const tryMsMax = (0.8 * msMax) / urls.length
  let order = urls
  let seeking: ReturnType<Seek> | undefined

  async function seek() {
    const reasons: string[] = []
    for (const url of order) {
      const client = openProbe(url, tryMsMax)
      try {
        await client.connect()
        const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
        if (rows[0]?.transaction_read_only === 'off') {
          order = [url, ...urls.filter((other) => other !== url)]
          return { host: client.host, port: client.port }
        }
        reasons.push(`${client.host}:${client.port} accepts no writes`)
      } catch (error) {
        reasons.push(`${client.host}:${client.port}: ${error instanceof Error ? error.message : String(error)}`)
      } finally {
        client.end().catch(() => undefined)
      }
    }
    throw Object.assign(new Error(`No host of the database accepts writes (${reasons.join('; ')})`), {
      code: 'ECONNREFUSED',
    })
  }

  return () => {
    seeking ??= seek().finally(() => {
      seeking = undefined
    })
    return seeking
  }
}

/** A separate connection that ends after `msMax`, whatever the host does. */
function openProbe(url: string, msMax: number): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    stream() {
      const socket = new Socket()
      const deadline = setTimeout(() => socket.destroy(new Error('no answer in time')), msMax)
      return socket.once('close', () => clearTimeout(deadline))
    },
  })
  return client.on('error', () => undefined)
}

/**
 * Makes the socket connect to the host that `seek` finds. It ignores the driver's target, because the driver knows only
 * one host.
 */
export function leadTo(seek: Seek, socket: Socket): Socket {
  const connect: (this: Socket, target: TcpSocketConnectOpts) => Socket = Socket.prototype.connect
  socket.connect = () => {
    seek().then(
      (target) => socket.destroyed || connect.call(socket, target),
      (error: Error) => socket.destroy(error),
    )
    return socket
  }
  return socket
}
