import { expect, test } from 'vitest'
import { openDatabase } from '../../platform/db/database.ts'
import { openLender } from '../../testing/lender.ts'
import { startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

test('while the CRM hangs, jobs hold no database connections: the portal is ready, answers and accepts leads', async () => {
  // Jobs get half of these connections: two, for three partners.
  await using portal = await startPortal({ withCrm: true, env: { DATABASE_POOL: '4' } })
  const lender = openLender(portal.crmUrl)
  await lender.faults({ slowMs: 4_000 })
  const partners = await Promise.all([portal.newPartner(), portal.newPartner(), portal.newPartner()])
  const { pool, close } = openDatabase(portal.database.url, () => undefined)
  await waitFor('the pushes to run', async () => {
    const active = await pool.query("select from jobs.job where state = 'active' and name = 'push-partner'")
    return active.rowCount === partners.length
  })
  await close()

  expect((await portal.get('/ready')).status).toBe(200)
  for (const partner of partners) {
    await partner.submitLead()
    for (const path of ['/dashboard/stats', '/dashboard/leads', '/crm/search?q=Okafor']) {
      expect([path, (await partner.get(path)).status]).toEqual([path, 200])
    }
  }

  await lender.faults({})
  const inCrm = await waitFor('the partners in the CRM', async () => {
    const records = await lender.list('Partners', 'Name')
    return records.length >= partners.length && records
  })
  expect(inCrm).toHaveLength(partners.length)
})
