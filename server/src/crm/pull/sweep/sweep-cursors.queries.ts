import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { SweptList } from '../../../platform/db/tables.ts'

/** Returns how far the list has been swept. The very first sweep begins at `start`. */
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

/** How far the list has been swept. Undefined before its very first sweep. */
export async function findCursor(db: Db, list: SweptList): Promise<string | undefined> {
  const row = await db.selectFrom('sweep_cursors').select('position').where('list', '=', list).executeTakeFirst()
  return row?.position
}

/** Forgets how far the list has been swept, so that its next sweep is its first. */
export async function endCursor(db: Db, list: SweptList): Promise<void> {
  await db.deleteFrom('sweep_cursors').where('list', '=', list).execute()
}

/** Never moves the cursor back. If two sweeps run at once, the later position is kept. */
export async function moveCursor(db: Db, list: SweptList, position: string): Promise<void> {
  await db
    .updateTable('sweep_cursors')
    .set({ position: sql<string>`greatest(position, ${position}::timestamptz)` })
    .where('list', '=', list)
    .execute()
}

/**
 * Stores that all lists have now been read to their ends. Takes the time from the database, because the metrics compare
 * it with the database's clock.
 */
export async function markSwept(db: Db): Promise<void> {
  await db.updateTable('sweep_cursors').set({ swept_at: sql<string>`now()` }).execute()
}
