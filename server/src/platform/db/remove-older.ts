import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

type Column<Table extends keyof Tables> = keyof Tables[Table] & string

interface Aging<Table extends keyof Tables> {
  table: Table
  /** The columns that identify a row. */
  key: readonly Column<Table>[]
  time: Column<Table>
}

/** Removes rows whose time is before this one, at most `rowsMax` of them. Returns how many. */
export async function removeOlder<Table extends keyof Tables>(
  db: Db,
  { table, key, time }: Aging<Table>,
  before: string,
  rowsMax: number,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(time)} < ${before} limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}
