import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openDatabase } from '../server/src/platform/db/database.ts'

const ROOT = resolve(import.meta.dirname, '..')
const PORT = 3420
const CRM_PORT = 3920
const LOOK_EVERY_MS = 10
const START_MS_MAX = 300_000
const LAST_LINES = 20
/** A product that was asked to stop ends within this time. */
const END_MS_MAX = 10_000

export interface Product {
  url: string
  /** The address of the CRM sandbox. */
  crmUrl: string
  /** Time from the command until the product is ready. */
  startMs: number
  /** The address of the product's own database. `pool` holds connections to this database. */
  databaseUrl: string
  pool: pg.Pool
  residentMb(): number
  /** The resident memory at this moment, in kB. */
  residentKbNow(): number
  /** The CPU time that all threads of the server's process have used so far. */
  cpuMs(): number
  /** The CPU time of all processes of PostgreSQL, including ended ones. */
  postgresCpuMs(): number
  /** The unshared memory of a PostgreSQL process that serves a connection: the median of these processes. */
  connectionKb(): number
  /** Resolves when the product has ended, which is printed if nobody here has ended it. */
  ended: Promise<unknown>
  stop(): Promise<void>
  /** Kills the server's process, as a crash would. Its PostgreSQL and sandbox then stop by themselves. */
  kill(): Promise<void>
}

const running = new Set<Product>()

/**
 * A temporary folder for products. If `work` fails and leaves a product running, the product is stopped before its data
 * is removed.
 */
export function withEmptyFolder(work: (folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    try {
      await work(folder)
    } catch (error) {
      // The work may have failed because a product is ending.
      await Promise.race([sleep(END_MS_MAX), Promise.all(Array.from(running, ({ ended }) => ended))])
      throw error
    } finally {
      await Promise.all(Array.from(running, (product) => product.stop()))
    }
  })
}

export async function withTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Clones this repository into the folder and checks out the commit. */
export function cloneAt(commit: string, folder: string): void {
  execFileSync('git', ['clone', '--quiet', ROOT, folder])
  const name = execFileSync('git', ['rev-parse', commit], { cwd: ROOT, encoding: 'utf8' }).trim()
  execFileSync('git', ['checkout', '--quiet', name], { cwd: folder })
}

/**
 * Runs `npm start` or `npm run start:prod` on the given data folder, as a user would. `root` may name another clone.
 */
export async function startProduct(
  folder: string,
  settings: Record<string, string> = {},
  root = ROOT,
  script: 'start' | 'start:prod' = 'start',
): Promise<Product> {
  const startedAt = performance.now()
  const env = {
    ...process.env,
    PORT: String(PORT),
    CRM_PORT: String(CRM_PORT),
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    SEED_DEMO: 'false',
    ...settings,
  }
  mkdirSync(folder, { recursive: true })
  const output = join(folder, 'output-of-the-product.log')
  const child = spawn('npm', ['run', script], { cwd: root, env, stdio: ['ignore', openSync(output, 'a'), 'inherit'] })
  const ended = once(child, 'exit')
  let isEnding = false
  // npm itself says nothing of a server that was killed.
  child.once('exit', (code, signal) => {
    if (isEnding) return
    const last = readFileSync(output, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
    console.error(`The product ended by itself (${signal ?? `exit code ${code}`}). The end of its output:\n${last}`)
  })
  const url = `http://127.0.0.1:${env.PORT}`
  while (!(await answers(`${url}/api/ready`))) {
    if ((child.exitCode ?? child.signalCode) !== null || performance.now() - startedAt > START_MS_MAX)
      throw new Error('the product did not start')
    await sleep(LOOK_EVERY_MS)
  }
  const startMs = performance.now() - startedAt
  const serverPid = serverBelow(child.pid ?? 0)
  const address = databaseUrl(folder)
  const postgresPid = Number(postmasterFile(folder)[0])
  const database = openDatabase(address, () => undefined)
  const product: Product = {
    url,
    crmUrl: `http://127.0.0.1:${env.CRM_PORT}`,
    startMs,
    databaseUrl: address,
    pool: database.pool,
    residentMb: () => Math.round(statusKb(serverPid, 'VmHWM') / 1_024),
    residentKbNow: () => statusKb(serverPid, 'VmRSS'),
    cpuMs: () => cpuMs(serverPid),
    postgresCpuMs: () =>
      [postgresPid, ...childrenOf(postgresPid)].reduce((sum, pid) => sum + cpuMs(pid), endedCpuMs(postgresPid)),
    connectionKb() {
      const own = childrenOf(postgresPid).filter(servesConnection).map(unsharedKb)
      return own.toSorted((a, b) => a - b)[Math.floor(own.length / 2)] ?? Number.NaN
    },
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    running.delete(product)
    await database.close()
    if (existsSync(`/proc/${serverPid}`)) {
      isEnding = true
      process.kill(serverPid, signal)
    }
    await ended
  }
  running.add(product)
  return product
}

/**
 * Finds the server's process. npm starts the script on the host's Node, and the script may start itself again on the
 * portal's own Node.
 */
function serverBelow(pid: number): number {
  const next = childrenOf(pid).find((child) => /scripts\/start(-prod)?\.mjs/.test(commandOf(child)))
  return next === undefined ? pid : serverBelow(next)
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
}

/**
 * Whether the process serves a connection. PostgreSQL names user, database and origin in the title of such a process:
 * `postgres: postgres postgres [local] idle`.
 */
function servesConnection(pid: number): boolean {
  return commandOf(pid).includes('[local]')
}

function unsharedKb(pid: number): number {
  return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  )
}

/** The lines of PostgreSQL's `postmaster.pid`: the first is the process id, the fifth the folder of the socket. */
function postmasterFile(folder: string): string[] {
  const [file = ''] = globSync(join(folder, 'postgres/*/postmaster.pid'))
  return readFileSync(file, 'utf8').split('\n')
}

function databaseUrl(folder: string): string {
  const socketFolder = postmasterFile(folder)[4] ?? ''
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder)}`
}

/** Not a number if the process has ended: how it ended is said elsewhere. */
function statusKb(pid: number, name: 'VmHWM' | 'VmRSS'): number {
  if (!existsSync(`/proc/${pid}`)) return Number.NaN
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** CPU time of the process in its own code and in the kernel. Linux counts it in hundredths of a second. */
export function cpuMs(pid: number): number {
  return 10 * (statField(pid, 11) + statField(pid, 12))
}

/** CPU time of the process's children that have ended. */
function endedCpuMs(pid: number): number {
  return 10 * (statField(pid, 13) + statField(pid, 14))
}

function statField(pid: number, field: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[field])
}
