import { afterAll, beforeAll, expect, test } from 'vitest'
import { pullTasks } from '../../crm/pull/pull-tasks.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { METADATA_KEPT_MS } from '../../crm/zoho/metadata.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { eraseRecords, eraseWords } from '../applicants/applicants.queries.ts'
import { tellNews } from '../mails/tell-news.job.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
  ada = await portal.newPartner()
  await confirmEmail(portal, ada)
})
afterAll(() => portal[Symbol.asyncDispose]())

const look = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
const requestsOf = async (path: string) => (await ada.get(path)).body.data.requests
const types = async (loid: string) =>
  (await portal.deps.db.selectFrom('events').select('type').where('loid', '=', loid).orderBy('id').execute())
    .map(({ type }) => type)
    .filter((type) => type.startsWith('request.'))
const asked = async () =>
  (await ada.get('/dashboard/attention')).body.data.items.filter((item: { kind: string }) => item.kind === 'request')

/** A lead that the CRM has, with its id there. */
async function pushedLead(form: object = {}, partner = ada) {
  const { loid } = await partner.submitLead(form)
  await partner.pushedLead(loid)
  const id = String((await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === loid)?.['id'])
  return { loid, id, page: `/crm/lead/${loid}` }
}

/** Whose turn the lead's row, page, timeline and search hit say it is. */
async function turnsOf(loid: string) {
  const { leads } = (await ada.get(`/dashboard/leads?search=${loid}`)).body.data
  const { lead } = (await ada.get(`/crm/lead/${loid}`)).body.data
  const { standing } = (await ada.get(`/crm/lead/${loid}/timeline`)).body.data
  const found = (await ada.get(`/crm/search?q=${loid}`)).body.data
  return [leads[0].side, lead.side, standing.side, found.leads[0].side]
}

const task = (id: string, Subject: string, more: object = {}) =>
  lender.create('Tasks', { Subject, Status: 'Not Started', What_Id: { id }, ...more })
const taskOf = async (id: string) =>
  (await lender.list('Tasks', 'Subject,Description,Status')).find((one) => one['id'] === id)

test('tasks that stand when the portal first looks need attention, but are no news; other tasks are not for the partner', async () => {
  const { loid, id, page } = await pushedLead()
  await look()
  await portal.deps.db.deleteFrom('sweep_cursors').where('list', '=', 'tasks-partner').execute()
  await task(id, 'Partner: Bank statements', { Description: 'The last three months', Due_Date: '2026-12-01' })
  await task(id, 'Call the accountant')
  await look()
  const request = {
    id: expect.any(String),
    subject: 'Bank statements',
    reason: 'The last three months',
    due_on: '2026-12-01',
    state: 'asked',
  }
  const shown = { ...request, asked_at: expect.stringMatching(/Z$/), answered_at: null }
  expect(await requestsOf(page)).toEqual([shown])
  const { items } = (await ada.get('/dashboard/attention')).body.data
  expect(items[0]).toMatchObject({ kind: 'request', loid, about: 'lead', request })
  expect(await types(loid)).toEqual([])
  expect((await ada.post(`/dashboard/attention/${items[0].id}/done`)).status).toBe(409)
  expect((await ada.post(`/dashboard/attention/${items[0].id}/put-away`)).status).toBe(200)
  expect(await asked()).toEqual([])
  // Another setting, and back again, keeps what is known of the requests.
  for (const crmTasks of ['all', 'partner'] as const) {
    await runSweep({ ...portal.deps, config: { ...portal.deps.config, crmTasks } }, AbortSignal.timeout(30_000))
    const subjects = (await requestsOf(page)).map((one: { id: string; subject: string }) => [one.subject, one.id])
    expect(subjects).toContainEqual(['Bank statements', items[0].request.id])
    expect(subjects).toHaveLength(crmTasks === 'all' ? 2 : 1)
    expect(await types(loid)).toEqual([])
  }
})

test('a request is answered by a note, accepted, asked again and withdrawn, and each of it is told once', async () => {
  const bob = await portal.newPartner()
  const { loid, page, id } = await pushedLead()
  await look()
  const zohoId = await task(id, 'partner:Please call the applicant', { Due_Date: '2026-12-01' })
  await look()
  await look()
  const [request] = await requestsOf(page)
  expect(request).toMatchObject({ subject: 'Please call the applicant', reason: null, state: 'asked' })
  expect(new Set(await turnsOf(loid))).toEqual(new Set(['partner']))
  expect(await types(loid)).toEqual(['request.opened'])
  const news = () =>
    portal.deps.db.selectFrom('mail_news').select(['type', 'kind']).where('loid', '=', loid).orderBy('id').execute()
  expect(await news()).toEqual([{ type: 'request.opened', kind: 'lender-note' }])

  const path = `/crm/request/${request.id}/answer`
  const content = 'Called: they expect you tomorrow.'
  expect(await bob.post(path, { content })).toMatchObject({ status: 404, body: { error: 'Request not found' } })
  expect((await ada.post(path, { content: 'x' })).status).toBe(400)
  const answer = await ada.post(path, { content })
  expect(answer).toMatchObject({
    status: 201,
    body: { data: { note: { title: 'Answer: Please call the applicant', content } } },
  })
  expect((await requestsOf(page))[0]).toMatchObject({ state: 'sent', answered_at: expect.any(String) })
  expect(new Set(await turnsOf(loid))).toEqual(new Set(['lender']))
  expect((await asked()).map((one: { loid: string }) => one.loid)).not.toContain(loid)
  expect((await ada.post(path, { content })).status).toBe(409)
  await waitFor('the task in progress', async () => (await taskOf(zohoId))?.['Status'] === 'In Progress')
  expect(await taskOf(zohoId)).toMatchObject({ Subject: 'partner:Please call the applicant', Description: null })
  await waitFor('the note in the CRM', async () =>
    (await lender.list('Notes', 'Note_Title')).some((one) => one['Note_Title'] === 'Answer: Please call the applicant'),
  )
  await look()
  const [sent] = await requestsOf(page)
  expect(sent.state).toBe('sent')

  // The CRM tells times in whole seconds, and the portal knows its clock to the second.
  const later = Date.parse(sent.answered_at) + 1_000
  await waitFor('a later second', async () => Math.floor(Date.now() / 1_000) * 1_000 > later)
  await lender.update('Tasks', zohoId, { Description: 'They did not answer', Status: 'Waiting for input' })
  await look()
  const [again] = await requestsOf(page)
  expect(again).toMatchObject({ state: 'again', reason: 'They did not answer' })
  expect(again.asked_at > sent.answered_at).toBe(true)
  expect((await asked())[0]).toMatchObject({ loid, request: { state: 'again' } })
  expect((await ada.post(path, { content: 'Called again, all is well.' })).status).toBe(201)
  await waitFor('the task in progress again', async () => (await taskOf(zohoId))?.['Status'] === 'In Progress')

  await lender.update('Tasks', zohoId, { Status: 'Completed' })
  await look()
  expect((await requestsOf(page))[0].state).toBe('accepted')
  expect(await ada.post(path, { content })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/accepted/) },
  })
  await lender.update('Tasks', zohoId, { Status: 'Not Started' })
  await look()
  await lender.remove('Tasks', zohoId)
  await look()
  expect((await requestsOf(page))[0].state).toBe('withdrawn')
  const told = ['opened', 'answered', 'reopened', 'answered', 'accepted', 'reopened', 'withdrawn']
  expect(await types(loid)).toEqual(told.map((one) => `request.${one}`))
  const { entries } = (await ada.get(`${page}/timeline`)).body.data
  const texts = entries.flatMap((one: { type: string; text: string }) => (one.type === 'request' ? [one.text] : []))
  expect(texts.at(-1)).toBe('The lender asks: Please call the applicant')
  expect(texts).toHaveLength(5)
})

test.each(['deal', 'contact', 'no'])('a request outlives a conversion that moves tasks to: %s', async (to) => {
  await lender.behaviour({ conversionMovesTasks: to })
  const { id, loid } = await pushedLead()
  await look()
  const zohoId = await task(id, 'Partner: Rates notice')
  await look()
  await lender.convert(id, { Deal_Name: 'Rates', Amount: 1 })
  // The notification of the task may come first.
  await pullTasks(portal.deps, [zohoId], AbortSignal.timeout(30_000))
  expect((await ada.post('/dashboard/sync-leads')).status).toBe(200)
  expect((await ada.post('/dashboard/sync-deals')).status).toBe(200)
  await look()
  const [request] = await requestsOf(`/crm/deal/${loid}`)
  expect(request).toMatchObject({ subject: 'Rates notice', state: 'asked' })
  expect((await asked()).find((one: { loid: string }) => one.loid === loid)).toMatchObject({ about: 'deal' })
  expect((await ada.post(`/crm/request/${request.id}/answer`, { content: 'It is on its way.' })).status).toBe(201)
  expect((await requestsOf(`/crm/deal/${loid}`))[0].state).toBe('sent')
  expect(await types(loid)).toEqual(['request.opened', 'request.answered'])
})

test('a lead that was not the partner’s brings its open requests as no news; a removed lead needs no answer', async () => {
  const own = (await ada.get('/profile')).body.data.zoho_id
  const id = await lender.create('Leads', { Last_Name: 'Rivera', Company: 'Rivera Bakery' })
  await task(id, 'Partner: Lease')
  await look()
  await lender.update('Leads', id, { Partner: { id: own } })
  expect((await ada.post('/dashboard/sync-leads')).status).toBe(200)
  const item = (await asked()).find((one: { name: string }) => one.name === 'Rivera Bakery')
  expect(item.request.subject).toBe('Lease')
  expect(await types(item.loid)).toEqual([])
  await lender.remove('Leads', id)
  expect((await ada.post('/dashboard/sync-leads')).status).toBe(200)
  expect((await asked()).map((one: { name: string }) => one.name)).not.toContain('Rivera Bakery')
  expect((await ada.post(`/crm/request/${item.request.id}/answer`, { content: 'Here it is.' })).status).toBe(404)
})

test('an erasure removes what the lender asked, and later changes of the task do not bring it back', async () => {
  const { id, loid } = await pushedLead()
  await look()
  const zohoId = await task(id, 'Partner: Nkem’s passport', { Description: 'Nkem Okafor, born in May' })
  await look()
  const { db } = portal.deps
  await db.transaction().execute(async (tx) => {
    await eraseRecords(tx, [loid], new Date().toISOString())
    await eraseWords(tx, [loid])
  })
  await lender.update('Tasks', zohoId, { Description: 'Nkem Okafor’s, both sides' })
  await look()
  expect(await db.selectFrom('requests').select('id').where('zoho_id', '=', zohoId).execute()).toEqual([])
  const events = await db.selectFrom('events').select('data').where('loid', '=', loid).execute()
  expect(JSON.stringify(events)).not.toMatch(/passport|born/)
  expect(events.length).toBeGreaterThan(1)
})

test('the mail about a request has a link that opens its answer', async () => {
  const { id, loid, page } = await pushedLead()
  await look()
  await task(id, 'Partner: Lease', { Description: 'Of the new premises', Due_Date: '2026-12-01' })
  await look()
  const [request] = await requestsOf(page)
  const clock = { now: () => new Date(Date.now() + 10 * 60_000) }
  await tellNews.run({ ...portal.deps, clock }, {}, AbortSignal.timeout(30_000), '')
  const mail = await waitFor('the mail', async () =>
    (await portal.mailsTo(ada.email)).find((one) => one.includes(loid)),
  )
  expect(mail).toMatch(/The lender asks: Lease\. Until 1 Dec(?:ember)?\.? 2026/)
  expect(mail).toContain('Of the new premises')
  expect(mail).toContain(`/leads/${loid}?answer=${request.id}`)
})

/** Sets the sandbox’s switches, which the portal knows once its memory of the CRM’s settings is old. */
async function behave(switches: object) {
  await lender.behaviour({ taskStatuses: null, coqlKnowsTasks: null, tasksDeletedListed: null, ...switches })
  portal.advance(METADATA_KEPT_MS)
}

test.each([
  ['renamed statuses', { taskStatuses: 'renamed' }, 'Under way', 'Done'],
  ['no queries of tasks', { coqlKnowsTasks: false }, 'In Progress', 'Completed'],
  ['no queries of a record’s tasks', { coqlFindsTasksByRecord: false }, 'In Progress', 'Completed'],
  ['no list of deleted tasks', { tasksDeletedListed: false }, 'In Progress', 'Completed'],
])('with %s, a request is asked, answered, accepted and withdrawn', async (_, switches, sent, accepted) => {
  await behave(switches)
  const { id, page } = await pushedLead()
  await look()
  const [first, second] = [await task(id, 'Partner: Rates notice'), await task(id, 'Partner: Lease')]
  await look()
  const stateOf = async (subject: string) =>
    (await requestsOf(page)).find((one: { subject: string }) => one.subject === subject)
  const { id: requestId } = await stateOf('Rates notice')
  await ada.post(`/crm/request/${requestId}/answer`, { content: 'It is on its way.' })
  await waitFor('the task in progress', async () => (await taskOf(first))?.['Status'] === sent)
  await look()
  expect((await stateOf('Rates notice')).state).toBe('sent')
  await lender.update('Tasks', first, { Status: accepted })
  await lender.remove('Tasks', second)
  await look()
  expect((await stateOf('Rates notice')).state).toBe('accepted')
  expect((await stateOf('Lease')).state).toBe('withdrawn')
})

test('a recurring task that is completed asks again, as a request of its own', async () => {
  await behave({ completedTasksRecur: true })
  const { id, loid, page } = await pushedLead()
  await look()
  const zohoId = await task(id, 'Partner: Monthly statement', { Due_Date: '2026-12-01' })
  await look()
  await lender.update('Tasks', zohoId, { Status: 'Completed' })
  await look()
  expect((await requestsOf(page)).map(({ state, due_on }: Record<string, unknown>) => [state, due_on])).toEqual([
    ['asked', '2027-01-01'],
    ['accepted', '2026-12-01'],
  ])
  expect(await types(loid)).toEqual(['request.opened', 'request.accepted', 'request.opened'])
})

test('what staff write in a task that is not for the partner any more is not shown', async () => {
  const { id, loid, page } = await pushedLead()
  await look()
  const zohoId = await task(id, 'Partner: Bank statements', { Description: 'The last three months' })
  await look()
  await lender.update('Tasks', zohoId, { Subject: 'Is this broker honest?', Description: 'Do not tell them' })
  await look()
  await lender.update('Tasks', zohoId, { Description: 'The police know' })
  await look()
  const kept = { subject: 'Bank statements', reason: 'The last three months' }
  expect(await requestsOf(page)).toMatchObject([{ ...kept, state: 'withdrawn' }])
  const { entries } = (await ada.get(`${page}/timeline`)).body.data
  expect(entries[0]).toMatchObject({ type: 'request', text: 'The lender no longer asks: Bank statements' })
  await lender.update('Tasks', zohoId, { Subject: 'Partner: Payslips', Description: 'Of May' })
  await look()
  expect(await requestsOf(page)).toMatchObject([{ subject: 'Payslips', reason: 'Of May', state: 'asked' }])
  expect(await types(loid)).toEqual(['request.opened', 'request.withdrawn', 'request.reopened'])
})

test.each(['What_Id', 'Who_Id'])(
  'with leads under %s, a task that staff give to a record outside the portal is withdrawn',
  async (under) => {
    await behave({ tasksOfLeadsUnder: under })
    const own = (await ada.get('/profile')).body.data.zoho_id
    const { id, loid, page } = await pushedLead()
    await look()
    const zohoId = await task('', 'Partner: Lease', { What_Id: null, [under]: { id } })
    await look()
    expect(await requestsOf(page)).toMatchObject([{ subject: 'Lease', state: 'asked' }])
    const other = await lender.create('Leads', { Last_Name: 'Moss', Company: `Moss Nursery ${under}` })
    await lender.update('Tasks', zohoId, { [under]: { id: other }, Description: 'Of Moss Nursery' })
    await look()
    expect(await requestsOf(page)).toEqual([])
    expect(await types(loid)).toEqual(['request.opened', 'request.withdrawn'])
    await lender.update('Leads', other, { Partner: { id: own } })
    await look()
    const item = (await asked()).find((one: { name: string }) => one.name === `Moss Nursery ${under}`)
    expect(item.request).toMatchObject({ subject: 'Lease', reason: 'Of Moss Nursery', state: 'asked' })
    expect(await types(item.loid)).toEqual([])
  },
)

test('a task that staff move to another lead is withdrawn on the one and asked on the other, whatever their partners', async () => {
  const eve = await portal.newPartner()
  const { loid, id, page } = await pushedLead()
  const [second, third] = [await pushedLead(), await pushedLead({}, eve)]
  await look()
  const zohoId = await task(id, 'Partner: Lease')
  await look()
  const [request] = await requestsOf(page)
  await ada.post(`/crm/request/${request.id}/answer`, { content: 'It is on its way.' })
  await waitFor('the task in progress', async () => (await taskOf(zohoId))?.['Status'] === 'In Progress')
  await lender.update('Tasks', zohoId, { What_Id: { id: second.id } })
  await look()
  expect(await requestsOf(page)).toEqual([])
  expect(await requestsOf(second.page)).toMatchObject([{ subject: 'Lease', state: 'asked', answered_at: null }])
  expect((await asked()).map((one: { loid: string }) => one.loid)).toContain(second.loid)
  await lender.update('Tasks', zohoId, { What_Id: { id: third.id }, Subject: 'Partner: Lease of the shop' })
  await look()
  expect((await eve.get(third.page)).body.data.requests).toMatchObject([{ subject: 'Lease of the shop' }])
  expect(await types(loid)).toEqual(['request.opened', 'request.answered', 'request.withdrawn'])
  expect(await types(second.loid)).toEqual(['request.opened', 'request.withdrawn'])
  expect(await types(third.loid)).toEqual(['request.opened'])
  const { entries } = (await ada.get(`${second.page}/timeline`)).body.data
  expect(entries[0]).toMatchObject({ type: 'request', text: 'The lender no longer asks: Lease' })
})

test('tasks that the API user may not see for a while are not withdrawn; tasks that staff delete are', async () => {
  const { id, loid, page } = await pushedLead()
  await look()
  const tasks = [await task(id, 'Partner: Lease'), await task(id, 'Partner: Rates notice')]
  await look()
  await lender.behaviour({ apiUserSeesRecords: false })
  await look()
  await lender.behaviour({ apiUserSeesRecords: true })
  await look()
  expect((await requestsOf(page)).map(({ state }: { state: string }) => state)).toEqual(['asked', 'asked'])
  expect(await types(loid)).toEqual(['request.opened', 'request.opened'])
  await lender.removeMany('Tasks', tasks)
  await look()
  expect((await requestsOf(page)).map(({ state }: { state: string }) => state)).toEqual(['withdrawn', 'withdrawn'])
})

test('what is asked on a lead is asked on the deal that replaces it, and on the lead again when the deal is gone', async () => {
  const own = (await ada.get('/profile')).body.data.zoho_id
  const { id, loid } = await pushedLead({ loanAmount: 777_000, loanTerm: '24 months' })
  await look()
  await task(id, 'Partner: Lease')
  await look()
  const deal = await lender.create('Deals', {
    Deal_Name: 'Lease',
    Business_Name: 'Okafor Freight',
    Stage: 'Approved',
    Amount: 777_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Phone: '0491 570 156',
    Partner: { id: own },
  })
  expect((await ada.post('/dashboard/sync-deals')).body.data).toMatchObject({ matching_leads_removed: 1 })
  const of = async (about: string) => (await asked()).filter((one: { about: string }) => one.about === about)
  const [item] = await of('deal')
  expect(await requestsOf(`/crm/deal/${item.loid}`)).toMatchObject([{ subject: 'Lease', state: 'asked' }])
  await lender.remove('Deals', deal)
  expect((await ada.post('/dashboard/sync-deals')).status).toBe(200)
  expect(await of('deal')).toEqual([])
  expect((await of('lead')).map((one: { loid: string }) => one.loid)).toContain(loid)
  expect((await ada.post(`/crm/request/${item.request.id}/answer`, { content: 'Here it is.' })).status).toBe(201)
  expect(await types(loid)).toEqual(['request.opened', 'request.answered'])
})

test('what is asked on a lead stays asked while the lead is in the recycle bin, and is no news after staff restore it', async () => {
  const { id, loid, page } = await pushedLead()
  const other = await pushedLead()
  await look()
  await task(other.id, 'Partner: Payslips')
  await task(id, 'Partner: Lease')
  const changed = await task(id, 'Partner: Rates notice')
  await look()
  await lender.remove('Leads', id)
  await lender.update('Tasks', changed, { Description: 'Of this year' })
  await look()
  expect((await ada.get(page)).status).toBe(404)
  await lender.restore(id)
  await look()
  const requests = (await requestsOf(page)).map(({ subject, state, reason }: Record<string, unknown>) => [
    subject,
    state,
    reason,
  ])
  expect(requests.toSorted()).toEqual([
    ['Lease', 'asked', null],
    ['Rates notice', 'asked', 'Of this year'],
  ])
  expect(await types(loid)).toEqual(['request.opened', 'request.opened'])
})

test('a deal’s task that also names a contact stays asked while the deal is in the recycle bin', async () => {
  const { id, loid } = await pushedLead()
  const deal = await lender.convert(id, { Deal_Name: 'Rates', Amount: 1 })
  await look()
  const contact = await lender.create('Contacts', { Last_Name: 'Okafor' })
  await task(deal, 'Partner: Rates notice', { Who_Id: { id: contact } })
  await look()
  await lender.remove('Deals', deal)
  await look()
  await lender.restore(deal)
  await look()
  expect(await requestsOf(`/crm/deal/${loid}`)).toMatchObject([{ subject: 'Rates notice', state: 'asked' }])
  expect(await types(loid)).toEqual(['request.opened'])
})

test('the title of an answer is not cut inside a letter', async () => {
  const { id, loid, page } = await pushedLead()
  await look()
  await task(id, `Partner: ${'a'.repeat(111)}😀`)
  await look()
  const [request] = await requestsOf(page)
  const answered = await ada.post(`/crm/request/${request.id}/answer`, { content: 'It is on its way.' })
  expect(answered.body.data.note.title).toBe(`Answer: ${'a'.repeat(111)}`)
  expect(await types(loid)).toEqual(['request.opened', 'request.answered'])
})
