import pg from 'pg'
import { clientFor, connectionSettings, DIRECT, fallenSilent } from './connection.ts'
import { askForWrites } from './database.ts'
import { sendInBudget } from './time-budget.ts'

/** The connections over which `sendNamed` sends statements: a pool or the hot reads. */
export interface Reads {
  query(statement: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<unknown[]>>
}

export interface HotReads extends Reads {
  /**
   * Rejects unless every connection answers and its server accepts writes. Closes a connection that fails this check.
   */
  ping(): Promise<void>
  close(): Promise<void>
}

const CONNECTIONS = 2
/** Time for PostgreSQL to report that it cancelled a statement. */
const LAST_WORDS_MS = 1_000
/** Otherwise PostgreSQL plans most statements again for each call's values, which takes longer than running them. */
const KEEP_PLANS = '-c plan_cache_mode=force_generic_plan'

/**
 * Opens connections for the quick reads that every visit needs. Each connection sends a statement without waiting for
 * the answers to earlier statements, which allows twice as many statements a second as a pool. Transactions and slow
 * statements must not use these connections. A statement delays all later statements on its connection, so PostgreSQL
 * cancels it after `statementMsMax` or, through a pooler, after the role's limit. A connection that stays silent a
 * second longer than `statementMsMax` is destroyed. Each statement is planned once, so its values must not decide which
 * index is best.
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
      ...connectionSettings(url, way, { connectMsMax: statementMsMax, options: KEEP_PLANS }),
      pipeline: true,
      ...(!way.isPooled && { statement_timeout: statementMsMax }),
    })
    const connected = client.connect().then(() => client)
    // If another connection has already replaced this one, the new connection is kept.
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

  /** Destroys the connection if it does not answer. The driver's own time limit keeps requests in memory, as its promises do. */
  async function inTime<Answer>({ connection }: pg.Client, ask: () => Promise<Answer>): Promise<Answer> {
    const silence = setTimeout(() => connection.stream.destroy(fallenSilent()), statementMsMax + LAST_WORDS_MS)
    try {
      return await ask()
    } finally {
      clearTimeout(silence)
    }
  }

  async function pingAt(i: number): Promise<void> {
    const client = await clientAt(i)
    try {
      await inTime(client, () => askForWrites(client))
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
  }

  return {
    query(statement) {
      return sendInBudget(async () => {
        next = (next + 1) % CONNECTIONS
        const client = await clientAt(next)
        writeTogether(client)
        return inTime(client, () => client.query<unknown[]>(statement))
      })
    },
    async ping() {
      await Promise.all(Array.from(clients, (_, i) => pingAt(i)))
    },
    async close() {
      await Promise.allSettled(clients.map(async (client) => (await client)?.end()))
    },
  }
}

/** Sends the statements of one turn of the event loop in one write, which costs less than separate writes. */
function writeTogether({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
