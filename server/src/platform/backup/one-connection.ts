import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type Db, openDatabase } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

/**
 * Opens one connection for both Kysely and COPY, so that both are in one transaction. Statements have no deadline,
 * because tables are large.
 */
export async function openOneConnection(
  url: string,
): Promise<{ client: pg.PoolClient; db: Db; close(): Promise<void> }> {
  const { pool, close } = openDatabase(url, () => undefined)
  const client = await pool.connect()
  const { release: giveBack } = client
  // Kysely releases its connection after each statement, but this connection must stay open.
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
