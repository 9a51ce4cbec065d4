import pg from 'pg'
import { connectionSettings } from './database.ts'

/** A statement by name: planned once a connection, worth 1.5 to 2.5 unnamed ones. */
export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

/** Sends named statements; a pool can do it too. */
export interface Reads {
  query<Row extends pg.QueryResultRow>(statement: NamedStatement): Promise<{ rows: Row[] }>
}

const CONNECTIONS = 2
/** A slow statement would hold up all behind it on its connection. */
const STATEMENT_MS_MAX = 5_000

/**
 * For the quick reads that every visit sends: connections on which statements follow one another without waiting for
 * answers, twice as many a second as a pool sends. No transaction may run here, and nothing slow.
 */
export function openHotReads(url: string, onError: (error: Error) => void): Reads & { close(): Promise<void> } {
  const clients: (Promise<pg.Client> | undefined)[] = Array.from({ length: CONNECTIONS })
  let next = 0

  function connect(i: number): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionSettings(url),
      pipeline: true,
      statement_timeout: STATEMENT_MS_MAX,
    })
    const connected = client.connect().then(() => client)
    // The connection that took its place meanwhile, if one did, stays.
    const forget = () => {
      if (clients[i] === connected) clients[i] = undefined
    }
    client.on('error', onError)
    client.on('error', forget)
    client.on('end', forget)
    connected.catch(forget)
    clients[i] = connected
    return connected
  }

  return {
    async query<Row extends pg.QueryResultRow>(statement: NamedStatement) {
      next = (next + 1) % CONNECTIONS
      const client = await (clients[next] ?? connect(next))
      return client.query<Row>(statement)
    },
    async close() {
      await Promise.allSettled(clients.map(async (client) => (await client)?.end()))
    },
  }
}
