import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

// Writing a row takes a tenth of a millisecond, and no other call should wait longer than 10 ms.
const ROWS_AT_ONCE = 100
const READ_MS_MAX = 60_000

/**
 * Reads all rows of a statement as they are at one moment, a hundred at a time, so that the memory does not grow with
 * their number. Throws after a minute.
 */
export async function readAll<Row>(
  db: Db,
  statement: RawBuilder<Row>,
  take: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const end = performance.now() + READ_MS_MAX
  await db.transaction().execute(async (tx) => {
    await sql`declare every_row no scroll cursor for ${statement}`.execute(tx)
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(ROWS_AT_ONCE)} from every_row`.execute(tx)
      if (rows.length === 0) return
      await take(rows)
      if (performance.now() > end) throw new Error('Reading all rows takes longer than a minute')
    }
  })
}
