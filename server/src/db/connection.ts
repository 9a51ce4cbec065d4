import { Socket } from 'node:net'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { hostUrls } from './host-urls.ts'
import { leadTo, seekWritable } from './seek-writable.ts'

/** How statements reach the database. */
export interface Way {
  /** Through a pooler in transaction mode: connections keep no session state, so the role's own settings apply. */
  isPooled: boolean
  /** False where the pooler does not know statements that were prepared under a name. */
  prepares: boolean
}

export interface PoolLimits {
  connectionsMax: number
  /** Milliseconds that one statement may take, and that a transaction may do nothing. */
  statementMsMax: number
  /** Called when a connection was destroyed because it fell silent, or because its server takes no writes. */
  onSilence?: () => void
  /** Whether statements are recorded as spans of the current trace. */
  isTraced?: boolean
  way?: Way
}

/** A caller waits for the portal 30 seconds; a database that takes longer than this to take a connection is away. */
const CONNECT_MS_MAX = 5_000
/** Balancers and firewalls forget connections that are quiet for minutes. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** Time for PostgreSQL to say that it cancelled a statement. */
const LAST_WORDS_MS = 1_000
export const DIRECT: Way = { isPooled: false, prepares: true }

export const UTC = /^(Etc\/)?(UTC|GMT)$/i

/**
 * The settings that statements and parsers rely on, whatever those of the server, the database or the role. Through a
 * pooler the portal cannot send them: there the role must have a value that `serves`.
 */
export const RELIED_ON = [
  { name: 'timezone', value: 'UTC', serves: UTC },
  { name: 'datestyle', value: 'ISO', serves: /^ISO/ },
  { name: 'standard_conforming_strings', value: 'on', serves: /^on$/ },
  { name: 'default_transaction_isolation', value: 'read committed', serves: /^read committed$/ },
] as const

/**
 * Parallel workers would take 8 ms to start, and take them from other calls; a call reads little. A pool sets its own limits
 * afterwards, and a migration has none.
 */
const ALSO_SET = [
  { name: 'max_parallel_workers_per_gather', value: '0' },
  { name: 'statement_timeout', value: '0' },
  { name: 'lock_timeout', value: '0' },
]

const START_OPTIONS = [...RELIED_ON, ...ALSO_SET]
  .map(({ name, value }) => `-c ${name}=${value.replace(' ', '\\ ')}`)
  .join(' ')

/**
 * Settings of every connection: UTC, and instants, days and numbers in the portal's own form. With several hosts, each
 * new connection goes to the host that takes writes (D90).
 */
export function connectionSettings(
  url: string,
  { isPooled }: Way = DIRECT,
  { openSocket = () => new Socket(), connectMsMax = CONNECT_MS_MAX } = {},
) {
  const hosts = hostUrls(url)
  const settings = parseIntoClientConfig(hosts[0] ?? url)
  const seek = hosts.length > 1 ? seekWritable(hosts, connectMsMax) : undefined
  return {
    ...settings,
    ...(seek && settings.ssl && { ssl: trustingAny(hosts, settings.ssl) }),
    connectionTimeoutMillis: connectMsMax,
    ...KEEP_ALIVE,
    ...(!isPooled && { options: START_OPTIONS }),
    stream: () => (seek ? leadTo(seek, openSocket()) : openSocket()),
    types: { getTypeParser },
  } satisfies pg.ClientConfig
}

/**
 * PostgreSQL cancels what takes too long. If it does not answer at all, the connection is destroyed (D91): a late answer
 * would be taken for that of the next statement.
 */
export function poolSettings(url: string, limits: PoolLimits) {
  const { connectionsMax, statementMsMax, onSilence, way = DIRECT } = limits
  const openSocket = () => mortalSocket(statementMsMax + LAST_WORDS_MS, onSilence)
  return {
    ...connectionSettings(url, way, { openSocket, connectMsMax: Math.min(CONNECT_MS_MAX, statementMsMax) }),
    Client: clientFor(way, onSilence),
    max: connectionsMax,
    ...(!way.isPooled && {
      statement_timeout: statementMsMax,
      idle_in_transaction_session_timeout: statementMsMax,
    }),
    // Idle connections are closed before they count as silent.
    idleTimeoutMillis: statementMsMax,
  } satisfies pg.PoolConfig
}

/** The driver's clients, extended for this connection's pooler, deadline and hosts. */
export function clientFor({ prepares }: Way, onReadOnly?: () => void) {
  return class extends pg.Client {
    constructor(settings?: pg.ClientConfig) {
      super(settings)
      this.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code !== READ_ONLY) return
        this.connection.stream.destroy()
        onReadOnly?.()
      })
      if (!prepares) sendUnnamed(this)
    }
  }
}

/** PostgreSQL's code for a write on a server that takes none: it was made the standby of another. */
export const READ_ONLY = '25006'

/** Sends every statement without its name, even if a library named it. */
function sendUnnamed(client: pg.Client): void {
  const query: (...words: unknown[]) => unknown = client.query.bind(client)
  const send = (statement: unknown, ...more: unknown[]) => query(withoutName(statement), ...more)
  Object.assign(client, { query: send })
}

function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement && 'text' in statement
  return isNamed && !('submit' in statement) ? { ...statement, name: undefined } : statement
}

/** A server shows the certificate of its own name, and each of the hosts may be the one that is reached. */
function trustingAny(hosts: string[], ssl: boolean | ConnectionOptions): ConnectionOptions {
  return {
    ...(typeof ssl === 'object' && ssl),
    checkServerIdentity(name, certificate) {
      const faults = hosts.map((host) => checkServerIdentity(new URL(host).hostname, certificate))
      return faults.includes(undefined) ? undefined : checkServerIdentity(name, certificate)
    },
  }
}

/** Destroys itself after a time without a byte in either direction. */
function mortalSocket(silenceMsMax: number, onSilence?: () => void): Socket {
  const socket = new Socket()
  return socket.setTimeout(silenceMsMax, () => {
    socket.destroy(Object.assign(new Error('The database fell silent'), { code: 'ETIMEDOUT' }))
    onSilence?.()
  })
}

const { builtins } = pg.types

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
  if (oid === builtins.TIMESTAMPTZ) return instant
  if (oid === builtins.DATE) return String
  if (oid === builtins.NUMERIC || oid === builtins.INT8) return Number
  return pg.types.getTypeParser(oid, 'text')
}

/**
 * `2026-03-01 10:00:00.5+00` as `2026-03-01T10:00:00.500Z`. Columns hold three decimals at most and the connection's
 * time zone is UTC, so cutting text is enough; it takes a third of the time that making a Date takes.
 */
function instant(text: string): string {
  const fraction = text.slice(20, -3).padEnd(3, '0').slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}
