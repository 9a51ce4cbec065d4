import pg from 'pg'
import { connectionSettings } from './database.ts'

const RECONNECT_MS = 1_000

/**
 * Hears what any process says by NOTIFY, once its transaction is committed. A connection that breaks is made again;
 * what was said meanwhile is lost, so `onConnect` is called after each connection and the caller looks for itself.
 */
export function listen(
  url: string,
  hearers: Record<string, (payload: string) => void>,
  { onConnect, onError }: { onConnect: () => void; onError: (error: Error) => void },
): { close(): Promise<void> } {
  let client: pg.Client | undefined
  let reconnecting: NodeJS.Timeout | undefined
  let isClosed = false

  async function connect(): Promise<void> {
    const connection = new pg.Client({ ...connectionSettings(url), keepAlive: true })
    let isBroken = false
    const handleBreak = (error?: Error) => {
      if (isBroken || isClosed) return
      isBroken = true
      if (error) onError(error)
      void connection.end().catch(() => undefined)
      reconnecting = setTimeout(() => void connect(), RECONNECT_MS)
    }
    connection.on('error', handleBreak)
    connection.on('end', () => handleBreak())
    connection.on('notification', ({ channel, payload }) => hearers[channel]?.(payload ?? ''))
    try {
      await connection.connect()
      for (const channel of Object.keys(hearers)) await connection.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = connection
      if (isClosed) await connection.end()
      else onConnect()
    } catch (error) {
      handleBreak(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const connected = connect()
  return {
    async close() {
      isClosed = true
      clearTimeout(reconnecting)
      await connected
      await client?.end().catch(() => undefined)
    },
  }
}
