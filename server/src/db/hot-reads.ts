import pg from 'pg'
import { clientFor, connectionSettings, DIRECT } from './connection.ts'
import { askForWrites } from './database.ts'

/** The connections that `sendNamed` uses; a pool works as well. */
export interface Reads {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<{ rows: Row[] }>
}

export interface HotReads extends Reads {
  /**
   * Rejects unless every connection answers and its server takes writes; a connection to a read-only server is closed.
   */
  ping(): Promise<void>
  close(): Promise<void>
}

const CONNECTIONS = 2
/** Time for PostgreSQL to say that it cancelled a statement. */
const LAST_WORDS_MS = 1_000

/**
 * For the quick reads that every visit sends: connections on which statements follow one another without waiting for
 * answers, twice as many a second as a pool sends. No transaction may run here, and nothing slow: a statement holds up
 * all behind it, so it is cancelled after `statementMsMax`. The driver destroys a connection that is silent for longer.
 */
export function openHotReads(
  url: string,
  onError: (error: Error) => void,
  statementMsMax: number,
  way = DIRECT,
): HotReads {
  const Client = clientFor(way)
  const clients: (Promise<pg.Client> | undefined)[] = Array.from({ length: CONNECTIONS })
  let next = 0

  function connect(i: number): Promise<pg.Client> {
    const client = new Client({
      ...connectionSettings(url, way, { connectMsMax: statementMsMax }),
      pipeline: true,
      ...(!way.isPooled && { statement_timeout: statementMsMax }),
      query_timeout: statementMsMax + LAST_WORDS_MS,
    })
    const connected = client.connect().then(() => client)
    // If another connection has replaced it already, that one stays.
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

  const clientAt = (i: number) => clients[i] ?? connect(i)

  async function pingAt(i: number): Promise<void> {
    const client = await clientAt(i)
    try {
      await askForWrites(client)
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
  }

  return {
    async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      next = (next + 1) % CONNECTIONS
      const client = await clientAt(next)
      writeTogether(client)
      return client.query<Row>(statement)
    },
    async ping() {
      await Promise.all(Array.from(clients, (_, i) => pingAt(i)))
    },
    async close() {
      await Promise.allSettled(clients.map(async (client) => (await client)?.end()))
    },
  }
}

/** Statements of one turn of the event loop leave as one write, which costs both ends less than one write each. */
function writeTogether({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
