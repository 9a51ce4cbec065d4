import { expect, test } from 'vitest'
import { DEMO_SIGN_IN, seedDemo } from './seed-demo.ts'
import { startPortal } from './testing/start-portal.ts'

test('if a portal stops after the demo’s sync and before it adds activity, the next start adds the activity', async () => {
  await using portal = await startPortal({ withCrm: true })
  const mia = await portal.newPartner({ ...DEMO_SIGN_IN, businessName: 'Harbour Finance Brokers' })
  expect((await mia.post('/dashboard/sync-leads')).status).toBe(200)

  await seedDemo(portal.deps)
  await seedDemo(portal.deps)
  const { activities } = (await mia.get('/dashboard/recent-activity')).body.data
  expect(activities).toMatchObject([{ title: 'Lead submitted' }])
})
