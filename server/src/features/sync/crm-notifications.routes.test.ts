import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { watchCrm } from '../../crm/pull/notified/watch-crm.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { messagesOf } from '../../testing/messages-of.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const PATH = '/crm/notifications'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
let adaInCrm: string
const lines: string[] = []

beforeAll(async () => {
  portal = await startPortal({
    withCrm: true,
    env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
    onLogLine: (line) => lines.push(line),
  })
  lender = openLender(portal.crmUrl)
})

afterAll(() => portal[Symbol.asyncDispose]())

beforeEach(async () => {
  await lender.reset()
  ada = await portal.newPartner()
  adaInCrm = await inCrm(ada)
})

function inCrm(partner: TestPartner): Promise<string> {
  return waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
}

function watch(of: TestPortal = portal): Promise<void> {
  return watchCrm.run(of.deps, {}, new AbortController().signal)
}

async function tokenOfChannel(): Promise<string> {
  const [first] = await lender.watches()
  return String(first?.['token'])
}

async function listed(kind: 'leads' | 'deals', partner = ada) {
  return (await partner.get(`/dashboard/${kind}?limit=100`)).body.data[kind]
}

async function eventTypes(partner = ada): Promise<string[]> {
  const rows = await portal.deps.db.selectFrom('events').select('type').where('partner_id', '=', partner.id).execute()
  return rows.map((row) => row.type).toSorted()
}

function waitForEvents(...types: string[]) {
  return waitFor(`the events ${types.join(', ')}`, async () => (await eventTypes()).join() === types.toSorted().join())
}

async function submitted() {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const inZoho = (await lender.list('Leads', 'LOID')).find((lead) => lead['LOID'] === loid)
  return { loid, id: String(inZoho?.['id']) }
}

/** Waits until no notification is queued or being processed. */
function untilPulled() {
  return waitFor('the pulls to end', async () => {
    const { rows } = await portal.deps.pool.query(
      "select 1 from jobs.job where name like 'pull-not%' and state in ('created', 'retry', 'active')",
    )
    return rows.length === 0
  })
}

test.each([
  {},
  { conversionFiresEdit: false, coqlReturnsConverted: false, notifyDeleteWord: 'remove', timesOffset: '-05:00' },
])('the portal shows the lender’s changes without a sync: %o', async (switches) => {
  await lender.behaviour(switches)
  await watch()
  const { loid, id } = await submitted()
  const born = await lender.create('Leads', { Last_Name: 'Born there', Partner: { id: adaInCrm } })
  await waitFor('the new lead', async () => (await listed('leads')).length === 2)

  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.addNote('Leads', id, { content: 'Papers are missing' })
  await waitFor('status and note', async () => {
    const { lead, notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    return lead.lead_status === 'Contacted' && notes.length === 1
  })
  const deal = await lender.convert(id)
  await waitFor('the deal', async () => (await listed('deals')).length === 1)
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  await lender.update('Deals', deal, { Stage: 'Funded' })
  await waitFor('the stage', async () => (await listed('deals'))[0].stage === 'Funded')
  await lender.remove('Deals', deal)
  await lender.remove('Leads', born)
  await waitFor('both removals', async () => (await listed('deals')).length + (await listed('leads')).length === 0)
  await waitForEvents(
    'lead.created',
    'lead.created',
    'lead.status_changed',
    'note.added',
    'lead.converted',
    'deal.created',
    'deal.stage_changed',
    'deal.removed',
    'lead.removed',
  )
})

test('the partner’s contact at the lender is on open pages as soon as staff name one', async () => {
  await portal.deps.crm.makeMissingFields(['manager'])
  await noteFieldGroups(portal.deps)
  await watch()
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${ada.token}` }
  const stream = messagesOf(await fetch(`${portal.url}/api/live`, { headers, signal: leaving.signal }))
  const contact = { Partner_Manager_Name: 'Priya Nair', Partner_Manager_Email: 'priya@lender.example' }
  await lender.update('Partners', adaInCrm, contact)
  for await (const { data } of stream) if (data.includes('partner.changed')) break
  leaving.abort()
  expect((await portal.post('/auth/verify', { token: ada.token })).body.data.manager).toEqual({
    name: 'Priya Nair',
    phone: null,
    email: 'priya@lender.example',
  })
})

test('a change in the CRM is delivered to the partner’s endpoint without a sync', async () => {
  await watch()
  await using receiver = await startReceiver()
  await ada.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const { loid, id } = await submitted()
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  const [, changed] = await receiver.first(2)
  expect(changed?.body).toMatchObject({
    type: 'lead.status_changed',
    data: { loid, status: 'Contacted', previous: 'New Lead' },
  })
})

test('the portal shows changes made on the sandbox’s staff page', async () => {
  await watch()
  const { loid, id } = await submitted()
  const body = new URLSearchParams({ status: 'Contacted' })
  const saved = await fetch(`${portal.crmUrl}/leads/${id}/status`, { method: 'POST', body, redirect: 'manual' })
  expect(saved.status).toBeLessThan(400)
  await waitFor(
    'the status',
    async () => (await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status === 'Contacted',
  )
})

test('notifications about the portal’s own pushes change nothing', async () => {
  await watch()
  const { loid } = await submitted()
  await ada.post(`/crm/note/${loid}`, { content: 'Call after ten' })
  await waitFor('the note in the CRM', async () => {
    const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    return notes[0]?.crm === 'synced'
  })
  const shown = async () => {
    const { lead, notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    return { ...lead, notes }
  }
  const before = await shown()
  const ids = (await lender.list('Leads', 'LOID')).map((lead) => lead['id'])
  const noteIds = (await lender.list('Notes', 'Note_Content')).map((note) => note['id'])
  const token = await tokenOfChannel()
  for (const [module, all] of [
    ['Leads', ids],
    ['Notes', noteIds],
  ] as const) {
    expect((await portal.post(PATH, { token, module, ids: all, operation: 'insert' })).status).toBe(200)
  }
  await untilPulled()
  expect(await shown()).toEqual(before)
  expect(await eventTypes()).toEqual(['lead.created', 'note.added'])
})

test('values that the CRM itself fills in on a submitted deal cause no event', async () => {
  await watch()
  const form = { businessName: 'Okafor Freight', email: 'nkem@okafor-freight.example', amount: 50_000 }
  const { loid } = (await ada.post('/webhook/deal', form)).body.data
  const deal = await waitFor('the CRM’s own values', async () => {
    const [one] = await listed('deals')
    return one.crm === 'synced' && one.probability !== null && one
  })
  expect(deal.loid).toBe(loid)
  await untilPulled()
  expect(await eventTypes()).toEqual(['deal.created'])
})

test('notifications without the channel’s token are refused, and malformed notifications break nothing', async () => {
  await watch()
  const token = await tokenOfChannel()
  const ids = ['5400000000000812044']
  const wrong = [
    {},
    [],
    'text',
    7,
    { token: '' },
    { token: 7 },
    { token: [token] },
    { token: `${token}x`, ids, module: 'Leads' },
  ]
  for (const body of wrong) {
    const answer = await portal.ask('POST', PATH, { body: JSON.stringify(body) })
    expect([body, answer.status]).toEqual([body, 401])
    expect(answer.body).toMatchObject({ success: false, code: 'UNAUTHORIZED' })
  }
  expect((await portal.ask('POST', PATH)).status).toBe(401)
  expect((await portal.ask('POST', PATH, { body: 'null' })).status).toBe(401)
  expect((await portal.ask('POST', PATH, { body: '{"token":' })).status).toBe(400)
  expect((await portal.ask('POST', PATH, { body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect((await portal.ask('POST', PATH, { body: { token, ids: ['1'.repeat(1_100_000)] } })).status).toBe(413)

  for (const body of [
    { token },
    { token, module: 'Leads' },
    { token, module: 'Leads', ids: [] },
    { token, module: 'Leads', ids: ["1' or '1'='1"] },
    { token, module: 7, ids },
    { token, module: 'Leads', ids: [null] },
  ]) {
    const answer = await portal.post(PATH, body)
    expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'MALFORMED_REQUEST'])
  }
  const more = { server_time: 1, affected_values: null, resource_uri: 'x', a_field_of_tomorrow: {} }
  for (const body of [
    { module: 'Accounts', ids },
    { module: 'Leads', ids },
    { module: 'Notes', ids, operation: 'delete' },
  ]) {
    expect((await portal.post(PATH, { token, ...body, ...more })).status).toBe(200)
  }
  await untilPulled()
  expect(lines.join('\n')).not.toContain(token)
  expect(lines.filter((line) => line.includes('job given up'))).toEqual([])
})

test('many notifications about one record cause only a few pulls, and one notification about many records causes one call', async () => {
  await watch()
  const { id } = await submitted()
  await untilPulled()
  const token = await tokenOfChannel()
  await lender.faults({ slowMs: 300, notifications: { drop: 1_000 } })
  const { by_kind: before } = await lender.calls()
  await Promise.all(Array.from({ length: 40 }, () => portal.post(PATH, { token, module: 'Leads', ids: [id] })))
  await untilPulled()
  const { by_kind: after } = await lender.calls()
  const pulls = (after['GET /crm/v8/Leads'] ?? 0) - (before['GET /crm/v8/Leads'] ?? 0)
  expect(pulls).toBeGreaterThan(0)
  expect(pulls).toBeLessThan(10)

  await lender.faults({ notifications: { drop: 1_000 } })
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 100 }, (_, index) => ({ Last_Name: `Nobody’s ${index}` })),
  )
  const { total } = await lender.calls()
  expect((await portal.post(PATH, { token, module: 'Leads', ids: [...ids, ...ids] })).status).toBe(200)
  await untilPulled()
  expect((await lender.calls()).total).toBe(total + 1)
  // A module that the portal does not watch.
  const unknown = Array.from({ length: 5_000 }, (_, index) => String(9_000_000_000_000_000_000n + BigInt(index)))
  expect((await portal.post(PATH, { token, module: 'Contacts', ids: unknown })).status).toBe(200)
  for (const one of ids) await portal.post(PATH, { token, module: 'Leads', ids: [one] })
  await untilPulled()
  expect((await lender.calls()).total).toBeLessThan(total + 10)
})

test('the records and their history are right even if notifications are repeated, late or out of order', async () => {
  await watch()
  const { loid, id } = await submitted()
  await untilPulled()
  await lender.faults({ notifications: { duplicate: 100, delayMs: 200, reorder: true } })
  for (const Lead_Status of ['Contacted', 'Pre Qualified', 'Not Qualified'])
    await lender.update('Leads', id, { Lead_Status })
  const deal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await lender.update('Deals', deal, { Amount: 5 })
  await waitFor(
    'the last status',
    async () => (await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status === 'Not Qualified',
  )
  await waitFor('the amount', async () => (await listed('deals'))[0]?.amount === 5)
  await untilPulled()
  const history = (await ada.get(`/crm/lead/${loid}/status-history`)).body.data
  expect(history.map((entry: { status: string }) => entry.status)).toEqual([
    'Not Qualified',
    'Pre Qualified',
    'Contacted',
    'New Lead',
  ])
})

test('notification channels are opened once, renewed in time, and opened again if the CRM has lost them', async () => {
  await watch()
  const first = await lender.watches()
  expect(first.map((one) => one['resource_name'])).toEqual(expect.arrayContaining(['Leads', 'Deals', 'Notes']))
  expect(new Set(first.map((one) => one['notify_url']))).toEqual(new Set([`${portal.deps.publicUrl}/api${PATH}`]))
  const ends = (watches: Record<string, unknown>[]) => watches.map((one) => Date.parse(String(one['channel_expiry'])))
  for (const end of ends(first)) expect(end - Date.now()).toBeGreaterThan(5 * 86_400_000)

  portal.advance(3_600_000)
  await watch()
  const renewed = await lender.watches()
  const names = (watches: Record<string, unknown>[]) =>
    watches.map((one) => [one['channel_id'], one['token']]).toSorted()
  expect(names(renewed)).toEqual(names(first))
  expect(Math.min(...ends(renewed))).toBeGreaterThan(Math.max(...ends(first)))

  await lender.reset()
  expect(await lender.watches()).toEqual([])
  await watch()
  expect(names(await lender.watches())).toEqual(names(first))
})

test('if the CRM cannot notify the portal, one log line says so and nothing fails', async () => {
  const said = async (text: string, of: TestPortal = portal) => {
    const from = lines.length
    await watch(of)
    return lines.slice(from).filter((line) => line.includes(text)).length
  }
  await lender.behaviour({ notifyNeedsHttps: true })
  expect(await said('the CRM does not notify the portal')).toBe(1)
  await lender.faults({ scopeMismatch: { times: 1, match: 'actions/watch' } })
  expect(await said('the CRM does not notify the portal')).toBe(1)
  await lender.behaviour({ notifyNeedsHttps: false })

  const { deps } = portal
  for (const publicUrl of ['http://portal.example.com', 'http://localhost:0']) {
    const { total } = await lender.calls()
    const from = lines.length
    await watchCrm.run({ ...deps, publicUrl }, {}, new AbortController().signal)
    expect(lines.slice(from).filter((line) => line.includes('cannot reach this address'))).toHaveLength(1)
    expect((await lender.calls()).total).toBe(total)
  }
})

test('a portal with schedules opens its notification channels and sweeps as soon as it starts', async () => {
  await using started = await startPortal({ withCrm: true, hasSchedules: true })
  const staff = openLender(started.crmUrl)
  await waitFor('the channels', async () => (await staff.watches()).length === 5)
  const rows = () => started.deps.db.selectFrom('sweep_cursors').selectAll().execute()
  await waitFor('the first sweep', async () => (await rows()).length === 8)
  const schedules = await started.deps.pool.query('select name from jobs.schedule order by name')
  expect(schedules.rows.map((row) => row.name)).toEqual(expect.arrayContaining(['sweep', 'watch-crm']))
})
