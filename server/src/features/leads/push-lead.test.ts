import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { newLead, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { pushDeal } from '../deals/push-deal.job.ts'
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

const inCrm = async (module: string, loid: string) =>
  (await lender.list(module, 'LOID')).find((record) => record['LOID'] === loid)

test.each([
  ['Leads', 'lead', pushLead, '/dashboard/leads', newLead({ lastName: 'Deleted' })],
  [
    'Deals',
    'deal',
    pushDeal,
    '/webhook/deal',
    { businessName: 'Deleted', email: 'ada@okafor.example', amount: 50_000 },
  ],
] as const)(
  'one of the %s that staff deleted after its push, whose answer was lost, is not made again',
  async (module, kind, push, path, form) => {
    const partner = await portal.newPartner()
    await partner.pushedLead((await partner.submitLead()).loid)
    const lost = { resetAfterCommit: { times: 1, match: `POST /crm/v8/${module}` } }
    // Nor can it be looked for at once.
    await lender.faults({ ...lost, scopeMismatch: { every: 2, times: 1, match: '/coql' } })
    const { loid } = (await partner.post(path, form)).body.data
    const made = await waitFor(`${loid} in the CRM`, () => inCrm(module, loid))
    const zohoId = String(made['id'])
    await lender.remove(module, zohoId)
    await push.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
    expect(await inCrm(module, loid)).toBeUndefined()
    await waitFor('its going', async () => (await partner.get(`/crm/${kind}/${loid}`)).status === 404)

    await lender.restore(zohoId)
    expect((await partner.post('/crm/sync')).status).toBe(200)
    expect((await partner.get(`/crm/${kind}/${loid}`)).status).toBe(200)
  },
)

test('a lead that the CRM refused is sent by Retry, although staff deleted another one of its name since', async () => {
  const partner = await portal.newPartner()
  await lender.behaviour({ unknownFields: 'refuse' })
  await lender.removeField('Leads', 'Loan_Type')
  const { loid } = await partner.submitLead({ firstName: 'Nkem', lastName: 'Refused' })
  const stateOf = async () => (await partner.get(`/crm/lead/${loid}`)).body.data?.lead.crm
  await waitFor('the refusal', async () => (await stateOf()) === 'failed')
  await lender.behaviour({ unknownFields: 'ignore' })
  await lender.remove('Leads', await lender.create('Leads', { First_Name: 'Nkem', Last_Name: 'Refused' }))
  await partner.post(`/crm/lead/${loid}/retry-push`)
  await partner.pushedLead(loid)
  expect(await inCrm('Leads', loid)).toBeDefined()
})

test('a lead whose push never arrived is sent, although staff deleted another one of its name since', async () => {
  const partner = await portal.newPartner()
  const first = await partner.submitLead()
  await partner.pushedLead(first.loid)
  await lender.faults({ resetBefore: { times: 1, match: 'POST /crm/v8/Leads' } })
  const { loid } = await partner.submitLead()
  await waitFor('the first try', async () => {
    const faults = await (await fetch(`${portal.crmUrl}/sandbox/faults`)).text()
    return faults.includes('"times":0')
  })
  await lender.remove('Leads', String((await inCrm('Leads', first.loid))?.['id']))
  await pushLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  expect(await inCrm('Leads', loid)).toBeDefined()
})
