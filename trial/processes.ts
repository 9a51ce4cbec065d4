import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const MAIN = join(import.meta.dirname, '../server/src/main.ts')
const START_MS_MAX = 60_000
const EVERY_MS = 50

export interface Running {
  child: ChildProcess
  kill(signal: NodeJS.Signals): Promise<void>
}

/** A program whose words go into a log file, and which does not outlive this one. */
export function start(folder: string, name: string, [file = '', ...words]: string[], env = process.env): Running {
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const killLast = () => child.kill('SIGKILL')
  process.once('exit', killLast)
  child.once('exit', () => process.off('exit', killLast))
  return {
    child,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/** One process of the portal, once it is ready. */
export async function startPortal(
  folder: string,
  name: string,
  port: number,
  env: Record<string, string>,
): Promise<Running> {
  const settings = { ...process.env, ...env, PORT: String(port), DATA_DIR: join(folder, 'data') }
  const running = start(folder, name, [process.execPath, MAIN], settings)
  await until(`${name} to be ready`, async () => {
    if (running.child.exitCode !== null)
      throw new Error(`${name} ended with ${running.child.exitCode}: see ${folder}/${name}.log`)
    return isReady(port)
  })
  return running
}

export function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/api/ready`).then(
    (answer) => answer.ok,
    () => false,
  )
}

export async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + START_MS_MAX
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await sleep(EVERY_MS)
  }
}

/** PgBouncer in transaction mode before one server. */
export function startPooler(folder: string, program: string, port: number, host: string): Running {
  const [hostname, hostPort] = host.split(':')
  const dir = join(folder, `pooler-${port}`)
  mkdirSync(dir)
  const settings = [
    '[databases]',
    `portal = host=${hostname} port=${hostPort} user=portal dbname=portal`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 20',
    'max_client_conn = 1000',
  ]
  writeFileSync(join(dir, 'pgbouncer.ini'), settings.join('\n'))
  chmodSync(dir, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  return start(folder, `pooler-${port}`, [program, ...user, join(dir, 'pgbouncer.ini')])
}

/** HAProxy as in deploy/, without retries, which would hide what fails. */
export function startBalancer(folder: string, program: string, port: number, servers: readonly number[]): Running {
  const file = join(folder, 'haproxy.cfg')
  const settings = [
    'global',
    '  maxconn 2000',
    'defaults',
    '  mode http',
    '  retries 0',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    'frontend portal',
    `  bind 127.0.0.1:${port}`,
    '  default_backend web',
    'backend web',
    '  balance leastconn',
    '  option httpchk GET /api/ready',
    '  http-check expect status 200',
    '  timeout check 3s',
    '  default-server check inter 1s fall 2 rise 1',
    ...servers.map((one) => `  server web-${one} 127.0.0.1:${one}`),
    '',
  ]
  writeFileSync(file, settings.join('\n'))
  return start(folder, 'haproxy', [program, '-db', '-f', file])
}
