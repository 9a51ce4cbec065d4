import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lender, openLender } from '../../testing/lender.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { confirmEmail, newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { followFields } from './fields/follow-fields.job.ts'
import { noteFieldGroups } from './fields/optional-values.ts'
import { watchCrm } from './notified/watch-crm.job.ts'
import { runSweep } from './sweep/sweep.job.ts'

const REASON = 'Your email about user data and the password policy is outstanding.'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['access'])
  await noteFieldGroups(portal.deps)
})
afterAll(() => portal[Symbol.asyncDispose]())

function inCrm(partner: TestPartner): Promise<string> {
  return waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
}

const signIn = ({ email, password }: TestPartner) => portal.post('/auth/login', { email, password })

test('a sweep finds a suspension that no notification told; a word of the lender’s own counts as blank', async () => {
  const bob = await portal.newPartner()
  const record = await inCrm(bob)
  const sweep = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
  await sweep()
  await lender.update('Partners', record, { Portal_Access: 'suspended' })
  await sweep()
  expect((await signIn(bob)).body.error).toBe('Your lender has suspended this account.')
  await lender.update('Partners', record, { Portal_Access: 'On probation' })
  await sweep()
  expect((await signIn(bob)).status).toBe(200)
})

test('Suspended ends sessions and pages, and stops the key and deliveries; Active resumes key and deliveries', async () => {
  await watchCrm.run(portal.deps, {}, new AbortController().signal)
  const ada = await portal.newPartner()
  const record = await inCrm(ada)
  await using receiver = await startReceiver()
  await ada.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const { api_key } = (await ada.post('/dashboard/generate-api-key')).body.data
  const byKey = (firstName: string) => portal.post('/partner/leads', newLead({ firstName }), { token: api_key })
  expect((await byKey('Ada')).status).toBe(201)
  const [first] = await receiver.first(1)
  expect(first?.body.type).toBe('lead.created')
  const page = await fetch(`${portal.url}/api/live`, { headers: { authorization: `Bearer ${ada.token}` } })

  const began = performance.now()
  await lender.update('Partners', record, { Portal_Access: 'Suspended', Portal_Access_Reason: REASON })
  await waitFor('the end of the session', async () => (await ada.get('/profile')).status === 401)
  // The stream ends.
  await page.text()
  expect(performance.now() - began).toBeLessThan(10_000)
  expect((await ada.post('/auth/refresh')).body.code).toBe('UNAUTHORIZED')
  const refused = await signIn(ada)
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([403, 'ACCOUNT_SUSPENDED', REASON])
  expect((await portal.post('/auth/login', { ...ada, password: 'wrong-horse' })).body.code).toBe('INVALID_PASSWORD')
  const key = await byKey('Bea')
  expect([key.status, key.body.code, key.body.error]).toEqual([403, 'ACCOUNT_SUSPENDED', REASON])

  // What the lender does meanwhile is delivered afterwards.
  const lead = await lender.create('Leads', { Last_Name: 'Born there', Partner: { id: record } })
  await waitFor('the delivery that waits', async () => {
    const rows = await portal.deps.db.selectFrom('webhook_logs').select('id').where('partner_id', '=', ada.id).execute()
    return rows.length === 2
  })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  expect(receiver.received).toHaveLength(1)

  await lender.update('Partners', record, { Portal_Access: 'Active' })
  const [, second] = await receiver.first(2)
  expect(second?.body.data.loid).toBe((await lender.read('Leads', lead))?.['LOID'])
  expect((await byKey('Cleo')).status).toBe(201)
  expect((await ada.get('/profile')).status).toBe(401)
  const again = await signIn(ada)
  expect(again.status).toBe(200)
  const { entries } = (await portal.get('/security-log', { token: again.body.token })).body.data
  expect(entries.map((entry: { event: string }) => entry.event)).toEqual(
    expect.arrayContaining(['partner-suspended', 'partner-resumed']),
  )
})

test('a partner without a word of the lender is active, and so is everybody once the field is gone', async () => {
  const cleo = await portal.newPartner()
  const record = await inCrm(cleo)
  await lender.update('Partners', record, { Portal_Access: 'Suspended' })
  await waitFor('the suspension', async () => (await cleo.get('/profile')).status === 401)
  await lender.removeField('Partners', 'Portal_Access')
  portal.advance(601_000)
  await followFields.run(portal.deps, {}, new AbortController().signal)
  expect((await signIn(cleo)).status).toBe(200)
  // A field that comes back is read from all records.
  await portal.deps.crm.makeMissingFields(['access'])
  await lender.update('Partners', record, { Portal_Access: 'Suspended' })
  await followFields.run(portal.deps, {}, new AbortController().signal)
  expect((await signIn(cleo)).body.code).toBe('ACCOUNT_SUSPENDED')
})

test('under approval ten leads wait for the lender’s word; Active shows the lender’s records and sends the leads', async () => {
  await using strict = await startPortal({ withCrm: true, env: { SIGNUP: 'approval' } })
  await strict.deps.crm.makeMissingFields(['access'])
  await noteFieldGroups(strict.deps)
  await watchCrm.run(strict.deps, {}, new AbortController().signal)
  const dora = await strict.newPartner()
  const holdOf = async () => (await strict.post('/auth/verify', { token: dora.token })).body.data.hold
  await waitFor('the hold', async () => (await holdOf()) === 'unverified')
  const leads = [await dora.submitLead()]
  expect(JSON.stringify(await lender.list('Partners', 'Email'))).not.toContain(dora.email)

  await confirmEmail(strict, dora)
  const record = await inCrm(dora)
  expect(await lender.read('Partners', record)).toMatchObject({ Email: dora.email, Portal_Access: 'Pending' })
  expect(await holdOf()).toBe('pending')
  await lender.create('Leads', { Last_Name: 'Theirs', Partner: { id: record } })
  const sync = await dora.post('/crm/sync')
  expect([sync.status, sync.body.code]).toEqual([409, 'ACCOUNT_PENDING'])
  leads.push(...(await Promise.all(Array.from({ length: 9 }, () => dora.submitLead()))))
  const eleventh = await dora.post('/dashboard/leads', newLead())
  expect([eleventh.status, eleventh.body.code]).toEqual([409, 'ACCOUNT_PENDING'])
  // A lead that is withdrawn waits no longer.
  const withdrawn = leads.pop()?.loid
  await dora.post(`/crm/lead/${withdrawn}/withdraw`, {})
  await waitFor('the withdrawal', async () => (await dora.get(`/crm/lead/${withdrawn}`)).body.data.lead.withdrawn_at)
  leads.push(await dora.submitLead())
  await runSweep(strict.deps, AbortSignal.timeout(30_000))
  expect((await dora.get('/dashboard/leads')).body.data.leads).toHaveLength(10)
  expect(JSON.stringify(await lender.list('Leads', 'LOID'))).not.toContain(leads[0]?.loid)

  await lender.update('Partners', record, { Portal_Access: 'Active' })
  for (const { loid } of leads) await dora.pushedLead(loid)
  expect(await holdOf()).toBeNull()
  await waitFor('the lender’s own lead', async () => {
    return (await dora.get('/dashboard/leads?limit=50')).body.data.leads.length === 11
  })
})

test('under approval a record that the lender has already is asked for with Pending, and nothing of it is shown before', async () => {
  await using strict = await startPortal({ withCrm: true, env: { SIGNUP: 'approval' } })
  await strict.deps.crm.makeMissingFields(['access'])
  await noteFieldGroups(strict.deps)
  const email = 'erin@example.com'
  const record = await lender.create('Partners', { Name: 'Erin Brokers', Email: email })
  await lender.create('Leads', { Last_Name: 'Theirs', Partner: { id: record } })
  const erin = await strict.newPartner({ email })
  await confirmEmail(strict, erin)
  expect(await inCrm(erin)).toBe(record)
  expect((await lender.read('Partners', record))?.['Portal_Access']).toBe('Pending')
  await runSweep(strict.deps, AbortSignal.timeout(30_000))
  expect((await erin.get('/dashboard/leads')).body.data.leads).toEqual([])
  await lender.update('Partners', record, { Portal_Access: 'Active' })
  await runSweep(strict.deps, AbortSignal.timeout(30_000))
  await waitFor('the lender’s lead', async () => (await erin.get('/dashboard/leads')).body.data.leads.length === 1)
})
