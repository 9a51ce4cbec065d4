import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../platform/local/embedded-postgres.ts'

/** Starts a PostgreSQL server and a standby, which replays the server's writes a few milliseconds later. */
export async function startPostgresPair() {
  const folder = await mkdtemp(join(tmpdir(), 'pair-'))
  const [primaryFolder, standbyFolder] = [join(folder, 'primary'), join(folder, 'standby')]
  const log = { debug: () => undefined, warn: () => undefined }
  const quick = { fsync: 'off', autovacuum: 'off' }
  const primary = await startEmbeddedPostgres(primaryFolder, { log, settings: quick })
  await copyRunning(primary.url, primaryFolder, standbyFolder)
  const socketFolder = new URL(primary.url).searchParams.get('host')
  const standby = await startEmbeddedPostgres(standbyFolder, {
    log,
    settings: { ...quick, primary_conninfo: `host=${socketFolder} user=postgres` },
  })
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([standby.stop(), primary.stop()])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * Does the work of `pg_basebackup`, which the embedded PostgreSQL lacks: copies the files of a running server, and
 * writes down the position in the write-ahead log from which the standby must replay.
 */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query("select pg_backup_start('pair', true)")
  await mkdir(to)
  // `-a` keeps the owner of each file, who may be a different user from the one who runs the tests.
  execFileSync('cp', ['-a', join(from, 'pg18'), to])
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  await rm(join(to, 'pg18', 'postmaster.pid'))
  await writeFile(join(to, 'pg18', 'backup_label'), rows[0]?.labelfile ?? '')
  await writeFile(join(to, 'pg18', 'standby.signal'), '')
}
