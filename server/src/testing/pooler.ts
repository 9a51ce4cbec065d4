import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from './wait-for.ts'

/**
 * Finds PgBouncer, if the machine has it. `prepares` says whether it supports named prepared statements (from version
 * 1.21).
 */
export function findPooler(): { program: string; prepares: boolean } | undefined {
  for (const program of ['pgbouncer', '/usr/sbin/pgbouncer']) {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    const version = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '')
    if (version) return { program, prepares: Number(version[1]) > 1 || Number(version[2]) >= 21 }
  }
  return undefined
}

/**
 * Starts PgBouncer in transaction mode with few connections to a database that has a TCP port. Other settings have
 * their defaults.
 */
export async function openPooler(program: string, databaseUrl: string) {
  const { hostname, port, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'pooler-'))
  const listenPort = 20_000 + Math.floor(Math.random() * 10_000)
  const settings = `
    [databases]
    ${pathname.slice(1)} = host=${hostname} port=${port} user=postgres
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${listenPort}
    unix_socket_dir =
    auth_type = any
    pool_mode = transaction
    default_pool_size = 4
    max_client_conn = 500`
  await writeFile(join(folder, 'pgbouncer.ini'), settings.replaceAll(/^ +/gm, ''))
  await chmod(folder, 0o755)
  // PgBouncer refuses to run as root.
  const words = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...words, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(listenPort, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
    })
  await waitFor('PgBouncer to listen', listens)
  return {
    url: `postgres://postgres@127.0.0.1:${listenPort}${pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'close')
      await rm(folder, { recursive: true })
    },
  }
}
