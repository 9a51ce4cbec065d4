import { EVENT_PAYLOADS } from '@portal/contract/event-payloads.ts'
import { EVENT_TYPES } from '@portal/contract/webhooks.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { confirmEmail, newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let lender: Lender
let receiver: Receiver
let ada: TestPartner
let adaInCrm: string

beforeAll(async () => {
  portal = await startPortal({ withCrm: true, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  lender = openLender(portal.crmUrl)
  receiver = await startReceiver()
  ada = await portal.newPartner()
  adaInCrm = await waitFor('the partner in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id)
  await ada.put('/dashboard/webhook-url', { webhook_url: receiver.url })
})
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const EMAIL = 'nkem.private@okafor-freight.example'
const PHONE = '0491 570 156'
const ABN = '51 824 753 556'
const NOTE = 'Nkem told me something in confidence.'

async function sync(): Promise<void> {
  for (const kind of ['leads', 'deals']) {
    const { status, body } = await ada.post(`/dashboard/sync-${kind}`)
    expect([status, body.data.problems]).toEqual([200, []])
  }
}

/** Waits for a delivery of this type, and returns the body of the newest one. */
function delivered(type: string) {
  return waitFor(type, async () => receiver.received.findLast((one) => one.body.type === type)?.body)
}

test('every kind of event is delivered, and no delivery contains an email address, a phone number, an ABN or a note’s text', async () => {
  const { loid } = await ada.submitLead({
    email: EMAIL,
    phone: PHONE,
    businessAbn: ABN,
    businessName: 'Okafor Freight',
  })
  const isAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
  const lead = { object: 'lead', loid, business_name: 'Okafor Freight', amount: 150_000, currency: 'AUD' }
  expect((await delivered('lead.created')).data).toEqual({
    ...lead,
    status: 'New Lead',
    submitted_by: ada.businessName,
    created_at: isAt,
  })

  await ada.post(`/crm/note/${loid}`, { content: NOTE })
  expect((await delivered('note.added')).data).toEqual({
    object: 'note',
    loid,
    on: 'lead',
    business_name: 'Okafor Freight',
    created_by: ada.businessName,
    submitted_by: ada.businessName,
    created_at: isAt,
  })

  await confirmEmail(portal, ada)
  const file = { loid, name: 'nkem-private.txt', content: new TextEncoder().encode(NOTE) }
  const { document } = (await upload(portal, ada, file)).body.data
  expect((await delivered('document.added')).data).toEqual({
    object: 'document',
    loid,
    on: 'lead',
    business_name: 'Okafor Freight',
    document_id: document.id,
    request_id: null,
    submitted_by: ada.businessName,
    created_at: isAt,
  })

  await ada.pushedLead(loid)
  await sync()
  const id = String((await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === loid)?.['id'])
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await sync()
  const changed = { ...lead, status: 'Contacted', previous: 'New Lead', changed_at: isAt }
  expect((await delivered('lead.status_changed')).data).toEqual(changed)

  expect((await ada.get('/crm/lead-statuses')).body.data.verdicts).toBeNull()
  await portal.deps.crm.makeMissingFields(['verdict'])
  await noteFieldGroups(portal.deps)
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const verdict = { partner_verdict: 'Yours', verdict_reason: 'First to refer', protected_until: soon }
  await lender.update('Leads', id, {
    Partner_Verdict: 'Yours',
    Verdict_Reason: 'First to refer',
    Protected_Until: soon,
  })
  await sync()
  expect((await delivered('lead.verdict_changed')).data).toEqual({ ...lead, ...verdict, changed_at: isAt })
  expect((await ada.get('/dashboard/leads?verdict=Yours')).body.data.leads).toMatchObject([{ loid, ...verdict }])
  expect((await ada.get('/dashboard/leads?verdict=yours')).body.data.leads).toEqual([])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead).toMatchObject(verdict)
  expect((await ada.get('/crm/lead-statuses')).body.data.verdicts).toEqual(['Yours'])
  const { entries } = (await ada.get(`/crm/lead/${loid}/timeline`)).body.data
  expect(entries[0]).toMatchObject({ type: 'verdict', is_lender: true, text: expect.stringMatching(/^Yours until /) })
  const attention = (await ada.get('/dashboard/attention')).body.data.items
  expect(attention).toMatchObject([{ kind: 'protection-ends', loid, protected_until: soon }])
  expect((await ada.post(`/dashboard/attention/${attention[0].id}/done`)).status).toBe(200)
  expect((await ada.get('/dashboard/attention')).body.data.items).toEqual([])

  const lookAtTasks = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
  await lookAtTasks()
  const asked = { Subject: 'Partner: Nkem’s lease', Description: NOTE, Due_Date: soon, What_Id: { id } }
  const task = await lender.create('Tasks', asked)
  await lookAtTasks()
  const opened = (await delivered('request.opened')).data
  const on = { object: 'request', loid, on: 'lead', business_name: 'Okafor Freight' }
  expect(opened).toEqual({ ...on, request_id: expect.any(String), due_on: soon, changed_at: isAt })
  await ada.post(`/crm/request/${opened.request_id}/answer`, { content: NOTE })
  expect((await delivered('request.answered')).data).toMatchObject({ request_id: opened.request_id })
  // What staff do at the same moment as the portal begins the task, the portal may overwrite.
  await waitFor('the task in progress', async () => {
    return (await lender.list('Tasks', 'Status')).some((one) => one['Status'] === 'In Progress')
  })
  for (const [Status, type] of [
    ['Completed', 'request.accepted'],
    ['Not Started', 'request.reopened'],
  ] as const) {
    await lender.update('Tasks', task, { Status })
    await lookAtTasks()
    expect((await delivered(type)).data).toEqual({ ...opened, changed_at: isAt })
  }
  await lender.remove('Tasks', task)
  await lookAtTasks()
  await delivered('request.withdrawn')

  const dealId = await lender.convert(id, { Deal_Name: 'Okafor truck', Amount: 150_000 })
  await sync()
  expect((await delivered('lead.converted')).data).toEqual({ ...lead, deal_loid: lead.loid, converted_at: isAt })
  const deal = { ...lead, object: 'deal', deal_name: 'Okafor truck' }
  expect((await delivered('deal.created')).data).toEqual({
    ...deal,
    stage: 'Information Received',
    submitted_by: null,
    created_at: isAt,
  })

  await lender.update('Deals', dealId, { Stage: 'Approved' })
  await sync()
  expect((await delivered('deal.stage_changed')).data).toEqual({
    ...deal,
    stage: 'Approved',
    previous: 'Information Received',
    changed_at: isAt,
  })
  await lender.update('Deals', dealId, { Amount: 160_000 })
  await sync()
  const updated = { ...deal, amount: 160_000, stage: 'Approved', changed_at: isAt }
  expect((await delivered('deal.updated')).data).toEqual(updated)
  await lender.remove('Deals', dealId)
  await sync()
  expect((await delivered('deal.removed')).data).toEqual({ ...deal, amount: 160_000, removed_at: isAt })

  await lender.restore(dealId)
  await sync()
  expect((await delivered('deal.restored')).data).toEqual({
    ...deal,
    amount: 160_000,
    stage: 'Approved',
    restored_at: isAt,
  })

  const other = await lender.create('Leads', {
    Last_Name: 'Rivera',
    Company: 'Rivera Bakery',
    Email: EMAIL,
    Phone: PHONE,
    Business_ABN: ABN,
    Partner: { id: adaInCrm },
  })
  await sync()
  await lender.remove('Leads', other)
  await sync()
  expect((await delivered('lead.removed')).data).toMatchObject({
    object: 'lead',
    business_name: 'Rivera Bakery',
    amount: null,
    reason: 'left-crm',
    removed_at: isAt,
  })
  await lender.restore(other)
  await sync()
  expect((await delivered('lead.restored')).data).toMatchObject({ business_name: 'Rivera Bakery', restored_at: isAt })
  await ada.post('/dashboard/webhook-test')
  const typed = newLead({ businessName: 'Second Freight' })
  const { loid: second } = await ada.submitLead(typed)
  await ada.pushedLead(second)
  // The CRM's times are whole seconds, so a lead that was made just now is not changed yet.
  await waitFor('a later second', async () => {
    const found = (await lender.list('Leads', 'LOID,Modified_Time')).find((one) => one['LOID'] === second)
    return Date.now() - Date.parse(String(found?.['Modified_Time'])) > 2_000
  })
  await ada.put(`/crm/lead/${second}`, { ...typed, loanAmount: 151_000 })
  const facts = {
    ...lead,
    loid: second,
    business_name: 'Second Freight',
    amount: 151_000,
    submitted_by: ada.businessName,
  }
  const corrected = (await delivered('lead.corrected')).data
  expect(corrected).toEqual({ ...facts, fields: ['loan_amount'], changed_at: isAt })
  // The CRM's record changed just now.
  await waitFor('a later second', async () => {
    const found = (await lender.list('Leads', 'LOID,Modified_Time')).find((one) => one['LOID'] === second)
    return Date.now() - Date.parse(String(found?.['Modified_Time'])) > 2_000
  })
  await ada.post(`/crm/lead/${second}/withdraw`, { reason: NOTE })
  expect((await delivered('lead.withdrawn')).data).toEqual({ ...facts, withdrawn_at: isAt })

  expect((await delivered('webhook.test')).data).toMatchObject({ object: 'test' })

  expect(new Set(receiver.received.map((one) => one.body.type))).toEqual(new Set(EVENT_TYPES))
  for (const { text, body } of receiver.received) {
    expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data'])
    const documented = Object.entries(EVENT_PAYLOADS).find(([type]) => type === body.type)
    expect([body.type, documented?.[1].schema.safeParse(body).success]).toEqual([body.type, true])
    expect(text).not.toMatch(/nkem|private|@|491\s?570|51\s?824|confidence|phone|email|abn|content/i)
  }
})
