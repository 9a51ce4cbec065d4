import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { pushLead } from './push-lead.job.ts'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(() => lender.reset())

test('a partner whose email the CRM does not accept gets its leads to the lender', async () => {
  const partner = await portal.newPartner({ email: 'ada@exa_mple.com' })
  const { loid } = await partner.submitLead()
  await partner.pushedLead(loid)
  expect(await lender.list('Partners', 'Name,Email')).toMatchObject([{ Name: partner.businessName, Email: null }])
  expect(await lender.list('Leads', 'LOID')).toMatchObject([{ LOID: loid }])
})

test('after an outage the first push takes the partner’s other leads along, in one call', async () => {
  const partner = await portal.newPartner()
  await partner.pushedLead((await partner.submitLead()).loid)
  const at = new Date().toISOString()
  // Without jobs of their own: the test does what the job of one would.
  const leads = Array.from({ length: 12 }, (_, index) => ({
    id: newId(),
    partner_id: partner.id,
    loid: `LO-WAKT${String(index).padStart(4, '0')}`,
    last_name: `Waiting ${index}`,
    lead_status: 'New Lead',
    crm: 'pending' as const,
    created_at: at,
    modified_time: at,
  }))
  await portal.deps.db.insertInto('leads').values(leads).execute()
  const before = (await lender.calls()).by_kind['POST /crm/v8/Leads'] ?? 0

  const [first] = leads
  const payload = { partnerId: partner.id, loid: first?.loid ?? '' }
  await pushLead.run(portal.deps, payload, AbortSignal.timeout(10_000))
  const listed = (await partner.get('/dashboard/leads?limit=100')).body.data.leads
  expect(new Set(listed.map((lead: { crm: string }) => lead.crm))).toEqual(new Set(['synced']))
  expect(await lender.list('Leads', 'LOID')).toHaveLength(13)
  expect((await lender.calls()).by_kind['POST /crm/v8/Leads']).toBe(before + 2)
})
