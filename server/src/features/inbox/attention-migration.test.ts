import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { createDatabase } from '../../testing/databases.ts'
import { startPortal } from '../../testing/start-portal.ts'
import { findAttention } from './find-attention.ts'

const BEFORE_DONE = '0038_erased_loan_purpose'

test('notes that somebody of the business had opened or put away before the upgrade count as done, and other notes still need attention', async () => {
  const database = await createDatabase()
  const { db, close } = openDatabase(database.url, () => undefined)
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  await migrate(db, BEFORE_DONE)
  const [partnerId, ada, bob] = [newId(), newId(), newId()]
  const long = new Date(Date.now() - 86_400_000)
  await sql`insert into partners (id, business_name, created_at, modified_time) values (${partnerId}, 'Ada', ${long}, ${long})`.execute(
    db,
  )
  for (const id of [ada, bob])
    await sql`insert into people (id, partner_id, email, password_hash, role, created_at, modified_time)
              values (${id}, ${partnerId}, ${id}, 'x', 'owner', ${long}, ${long})`.execute(db)
  const note = async (loid: string, minutesAgo: number) => {
    const at = new Date(Date.now() - minutesAgo * 60_000)
    const data = {
      on: 'lead',
      business_name: loid,
      created_by: 'Priya Nair',
      submitted_by: null,
      content: 'Please call',
    }
    await sql`insert into events (id, partner_id, type, loid, data, created_at)
              values (${newId(at)}, ${partnerId}, 'note.added', ${loid}, ${JSON.stringify(data)}, ${at})`.execute(db)
    return at
  }
  const leads = new Map<string, string>()
  for (const loid of ['LO-00000AAA', 'LO-00000BBB', 'LO-00000CCC', 'LO-00000DDD']) {
    const id = newId()
    leads.set(loid, id)
    await sql`insert into leads (id, partner_id, loid, business_name, lead_status, owns_property, created_at, modified_time, crm)
              values (${id}, ${partnerId}, ${loid}, ${loid}, 'Pre Call', false, ${long}, ${long}, 'synced')`.execute(db)
  }
  // Bob opened the first lead, and Ada put the second away. Nobody saw the third, nor the newer note on the fourth.
  await note('LO-00000AAA', 10)
  const hidden = await note('LO-00000BBB', 9)
  await note('LO-00000CCC', 8)
  await note('LO-00000DDD', 7)
  await sql`insert into seen_records select ${bob}, loid, now() - interval '5 minutes', pg_current_snapshot()
              from unnest(array['LO-00000AAA', 'LO-00000DDD']) as loid`.execute(db)
  await sql`insert into put_away values (${ada}, 'lender-note', ${leads.get('LO-00000BBB') ?? ''}, ${hidden.getTime() * 1_000 + 1}, now())`.execute(
    db,
  )
  await note('LO-00000DDD', 1)
  await close()

  await using portal = await startPortal({ on: { database } })
  const caller = {
    id: partnerId,
    businessName: 'Ada',
    submitter: { id: ada, name: 'Ada' },
    personId: ada,
    role: 'owner' as const,
    personRights: [],
    mustSetUpSecondFactor: false,
    token: '',
  }
  const { items } = await findAttention(portal.deps, caller)
  expect(items.map(({ kind, loid, note: told }) => [kind, loid, told?.count])).toEqual([
    ['lender-note', 'LO-00000DDD', 1],
    ['lender-note', 'LO-00000CCC', 1],
  ])
})
