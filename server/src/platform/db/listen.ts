import pg from 'pg'
import { connectionSettings } from './connection.ts'

const RECONNECT_MS = 1_000

/**
 * The channel for changes that partners' pages show (migrations/0024_live.sql). A payload begins with the partner's id.
 */
export const LIVE = 'live'
export const ID_LENGTH = 36

/** A part of the portal that receives notifications. */
export interface Hearer {
  channels: Record<string, (payload: string) => void>
  /**
   * Called after each connection is made. Notifications are lost while there is no connection, so the hearer must look
   * up what it missed. `hearAll` resolves to true when the notifications of all transactions committed before the call
   * have been received, and to false if the connection is lost or does not answer in time.
   */
  onConnect(hearAll: () => Promise<boolean>): void
  /** Called when a connection breaks or cannot be made. No notification arrives before the next `onConnect`. */
  onBreak?(): void
}

interface Listener {
  onError(error: Error): void
  /** A connection that does not answer for this long is replaced. */
  silenceMsMax: number
}

/**
 * Listens for notifications. All hearers share one connection, and each has its own channels. A broken connection is
 * replaced. A dead connection looks like a quiet one, so the connection is checked regularly.
 */
export function listen(
  url: string,
  hearers: readonly Hearer[],
  { onError, silenceMsMax }: Listener,
): { connected: Promise<void>; close(): Promise<void> } {
  const channels = new Set(hearers.flatMap((hearer) => Object.keys(hearer.channels)))
  let client: pg.Client | undefined
  let reconnecting: NodeJS.Timeout | undefined
  let asking: NodeJS.Timeout | undefined
  let isClosed = false

  async function connect(): Promise<void> {
    const connection = new pg.Client({ ...connectionSettings(url), query_timeout: silenceMsMax / 2 })
    let isBroken = false
    const handleBreak = (error?: Error) => {
      if (isBroken || isClosed) return
      isBroken = true
      clearTimeout(asking)
      if (error) onError(error)
      for (const hearer of hearers) hearer.onBreak?.()
      void connection.end().catch(() => undefined)
      reconnecting = setTimeout(() => void connect(), RECONNECT_MS)
    }
    connection.on('error', handleBreak)
    connection.on('end', () => handleBreak())
    const ask = () => {
      asking = setTimeout(() => {
        connection.query('select 1').then(ask, handleBreak)
      }, silenceMsMax / 2)
    }
    connection.on('notification', ({ channel, payload }) => {
      for (const hearer of hearers) hearer.channels[channel]?.(payload ?? '')
    })
    try {
      await connection.connect()
      for (const channel of channels) await connection.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = connection
      if (isClosed) await connection.end()
      else {
        ask()
        const hearAll = hearingAll(connection)
        for (const hearer of hearers) hearer.onConnect(hearAll)
      }
    } catch (error) {
      handleBreak(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const connected = connect()
  return {
    /** Resolves after the first attempt to connect, successful or not. */
    connected,
    async close() {
      isClosed = true
      clearTimeout(reconnecting)
      await connected
      clearTimeout(asking)
      await client?.end().catch(() => undefined)
    },
  }
}

/**
 * PostgreSQL sends a listening session its notifications before it reports a statement as done, so an empty statement
 * shows that all earlier notifications have arrived. Calls made while a statement runs share the next statement.
 */
function hearingAll(connection: pg.Client): () => Promise<boolean> {
  const ask = () =>
    connection.query('select 1').then(
      () => true,
      () => false,
    )
  let asked = Promise.resolve(true)
  let next: Promise<boolean> | undefined
  return () => {
    next ??= asked.then(() => {
      next = undefined
      asked = ask()
      return asked
    })
    return next
  }
}
