import { sql } from 'kysely'
import type { Tx } from './database.ts'
import type { Tables } from './tables.ts'

/** Columns that only the version before reads. */
const FORMER = new Set(['search_text'])

/**
 * Adds rows to one table in one statement, in the given order. A row that shares a unique key with an existing row is
 * not added. Returns the ids of the added rows.
 */
export async function insertSet(tx: Tx, table: keyof Tables, rows: readonly { id: string }[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const columns = sql.join(columnsOf(rows).map((column) => sql.id(column)))
  const { rows: added } = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    on conflict do nothing
    returning id`.execute(tx)
  return new Set(added.map((row) => row.id))
}

/** Overwrites the given columns of the rows with the same ids, in one statement. The caller has locked the rows. */
export async function updateSet(tx: Tx, table: keyof Tables, rows: readonly { id: string }[]): Promise<void> {
  if (rows.length === 0) return
  const assignments = columnsOf(rows).map((column) => sql`${sql.id(column)} = ${sql.id('wanted', column)}`)
  await sql`
    update ${sql.table(table)} as kept
       set ${sql.join(assignments)}
      from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) as wanted
     where kept.id = wanted.id`.execute(tx)
}

/** The columns to write: those of the first row that are still written. All rows of one set have the same columns. */
function columnsOf(rows: readonly object[]): string[] {
  return Object.keys(rows[0] ?? {}).filter((column) => !FORMER.has(column))
}
