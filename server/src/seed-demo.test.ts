import { expect, test } from 'vitest'
import { DEMO_SIGN_IN, seedDemo } from './seed-demo.ts'
import { startPortal } from './testing/start-portal.ts'

test('a demo that was synced, but stopped before it had activity, gets its activity at the next start', async () => {
  await using portal = await startPortal({ withCrm: true })
  const mia = await portal.newPartner({ ...DEMO_SIGN_IN, businessName: 'Harbour Finance Brokers' })
  expect((await mia.post('/dashboard/sync-leads')).status).toBe(200)

  await seedDemo(portal.deps)
  await seedDemo(portal.deps)
  const { activities } = (await mia.get('/dashboard/recent-activity')).body.data
  expect(activities).toMatchObject([{ title: 'Lead submitted' }])
})
