import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { openDatabase } from './database.ts'

test('a connection that breaks while its transaction is idle ends the transaction and nothing else', async () => {
  const own = await createDatabase()
  const { db, close } = openDatabase(own.url, () => undefined)
  const transaction = db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx)
    await own.away(async () => undefined)
    await sql`select 2`.execute(tx)
  })
  await expect(transaction).rejects.toThrow(/connection|ECONNRESET/)
  expect((await sql`select 3 as three`.execute(db)).rows).toEqual([{ three: 3 }])
  await close()
})
