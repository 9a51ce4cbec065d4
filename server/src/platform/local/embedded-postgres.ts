import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgresPrograms, type PostgresPrograms } from './postgres-programs.ts'
import {
  type Cluster,
  endBackends,
  interrupt,
  isAlive,
  oneLine,
  PORT,
  type PostgresLog,
  type Postmaster,
  readPidFile,
  startPostmaster,
} from './postmaster.ts'
import { takesConnections } from './takes-connections.ts'

export type EmbeddedPostgres = {
  url: string
  /** Cancels running statements and stops the server (see `interrupt`). Can be called twice. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  log: PostgresLog
  /** Settings as in postgresql.conf. They override the settings in `openCluster`. */
  settings?: Record<string, string>
}

const RESTART_DELAY_MS_MAX = 5_000

/**
 * Runs a real PostgreSQL under `stateDir` while this process lives. If PostgreSQL is killed, it is started again at the
 * same address. If this process is killed, PostgreSQL stops. Rejects if another process already runs PostgreSQL on this
 * folder.
 */
export async function startEmbeddedPostgres(
  stateDir: string,
  { log, settings }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(path.resolve(stateDir), settings)
  let postmaster = await startPostmaster(cluster, log)
  let isStopping = false

  async function supervise(): Promise<void> {
    while (true) {
      await postmaster.exited
      if (isStopping) return
      const { signalCode, exitCode } = postmaster.child
      log.warn(`PostgreSQL ended (${signalCode ?? exitCode}) and is started again: ${postmaster.lastWords()}`)
      endBackends(cluster)
      postmaster = await startAgain()
      if (isStopping) interrupt(postmaster)
    }
  }

  /** Starts PostgreSQL again and never gives up, because a lack of disk space or memory may be temporary. */
  async function startAgain(): Promise<Postmaster> {
    for (let delayMs = 100; ; delayMs = Math.min(2 * delayMs, RESTART_DELAY_MS_MAX)) {
      try {
        return await startPostmaster(cluster, log)
      } catch (error) {
        if (isStopping) return postmaster
        log.warn(error instanceof Error ? error.message : String(error))
        await sleep(delayMs)
      }
    }
  }

  const ended = supervise()
  return {
    url: urlOf(cluster.socketDir),
    stop() {
      if (!isStopping) {
        isStopping = true
        interrupt(postmaster)
      }
      return ended
    },
  }
}

/** The address of the PostgreSQL server that another process runs on this folder, or undefined. */
export async function findRunningPostgres(stateDir: string): Promise<string | undefined> {
  const folder = path.resolve(stateDir)
  if (readPidFile({ dataDir: dataDirOf(folder) })?.status !== 'ready') return undefined
  const socketDir = socketDirOf(folder)
  // A killed server leaves the same files behind, but accepts no connections.
  return (await takesConnections({ path: path.join(socketDir, `.s.PGSQL.${PORT}`) })) ? urlOf(socketDir) : undefined
}

function urlOf(socketDir: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketDir)}`
}

/** The folder's name contains PostgreSQL's major version, because the next version cannot read the files. */
function dataDirOf(stateDir: string): string {
  return path.join(stateDir, 'pg18')
}

/**
 * On some systems a socket's path can have at most 103 bytes. If the path would be longer, the socket is in a private
 * folder below the system's temporary folder.
 */
function socketDirOf(stateDir: string): string {
  const near = path.join(stateDir, 'run')
  const name = `partner-portal-${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`
  const isShort = Buffer.byteLength(path.join(near, `.s.PGSQL.${PORT}`)) <= 103
  return isShort ? near : path.join(os.tmpdir(), name)
}

async function openCluster(stateDir: string, settings: Record<string, string> = {}): Promise<Cluster> {
  mkdirSync(stateDir, { recursive: true })
  const programs = findPostgresPrograms(stateDir)
  const dataDir = dataDirOf(stateDir)
  // Unfinished folders are removed even if the database exists: after a start is killed, its `initdb` can go on writing
  // for a moment and leave such a folder behind again.
  removeUnfinished(stateDir)
  if (existsSync(dataDir)) refuseForeign(dataDir, programs)
  else await createCluster(programs, stateDir, dataDir)
  const socketDir = makeSocketDir(programs, stateDir)
  return {
    programs,
    dataDir,
    socketDir,
    settings: {
      listen_addresses: '',
      unix_socket_directories: socketDir,
      unix_socket_permissions: '0700',
      port: String(PORT),
      max_connections: '60',
      timezone: 'UTC',
      // The process that sent a statement logs the statement's errors. PostgreSQL would log partners' data with them.
      log_min_messages: 'log',
      log_min_error_statement: 'panic',
      // The portal's log adds the time.
      log_line_prefix: '',
      ...settings,
    },
  }
}

function refuseForeign(dataDir: string, programs: PostgresPrograms): void {
  const owner = statSync(dataDir).uid
  const runner = programs.user?.uid ?? process.getuid?.()
  if (owner !== runner) {
    throw new Error(`The database ${dataDir} belongs to user ${owner} and cannot be opened by user ${runner}`)
  }
}

/**
 * Makes the database in a temporary folder and then renames the folder, so that a kill in the middle leaves no
 * half-made database.
 */
async function createCluster(programs: PostgresPrograms, stateDir: string, dataDir: string): Promise<void> {
  const unfinished = path.join(stateDir, `init-${process.pid}`)
  mkdirSync(unfinished, { mode: 0o700 })
  giveTo(programs.user, unfinished)
  await run(
    programs,
    programs.commandLine('initdb', [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      '--auth=trust',
      '--no-instructions',
      '--encoding=UTF8',
      // Texts have the same order on every host, whatever locales the host has.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // The later sync of the whole file system replaces a sync for each of a thousand files.
      '--no-sync',
    ]),
  )
  await run(programs, ['sync', '-f', unfinished])
  try {
    renameSync(unfinished, dataDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another start was faster; PostgreSQL's own lock decides which of the two may run.
    if (!existsSync(dataDir)) throw error
  }
  syncFolder(stateDir)
}

function removeUnfinished(stateDir: string): void {
  for (const name of readdirSync(stateDir)) {
    const pid = /^init-(\d+)$/.exec(name)?.[1]
    if (pid === String(process.pid) || (pid && !isAlive(Number(pid)))) {
      rmSync(path.join(stateDir, name), { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

function run(programs: PostgresPrograms, [file = '', ...args]: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(file, args, { env: programs.env, ...programs.user, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${path.basename(file)} … ended with ${signal ?? code}: ${oneLine(output)}`))
    })
  })
}

function makeSocketDir(programs: PostgresPrograms, stateDir: string): string {
  const socketDir = socketDirOf(stateDir)
  mkdirSync(socketDir, { recursive: true, mode: 0o700 })
  const owner = lstatSync(socketDir).uid
  const isOurs = owner === process.getuid?.() || owner === programs.user?.uid
  if (!isOurs) throw new Error(`${socketDir} belongs to another user: remove it or choose a shorter DATA_DIR`)
  giveTo(programs.user, socketDir)
  chmodSync(socketDir, 0o700)
  return socketDir
}

function giveTo(user: PostgresPrograms['user'], folder: string): void {
  if (user) chownSync(folder, user.uid, user.gid)
}
