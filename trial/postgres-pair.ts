import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PostgresPair {
  /** Of the first and the second server, each an address without credentials that needs none. */
  hosts: string[]
  /** The first server and all its processes are gone at once, and nothing is written down. */
  killPrimary(): void
  /** The second server takes writes from now on. */
  promote(): void
  stop(): void
}

/**
 * Two servers of Debian's PostgreSQL with synchronous replication: what the first acknowledges, the second has. They refuse
 * root, who runs them as the user postgres.
 */
export function startPostgresPair(folder: string, bin: string, ports: [number, number]): PostgresPair {
  const isRoot = process.getuid?.() === 0
  const [primary, standby] = [join(folder, 'primary'), join(folder, 'standby')]
  for (const dir of [primary, standby]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    if (isRoot) chownSync(dir, idOf('-u'), idOf('-g'))
  }

  function run(program: string, ...words: string[]): void {
    const line = [join(bin, program), ...words]
    const [file = '', ...rest] = isRoot
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...line]
      : line
    execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' })
  }

  function start(dir: string, port: number, ...more: string[]): void {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${dir}`,
      'max_connections=200',
      ...more,
    ]
    const options = settings.map((setting) => `-c ${setting}`).join(' ')
    run('pg_ctl', '-D', dir, '-l', join(dir, 'server.log'), '-w', '-o', options, 'start')
  }

  run('initdb', '-D', primary, '-U', 'portal', '--auth=trust', '--locale=C.UTF-8')
  start(primary, ports[0])
  run(
    'psql',
    '-h',
    '127.0.0.1',
    '-p',
    String(ports[0]),
    '-U',
    'portal',
    '-d',
    'postgres',
    '-c',
    "alter role portal set timezone to 'UTC'",
  )
  run(
    'psql',
    '-h',
    '127.0.0.1',
    '-p',
    String(ports[0]),
    '-U',
    'portal',
    '-d',
    'postgres',
    '-c',
    'create database portal',
  )
  run(
    'pg_basebackup',
    '-h',
    '127.0.0.1',
    '-p',
    String(ports[0]),
    '-U',
    'portal',
    '-D',
    standby,
    '-R',
    '-X',
    'stream',
    '--checkpoint=fast',
  )
  start(standby, ports[1])
  run('pg_ctl', '-D', primary, '-m', 'fast', '-w', 'stop')
  start(primary, ports[0], 'synchronous_standby_names=*', 'synchronous_commit=on')

  return {
    hosts: ports.map((port) => `127.0.0.1:${port}`),
    killPrimary() {
      const [pid = ''] = readFileSync(join(primary, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
    promote: () => run('pg_ctl', '-D', standby, '-w', 'promote'),
    stop() {
      for (const dir of [standby, primary]) {
        try {
          run('pg_ctl', '-D', dir, '-m', 'immediate', 'stop')
        } catch {
          // The one that was killed.
        }
      }
    },
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}
