import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PostgresPair {
  /** The addresses of the first and the second server. Connections need no credentials. */
  hosts: string[]
  /**
   * Freezes the first server and all its processes. Its connections stay open, but the server sends nothing over them.
   */
  freezePrimary(): void
  thawPrimary(): void
  /**
   * Fills the file system of the first server's write-ahead log. Undefined if no small file system could be mounted.
   */
  fillLogDisk: (() => void) | undefined
  /** Frees the space again, and starts the first server if it has stopped. */
  freeLogDisk(): void
  /** Kills the main process of the first server, so that the server ends without a clean shutdown. */
  killPrimary(): void
  /** Makes the second server accept writes. */
  promote(): void
  stop(): void
}

const LOG_DISK = 'size=256m'
/** `wal_keep_size` lets the standby catch up after it was cut off from the first server for a while. */
const LOG_SETTINGS = ['min_wal_size=2MB', 'max_wal_size=48MB', 'wal_keep_size=128MB']
/** More than fits into the log files that PostgreSQL prepares in advance. */
const LOG_BYTES = 64 * 1024 * 1024

/**
 * Starts two PostgreSQL servers from Debian's package, with synchronous replication: the second has every write that
 * the first acknowledges. PostgreSQL refuses to run as root, so root starts both servers as the user postgres.
 */
export function startPostgresPair(folder: string, bin: string, ports: [number, number]): PostgresPair {
  const isRoot = process.getuid?.() === 0
  const [primary, standby, logDisk] = [join(folder, 'primary'), join(folder, 'standby'), join(folder, 'log-disk')]
  const ballast = join(logDisk, 'ballast')
  for (const dir of [primary, standby, logDisk]) mkdirSync(dir, { recursive: true, mode: 0o700 })
  const hasLogDisk = isRoot && mount()
  if (isRoot) for (const dir of [primary, standby, logDisk]) chownSync(dir, idOf('-u'), idOf('-g'))

  function run(program: string, ...words: string[]): void {
    const line = [join(bin, program), ...words]
    const [file = '', ...rest] = isRoot
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...line]
      : line
    execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' })
  }

  function start(dir: string, port: number, ...more: string[]): void {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...LOG_SETTINGS,
      ...more,
    ]
    const options = settings.map((setting) => `-c ${setting}`).join(' ')
    run('pg_ctl', '-D', dir, '-l', join(dir, 'server.log'), '-w', '-o', options, 'start')
  }

  const startPrimary = () => start(primary, ports[0], 'synchronous_standby_names=*', 'synchronous_commit=on')
  const at = ['-h', '127.0.0.1', '-p', String(ports[0]), '-U', 'portal']
  const tell = (statement: string) => run('psql', ...at, '-d', 'postgres', '-c', statement)

  run(
    'initdb',
    '-D',
    primary,
    '-U',
    'portal',
    '--auth=trust',
    '--locale=C.UTF-8',
    '--wal-segsize=1',
    '-X',
    join(logDisk, 'wal'),
  )
  start(primary, ports[0])
  // docs/operations.md requires these settings for a role behind a pooler.
  tell("alter role portal set timezone to 'UTC'")
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    tell(`alter role portal set ${limit} to '5s'`)
  tell('alter role portal set max_parallel_workers_per_gather to 0')
  tell('create database portal')
  run('pg_basebackup', ...at, '-D', standby, '-R', '-X', 'stream', '--checkpoint=fast')
  start(standby, ports[1])
  run('pg_ctl', '-D', primary, '-m', 'fast', '-w', 'stop')
  startPrimary()

  function mount(): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', LOG_DISK, 'trial', logDisk], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  /**
   * Lists the postmaster first, so that it gets a signal first. Otherwise the postmaster would restart children that it
   * believes to be dead.
   */
  function pidsOfPrimary(): number[] {
    const [pid = ''] = readFileSync(join(primary, 'postmaster.pid'), 'utf8').split('\n')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return [pid, ...children.filter(Boolean)].map(Number)
  }

  function signalPrimary(signal: NodeJS.Signals): void {
    for (const pid of pidsOfPrimary()) process.kill(pid, signal)
  }

  return {
    hosts: ports.map((port) => `127.0.0.1:${port}`),
    freezePrimary: () => signalPrimary('SIGSTOP'),
    thawPrimary: () => signalPrimary('SIGCONT'),
    fillLogDisk: hasLogDisk
      ? () => {
          try {
            writeFileSync(ballast, Buffer.alloc(256 * 1024 * 1024))
          } catch {
            // The disk is full now.
          }
          try {
            tell(`select pg_logical_emit_message(true, 'trial', repeat('x', ${LOG_BYTES}))`)
          } catch {
            // The prepared log files are full now too.
          }
        }
      : undefined,
    freeLogDisk() {
      rmSync(ballast)
      try {
        run('pg_ctl', '-D', primary, 'status')
      } catch {
        startPrimary()
      }
    },
    killPrimary: () => process.kill(pidsOfPrimary()[0] ?? 0, 'SIGKILL'),
    promote: () => run('pg_ctl', '-D', standby, '-w', 'promote'),
    stop() {
      for (const dir of [standby, primary]) {
        try {
          run('pg_ctl', '-D', dir, '-m', 'immediate', 'stop')
        } catch {
          // This server was killed.
        }
      }
      if (hasLogDisk) execFileSync('umount', ['--lazy', logDisk])
    },
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}
