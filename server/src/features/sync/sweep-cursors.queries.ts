import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { SweptList } from '../../db/tables.ts'

/** How far the list has been swept. The very first sweep begins at `start`. */
export async function beginAtCursor(db: Db, list: SweptList, start: string): Promise<string> {
  await db
    .insertInto('sweep_cursors')
    .values({ list, position: start })
    .onConflict((conflict) => conflict.column('list').doNothing())
    .execute()
  const { position } = await db
    .selectFrom('sweep_cursors')
    .select('position')
    .where('list', '=', list)
    .executeTakeFirstOrThrow()
  return position
}

/** Never moves back. Of two sweeps at once, the later position counts. */
export async function moveCursor(db: Db, list: SweptList, position: string): Promise<void> {
  await db
    .updateTable('sweep_cursors')
    .set({ position: sql<string>`greatest(position, ${position}::timestamptz)` })
    .where('list', '=', list)
    .execute()
}

/**
 * Notes that all lists were read to their ends. The time is the database's, because the metrics compare it with the
 * database's clock.
 */
export async function markSwept(db: Db): Promise<void> {
  await db.updateTable('sweep_cursors').set({ swept_at: sql<string>`now()` }).execute()
}
