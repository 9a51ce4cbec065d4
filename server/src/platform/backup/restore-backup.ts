import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import * as z from 'zod/mini'
import type { Tx } from '../db/database.ts'
import { findOwnMigrations, migrate } from '../db/migrate.ts'
import { FRAME, type Frame, readFrames } from './frames.ts'
import { openOneConnection } from './one-connection.ts'
import { BackupHeader } from './write-backup.ts'

const TableFrame = z.object({ name: z.string(), columns: z.array(z.string()) })
const TableEndFrame = z.object({ rows: z.number() })

/** A fault in the file or the database, described for the operator. */
export class RestoreRefused extends Error {}

/**
 * Restores a backup into an empty database, either completely or not at all. Afterwards the data of an older version is
 * migrated. `makeJobSchema` makes the schema of the job queue. Returns how many rows each table has.
 */
export async function restoreBackup(
  url: string,
  openBackup: () => Readable,
  makeJobSchema: () => Promise<void>,
): Promise<Record<string, number>> {
  const { client, db, close } = await openOneConnection(url)
  const bytes = openBackup()
  const unpacked = createGunzip()
  // The loop that reads the frames reports a failure of this pipeline.
  const reading = pipeline(bytes, unpacked).catch(() => undefined)
  try {
    const frames = readFrames(unpacked)
    const header = readHeader((await next(frames)) ?? missing())
    await refuseNewer(header)
    await refuseFull(client)
    await makeJobSchema()
    const rows = await db.transaction().execute(async (tx) => {
      // Creating an index over all rows needs this memory.
      await client.query(`set local maintenance_work_mem to '256MB'`)
      await migrate(tx, header.migrations.at(-1))
      await refuseOtherJobs(client, header)
      return fillTables(tx, client, frames, header)
    })
    await migrate(db)
    await client.query('analyze')
    return rows
  } finally {
    // Both streams must be closed: even after the end mark, unpacked content can be left unread.
    bytes.destroy()
    unpacked.destroy()
    await reading
    await close()
  }
}

async function next(frames: AsyncGenerator<Frame>): Promise<Frame | undefined> {
  try {
    const { value, done } = await frames.next()
    return done ? undefined : value
  } catch (error) {
    throw new RestoreRefused(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function missing(): never {
  throw new RestoreRefused('The file ends too early: the backup is incomplete')
}

function readHeader({ kind, payload }: Frame): BackupHeader {
  const header = kind === FRAME.header ? BackupHeader.safeParse(JSON.parse(payload.toString())) : undefined
  if (!header?.success) throw new RestoreRefused('This is not a backup of the portal')
  return header.data
}

async function refuseNewer({ migrations }: BackupHeader): Promise<void> {
  const own = await findOwnMigrations()
  const unknown = migrations.find((name) => !own.includes(name))
  if (unknown) {
    throw new RestoreRefused(
      `The backup was made by a newer version of the portal (it has ${unknown}): restore it with that version`,
    )
  }
}

async function refuseFull(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace space on space.oid = relnamespace
     where nspname = 'public' and relkind in ('r', 'p')
       and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
     limit 1`)
  const [table] = rows
  if (table) throw new RestoreRefused(`The database is not empty (it has ${table.name}): restore into an empty one`)
}

async function refuseOtherJobs(client: pg.PoolClient, { jobs_version }: BackupHeader): Promise<void> {
  const { rows } = await client.query<{ version: number }>('select version from jobs.version')
  const version = rows[0]?.version
  if (version !== jobs_version) {
    throw new RestoreRefused(
      `The backup’s job queue has version ${jobs_version}, but this portal’s has version ${version}: restore the backup with the portal that made it, then upgrade`,
    )
  }
}

async function fillTables(
  tx: Tx,
  client: pg.PoolClient,
  frames: AsyncGenerator<Frame>,
  header: BackupHeader,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (;;) {
    const { kind, payload } = (await next(frames)) ?? missing()
    if (kind === FRAME.end) break
    const { name, columns } = TableFrame.parse(JSON.parse(payload.toString()))
    const indexes = await dropIndexes(client, name)
    // The backup already contains the rows that triggers write. Constraints remain enabled.
    await client.query(`alter table ${name} disable trigger user`)
    rows[name] = await fillTable(client, `copy ${name} (${columns.join(', ')}) from stdin`, frames)
    await client.query(`alter table ${name} enable trigger user`)
    for (const definition of indexes) await client.query(definition)
  }
  for (const [sequence, value] of Object.entries(header.sequences)) {
    await client.query('select setval($1::regclass, $2::bigint)', [sequence, value])
  }
  if (!tx.isTransaction) throw new Error('A restore is one transaction')
  return rows
}

/**
 * Drops the indexes and returns the statements that create them again. Indexing all rows at once takes a fraction of
 * the time that indexing them one by one would take. Unique indexes stay. Indexes of a partitioned table also stay,
 * because their definitions leave out the partitions.
 */
async function dropIndexes(client: pg.PoolClient, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = $1::regclass and relkind = 'i' and not indisunique`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

async function fillTable(client: pg.PoolClient, statement: string, frames: AsyncGenerator<Frame>): Promise<number> {
  const filling = client.query(copyFrom(statement))
  let expected = 0
  async function* rowsOfTable(): AsyncGenerator<Buffer> {
    for (;;) {
      const { kind, payload } = (await next(frames)) ?? missing()
      if (kind === FRAME.rows) yield payload
      else {
        expected = TableEndFrame.parse(JSON.parse(payload.toString())).rows
        return
      }
    }
  }
  await pipeline(rowsOfTable(), filling)
  if (filling.rowCount !== expected)
    throw new RestoreRefused(`${statement}: ${filling.rowCount} of ${expected} rows were stored`)
  return expected
}
