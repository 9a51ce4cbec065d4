import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { findPooler } from '../server/src/testing/pooler.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const WAIT_MS_MAX = 60_000
const EVERY_MS = 50

export interface Running {
  child: ChildProcess
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts a program that writes its output into the log file. The program is killed when this process exits. */
function start([file = '', ...words]: string[], log: string, env = process.env): Running {
  const output = openSync(log, 'a')
  const child = spawn(file, words, { env, stdio: ['ignore', output, output] })
  closeSync(output)
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

/** Starts one process of the portal and waits until it is ready. */
export async function startPortal(
  code: string,
  log: string,
  port: number,
  env: Record<string, string>,
): Promise<Running> {
  const main = join(code, 'server/src/main.ts')
  const running = start([process.execPath, main], log, { ...process.env, ...env, PORT: String(port) })
  await until(`the portal on ${port} to be ready`, async () => {
    if (running.child.exitCode !== null || running.child.signalCode !== null)
      throw new Error(`the portal on ${port} ended: see ${log}`)
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

/** Migrates the database of these settings with the code in this folder. */
export function migrate(code: string, settings: Record<string, string>): void {
  execFileSync(process.execPath, [join(code, 'server/src/cli.ts'), 'migrate'], { env: { ...process.env, ...settings } })
}

export async function until(what: string, look: () => Promise<boolean>, msMax = WAIT_MS_MAX): Promise<void> {
  const deadline = Date.now() + msMax
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${what}`)
    await sleep(EVERY_MS)
  }
}

/**
 * Starts PgBouncer as in deploy/, in front of one PostgreSQL server. Prepared statements stay off if this version is
 * too old for them.
 */
export function startPooler(folder: string, { program, prepares }: Pooler, port: number, host: string): Running {
  const [hostname, hostPort] = host.split(':')
  const dir = join(folder, `pooler-${port}`)
  mkdirSync(dir)
  const settings = deployed('pgbouncer.ini', [
    ['host=db.example.com port=5432 dbname=portal', `host=${hostname} port=${hostPort} dbname=portal user=portal`],
    ['listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`],
    ['auth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt', 'auth_type = any'],
    ...(prepares ? [] : [['max_prepared_statements = 200', ''] as const]),
  ])
  writeFileSync(join(dir, 'pgbouncer.ini'), settings)
  chmodSync(dir, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  return start([program, ...user, join(dir, 'pgbouncer.ini')], join(folder, `pooler-${port}.log`))
}

export type Pooler = NonNullable<ReturnType<typeof findPooler>>

/**
 * Starts HAProxy with a health check every second and no retries, so a request fails if a web process refuses or drops
 * it.
 */
export function startPlainBalancer(folder: string, program: string, port: number, webs: readonly number[]): Running {
  const settings = [
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
    '  option httpchk GET /api/ready?for=pages',
    '  http-check expect status 200',
    '  timeout check 3s',
    '  default-server check inter 1s fall 2 rise 1',
    ...webs.map((one) => `  server web-${one} 127.0.0.1:${one}`),
  ]
  return startHaproxy(folder, program, 'plain', settings.join('\n'))
}

/** Starts HAProxy as in deploy/. */
export function startBalancer(folder: string, program: string, port: number, webs: readonly number[]): Running {
  const settings = deployed('haproxy.cfg', [['bind :8080', `bind 127.0.0.1:${port}`], ...addressesOf(webs)])
  return startHaproxy(folder, program, 'deployed', settings)
}

function startHaproxy(folder: string, program: string, name: string, settings: string): Running {
  const file = join(folder, `haproxy-${name}.cfg`)
  writeFileSync(file, `${settings}\n`)
  return start([program, '-db', '-f', file], join(folder, `haproxy-${name}.log`))
}

/** Starts nginx as in deploy/. */
export function startNginx(folder: string, program: string, port: number, webs: readonly number[]): Running {
  const file = join(folder, 'nginx.conf')
  const site = deployed('nginx.conf', [['listen 8080', `listen 127.0.0.1:${port}`], ...addressesOf(webs)])
  const dirs = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/nginx-${one};`,
  )
  writeFileSync(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${dirs.join('\n')}\naccess_log off;\n${site}}\n`)
  return start([program, '-c', file, '-g', 'daemon off; error_log stderr;'], join(folder, 'nginx.log'))
}

/** Starts Caddy as in deploy/, without the certificate. */
export function startCaddy(folder: string, program: string, port: number, webs: readonly number[]): Running {
  const file = join(folder, 'Caddyfile')
  const site = deployed('Caddyfile', [['portal.example.com', `http://127.0.0.1:${port}`], ...addressesOf(webs)])
  writeFileSync(file, `{\n\tadmin off\n}\n${site}`)
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  return start([program, 'run', '--config', file, '--adapter', 'caddyfile'], join(folder, 'caddy.log'), env)
}

function addressesOf(webs: readonly number[]): [string, string][] {
  return webs.map((port, i) => [`web-${i + 1}:3000`, `127.0.0.1:${port}`])
}

/** Reads a configuration file of deploy/ and puts in the trial's addresses. */
function deployed(file: string, changes: readonly (readonly [string, string])[]): string {
  let text = readFileSync(join(DEPLOY, file), 'utf8')
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`deploy/${file} has no '${from}' any more`)
    text = text.replaceAll(from, to)
  }
  return text
}
