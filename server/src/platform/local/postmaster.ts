import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPrograms } from './postgres-programs.ts'

/** Where PostgreSQL's own lines go. */
export interface PostgresLog {
  debug(text: string): void
  warn(text: string): void
}

export type Cluster = {
  programs: PostgresPrograms
  dataDir: string
  socketDir: string
  settings: Record<string, string>
}
export type Postmaster = {
  child: ChildProcess
  exited: Promise<void>
  /** Resolves after `exited`, once all output of the server and its child processes has been read. */
  closed: Promise<void>
  lastWords(): string
}

// Used only in the name of the socket's file: the server listens on no network address.
export const PORT = 5432
const STOP_MS_MAX = 10_000
const PREDECESSOR_MS_MAX = 30_000
const IN_USE_AFTER_MS = 1_500

/** Resolves when the server accepts connections. Waits for a predecessor that is still shutting down. */
export async function startPostmaster(cluster: Cluster, log: PostgresLog): Promise<Postmaster> {
  const startedAt = performance.now()
  while (true) {
    removeStaleLocks(cluster)
    const postmaster = spawnPostmaster(cluster, log)
    if (await isReady(cluster, postmaster)) {
      if (!cluster.programs.diesWithParent) interruptWhenWeDie(postmaster.child)
      return postmaster
    }
    await postmaster.closed
    const waitedMs = performance.now() - startedAt
    const words = postmaster.lastWords()
    if (!/lock file "[^"]*" already exists|pre-existing shared memory block/.test(words)) {
      throw new Error(`PostgreSQL did not start: ${words}`)
    }
    const predecessor = readPidFile(cluster)
    const isEnding = predecessor?.status === 'stopping'
    if (waitedMs > (isEnding ? PREDECESSOR_MS_MAX : IN_USE_AFTER_MS)) {
      throw new Error(`The database ${cluster.dataDir} is in use by process ${predecessor?.pid ?? 'unknown'}`)
    }
    await sleep(50)
  }
}

function spawnPostmaster({ programs, dataDir, settings }: Cluster, log: PostgresLog): Postmaster {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [file = '', ...rest] = programs.commandLine('postgres', ['-D', dataDir, ...args])
  // The child has its own process group, so that Ctrl-C in a terminal stops only this process, which then stops the
  // child.
  const child = spawn(file, rest, {
    env: programs.env,
    ...programs.user,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let tail = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-2_000)
    log.debug(text.trimEnd())
  })
  child.once('error', (error) => {
    tail += error.message
  })
  return { child, exited: ending(child, 'exit'), closed: ending(child, 'close'), lastWords: () => oneLine(tail) }
}

function ending(child: ChildProcess, event: 'exit' | 'close'): Promise<void> {
  return new Promise((resolve) => {
    child.once(event, () => resolve())
    child.once('error', () => resolve()) // PostgreSQL did not start at all
  })
}

/** Waits until the server is ready. Resolves to false if the server ended instead. */
async function isReady(cluster: Cluster, { child, exited }: Postmaster): Promise<boolean> {
  let hasExited = false
  void exited.then(() => {
    hasExited = true
  })
  while (!hasExited) {
    const state = readPidFile(cluster)
    if (state?.pid === child.pid && state?.status === 'ready') return true
    await sleep(5)
  }
  return false
}

export function readPidFile({ dataDir }: Pick<Cluster, 'dataDir'>): { pid: number; status: string } | undefined {
  const lines = readIfThere(path.join(dataDir, 'postmaster.pid'))?.split('\n')
  return lines && { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' }
}

/**
 * PostgreSQL regards any live process with the recorded id as the owner of a lock, even an unrelated process, for
 * example after a container restarts. On Linux, this function removes the lock in that case if no PostgreSQL process
 * works in the folder. PostgreSQL itself removes all other stale locks.
 */
function removeStaleLocks(cluster: Cluster): void {
  const locks = [
    path.join(cluster.dataDir, 'postmaster.pid'),
    path.join(cluster.socketDir, `.s.PGSQL.${PORT}.lock`),
  ].map((file) => ({ file, text: readIfThere(file) }))
  if (!locks.some(({ text }) => text !== undefined && isAlive(Number.parseInt(text, 10)))) return
  if (backends(cluster)?.length !== 0) return
  for (const { file, text } of locks) {
    // A lock that changed during the search for processes now belongs to another start and is left alone.
    if (text !== undefined && readIfThere(file) === text) rmSync(file, { force: true })
  }
}

/**
 * Ends the children of a killed postmaster. They hold the shared memory until they notice its death, and a child with a
 * long statement notices it late.
 */
export function endBackends(cluster: Cluster): void {
  for (const pid of backends(cluster) ?? []) {
    try {
      process.kill(pid, 'SIGQUIT')
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * The PostgreSQL processes that have the data folder as their working folder. Undefined if the system does not show
 * them.
 */
function backends({ dataDir }: Cluster): number[] | undefined {
  if (process.platform !== 'linux') return undefined
  const folder = realpathSync(dataDir)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(folder, name))
    .map(Number)
}

function worksIn(folder: string, pid: string): boolean {
  try {
    const isThere = readlinkSync(`/proc/${pid}/cwd`) === folder
    return isThere && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false // the process has ended, is a zombie or belongs to another user
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(Math.abs(pid), 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Stops PostgreSQL when this process dies, on systems whose kernel cannot do so: the pipe from this process closes, and
 * the shell's `cat` ends.
 */
function interruptWhenWeDie(postmaster: ChildProcess): void {
  const watchdog = spawn('sh', ['-c', 'cat >/dev/null; kill -INT "$0"', String(postmaster.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  postmaster.once('exit', () => watchdog.kill('SIGKILL'))
}

/**
 * Asks for PostgreSQL's 'fast' shutdown, which cancels running statements and writes everything to disk. If that takes
 * too long, PostgreSQL ends at once and recovers at its next start.
 */
export function interrupt({ child, exited }: Postmaster): void {
  child.kill('SIGINT')
  const impatience = setTimeout(() => child.kill('SIGQUIT'), STOP_MS_MAX)
  void exited.then(() => clearTimeout(impatience))
}

export function oneLine(text: string): string {
  return text.trim().split('\n').slice(-3).join(' | ') || 'it said nothing'
}
