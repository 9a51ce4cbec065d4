import { connect, createServer, type Socket } from 'node:net'
import { statementReader } from './statement-reader.ts'

interface Passage {
  client: Socket
  postgres: Socket
  isSilent: boolean
}

/**
 * A proxy to a database on this machine. It can fall silent, like a frozen host, a lost route or a load balancer that
 * drops its connections: connections stay open, but no byte passes. It can also be slow. `onStatement` is told of each
 * statement on its way.
 */
export async function openDatabaseProxy(databaseUrl: string, onStatement?: (text: string) => void) {
  const target = new URL(databaseUrl)
  const socketPath = `${target.searchParams.get('host')}/.s.PGSQL.${target.port || '5432'}`
  const passages = new Set<Passage>()
  let isSilent = false
  let lateMs = 0

  const server = createServer((client) => {
    const passage = { client, postgres: connect(socketPath), isSilent }
    passages.add(passage)
    if (onStatement) client.on('data', statementReader(onStatement))
    pass(passage, client, passage.postgres, () => lateMs)
    pass(passage, passage.postgres, client, () => 0)
  })

  function pass(passage: Passage, from: Socket, to: Socket, delayMs: () => number): void {
    from.on('data', (bytes) => {
      if (passage.isSilent) return
      if (delayMs() === 0) to.write(bytes)
      else setTimeout(() => to.write(bytes), delayMs())
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      passages.delete(passage)
      to.destroy()
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${address.port}`

  return {
    url: url.href,
    /** From now on no byte passes, on old connections or new ones. */
    fallSilent() {
      isSilent = true
      for (const passage of passages) passage.isSilent = true
    },
    /** From now on each statement reaches the database this much later. */
    delay(ms: number) {
      lateMs = ms
    },
    /** Bytes pass on connections made from now on. Old connections stay open and silent. */
    passNew() {
      isSilent = false
    },
    async [Symbol.asyncDispose]() {
      for (const { client, postgres } of passages) {
        client.destroy()
        postgres.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
