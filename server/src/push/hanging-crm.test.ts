import { expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { startSync } from '../features/sync/start-sync.ts'
import { openLender } from '../testing/lender.ts'
import { startPortal } from '../testing/start-portal.ts'
import { waitFor } from '../testing/wait-for.ts'

test('while the CRM hangs, no call to it holds a connection: the portal is ready, answers and takes leads', async () => {
  await using portal = await startPortal({ withCrm: true, env: { DATABASE_POOL: '4' } })
  const lender = openLender(portal.crmUrl)
  await lender.faults({ slowMs: 4_000 })
  const partners = await Promise.all([portal.newPartner(), portal.newPartner(), portal.newPartner()])
  const leads = await Promise.all(partners.map((partner) => partner.submitLead()))
  for (const { id } of partners) await startSync(portal.deps, id, 'all')
  const { pool, close } = openDatabase(portal.database.url, () => undefined)
  await waitFor('every push and sync to run', async () => {
    const jobs = await pool.query(
      "select from jobs.job where state = 'active' and name in ('push-partner', 'push-lead', 'run-sync')",
    )
    return jobs.rowCount === 9
  })
  await close()

  expect((await portal.get('/ready')).status).toBe(200)
  for (const partner of partners) {
    for (const path of ['/dashboard/stats', '/dashboard/leads', '/crm/search?q=Okafor']) {
      expect([path, (await partner.get(path)).status]).toEqual([path, 200])
    }
    await partner.submitLead()
  }

  await lender.faults({})
  await Promise.all(partners.map((partner, i) => partner.pushedLead(leads[i]?.loid ?? '')))
  expect(await lender.list('Partners', 'Name')).toHaveLength(partners.length)
})
