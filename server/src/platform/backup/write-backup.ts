import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import * as z from 'zod/mini'
import { FRAME, frame } from './frames.ts'
import { openOneConnection } from './one-connection.ts'
import { findSequences, findTables } from './tables.ts'

export const BackupHeader = z.object({
  format: z.literal('partner-portal-backup'),
  version: z.literal(1),
  made_at: z.string(),
  /** The version of the schema: the migrations that made it. */
  migrations: z.array(z.string()),
  jobs_version: z.number(),
  sequences: z.record(z.string(), z.string()),
})
export type BackupHeader = z.infer<typeof BackupHeader>

const GZIP_LEVEL = 3

/**
 * Writes a backup into a file, which appears only when it is complete, and never replaces another file. Returns how many
 * rows of each table were written.
 */
export async function writeBackup(url: string, file: string): Promise<Record<string, number>> {
  // An existing file is refused now and not after an hour of work.
  if (existsSync(file)) throw new Error(`${file} already exists: a backup never replaces another`)
  // A process id would not be unique, because all containers use the same few ids.
  const unfinished = `${file}.unfinished-${randomUUID()}`
  try {
    // The file contains applicants' data, so only its owner can read it.
    const rows = await sendBackup(url, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }))
    await link(unfinished, file)
    await syncFolder(path.dirname(file))
    return rows
  } finally {
    await rm(unfinished, { force: true })
  }
}

/**
 * Sends the portal's data as it is at one moment, while the portal continues to run. A backup that breaks off is no
 * backup: a restore refuses it. Returns how many rows of each table were sent.
 */
export async function sendBackup(url: string, output: Writable): Promise<Record<string, number>> {
  const { client, close } = await openOneConnection(url)
  const rows: Record<string, number> = {}
  try {
    await refuseEmpty(client)
    await client.query('begin isolation level repeatable read, read only')
    const source = Readable.from(content(client, rows), { objectMode: false })
    await pipeline(source, createGzip({ level: GZIP_LEVEL }), output)
  } finally {
    await close()
  }
  return rows
}

async function refuseEmpty(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(
    "select 1 where num_nulls(to_regclass('kysely_migration'), to_regclass('jobs.version')) = 0",
  )
  if (rows.length === 0) throw new Error('There is nothing to back up: no portal has started on this database')
}

async function* content(client: pg.PoolClient, rows: Record<string, number>): AsyncGenerator<Buffer> {
  yield frame(FRAME.header, await headerOf(client))
  for (const { name, columns, values } of await findTables(client)) {
    yield frame(FRAME.table, { name, columns })
    const copying = client.query(copyTo(`copy (select ${values.join(', ')} from ${name}) to stdout`))
    for await (const chunk of copying) yield frame(FRAME.rows, Buffer.from(chunk))
    rows[name] = copying.rowCount
    yield frame(FRAME.tableEnd, { rows: copying.rowCount })
  }
  yield frame(FRAME.end, {})
}

async function headerOf(client: pg.PoolClient): Promise<BackupHeader> {
  const migrations = await client.query<{ name: string }>('select name from kysely_migration order by name')
  const jobs = await client.query<{ version: number }>('select version from jobs.version')
  return {
    format: 'partner-portal-backup',
    version: 1,
    made_at: new Date().toISOString(),
    migrations: migrations.rows.map(({ name }) => name),
    jobs_version: jobs.rows[0]?.version ?? 0,
    sequences: await findSequences(client),
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
