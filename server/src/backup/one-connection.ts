import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type Db, openDatabase } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

/**
 * Kysely and COPY over the same connection, so that both are in one transaction. Nothing here has a deadline, because
 * tables are large.
 */
export async function openOneConnection(
  url: string,
): Promise<{ client: pg.PoolClient; db: Db; close(): Promise<void> }> {
  const { pool, close } = openDatabase(url, () => undefined)
  const client = await pool.connect()
  const { release: giveBack } = client
  // Kysely releases the connection after each statement.
  const lent = Object.assign(client, { release: () => undefined })
  const one = { connect: async () => lent, end: async () => undefined, options: {} }
  return {
    client,
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: one }) }),
    async close() {
      giveBack.call(client, true)
      await close()
    },
  }
}
