import { Socket } from 'node:net'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { hostUrls } from './host-urls.ts'
import { leadTo, seekWritable } from './seek-writable.ts'

/** How statements are sent to the database. */
export interface Way {
  /**
   * True if connections go through a pooler in transaction mode. They then keep no session state, so the settings of
   * the database role apply.
   */
  isPooled: boolean
  /** False if the pooler does not support named prepared statements. */
  prepares: boolean
}

export interface PoolLimits {
  connectionsMax: number
  /** How many milliseconds a statement may take. Without a pooler, a transaction may be idle for the same time. */
  statementMsMax: number
  /** Called after a connection was destroyed because it fell silent or because its server accepts no writes. */
  onSilence?: () => void
  /** Whether statements are recorded as spans of the current trace. */
  isTraced?: boolean
  way?: Way
}

/**
 * A database that takes longer than this to accept a connection is treated as unavailable. A caller waits 30
 * seconds for the portal, so enough time remains for the rest of the request.
 */
const CONNECT_MS_MAX = 5_000
/** Load balancers and firewalls drop connections that are idle for minutes. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** Time for PostgreSQL to report that it cancelled a statement. */
const LAST_WORDS_MS = 1_000
export const DIRECT: Way = { isPooled: false, prepares: true }

export const UTC = /^(Etc\/)?(UTC|GMT)$/i

/**
 * The settings that statements and parsers rely on. They override the settings of the server, the database and the
 * role. The portal cannot send them through a pooler, so behind a pooler the role's value must match `serves`.
 */
export const RELIED_ON = [
  { name: 'timezone', value: 'UTC', serves: UTC },
  { name: 'datestyle', value: 'ISO', serves: /^ISO/ },
  { name: 'standard_conforming_strings', value: 'on', serves: /^on$/ },
  { name: 'default_transaction_isolation', value: 'read committed', serves: /^read committed$/ },
] as const

/**
 * One request reads too little for parallel workers, which take 8 ms to start and would slow other requests down.
 * A pool sets its own timeouts afterwards; a migration has no timeouts.
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
 * The settings of every connection: UTC, and instants, days and numbers in the portal's own form. If the address names
 * several hosts, each new connection is made to the host that accepts writes (D90).
 */
export function connectionSettings(
  url: string,
  { isPooled }: Way = DIRECT,
  { openSocket = () => new Socket(), connectMsMax = CONNECT_MS_MAX, options = '' } = {},
) {
  const hosts = hostUrls(url)
  const settings = parseIntoClientConfig(hosts[0] ?? url)
  const seek = hosts.length > 1 ? seekWritable(hosts, connectMsMax) : undefined
  return {
    ...settings,
    ...(seek && settings.ssl && { ssl: trustingAny(hosts, settings.ssl) }),
    connectionTimeoutMillis: connectMsMax,
    ...KEEP_ALIVE,
    ...(!isPooled && { options: `${START_OPTIONS} ${options}` }),
    stream: () => (seek ? leadTo(seek, openSocket()) : openSocket()),
    types: { getTypeParser },
  } satisfies pg.ClientConfig
}

/**
 * PostgreSQL cancels a statement that takes too long; behind a pooler, the role's `statement_timeout` applies. If the
 * server does not answer at all, the connection is destroyed (D91), because a late answer would be mistaken for the
 * answer to the next statement.
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
    // Idle connections are closed before the socket treats them as silent.
    idleTimeoutMillis: statementMsMax,
  } satisfies pg.PoolConfig
}

/**
 * The driver's client class, extended: it destroys a connection to a read-only server, answers by callback and, if
 * necessary, sends statements without names.
 */
export function clientFor({ prepares }: Way, onReadOnly?: () => void) {
  return class extends pg.Client {
    constructor(settings?: pg.ClientConfig) {
      super(settings)
      this.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code !== READ_ONLY) return
        this.connection.stream.destroy()
        onReadOnly?.()
      })
      answerByCallback(this, prepares ? (statement) => statement : withoutName)
    }
  }
}

/** PostgreSQL's code for a write on a read-only server, such as one that became a standby. */
export const READ_ONLY = '25006'

/**
 * Gives the driver a callback where its caller awaits an answer. The driver would write `query.callback = () => …`, and a
 * function written so keeps the whole request in memory until the next full collection (docs/decisions/memory.md).
 */
function answerByCallback(client: pg.Client, prepared: (statement: unknown) => unknown): void {
  const query: (...words: unknown[]) => unknown = client.query.bind(client)
  const ask = async (statement: unknown, values: unknown) => {
    try {
      return await new Promise((resolve, reject) => {
        query(statement, values, (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer)))
      })
    } catch (error) {
      // As the driver does, leads the stack trace to the caller instead of the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }
  const send = (statement: unknown, ...more: unknown[]) => {
    const isAwaited = !isSubmittable(statement) && !more.some((one) => typeof one === 'function')
    return isAwaited ? ask(prepared(statement), more[0]) : query(prepared(statement), ...more)
  }
  Object.assign(client, { query: send })
}

/** Whether the statement answers by itself, as a stream does. */
function isSubmittable(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'submit' in statement
}

/** A statement is sent without its name, even if a library named it. */
function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement && 'text' in statement
  return isNamed && !('submit' in statement) ? { ...statement, name: undefined } : statement
}

/** Accepts a certificate for any of the hosts, because the connection can lead to any of them. */
function trustingAny(hosts: string[], ssl: boolean | ConnectionOptions): ConnectionOptions {
  return {
    ...(typeof ssl === 'object' && ssl),
    checkServerIdentity(name, certificate) {
      const faults = hosts.map((host) => checkServerIdentity(new URL(host).hostname, certificate))
      return faults.includes(undefined) ? undefined : checkServerIdentity(name, certificate)
    },
  }
}

/** A socket that destroys itself when no byte was sent or received for `silenceMsMax`. */
function mortalSocket(silenceMsMax: number, onSilence?: () => void): Socket {
  const socket = new Socket()
  return socket.setTimeout(silenceMsMax, () => {
    socket.destroy(fallenSilent())
    onSilence?.()
  })
}

export function fallenSilent(): Error {
  return Object.assign(new Error('The database fell silent'), { code: 'ETIMEDOUT' })
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
 * Turns `2026-03-01 10:00:00.5+00` into `2026-03-01T10:00:00.500Z`. Columns hold at most three decimals and the
 * connection's time zone is UTC, so cutting the text is enough. Making a Date would take three times as long.
 */
function instant(text: string): string {
  const fraction = text.slice(20, -3).padEnd(3, '0').slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}
