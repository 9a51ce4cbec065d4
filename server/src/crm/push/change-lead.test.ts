import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CrmUnavailable } from '../../platform/errors.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import {
  addColleague,
  confirmEmail,
  newLead,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { METADATA_KEPT_MS } from '../zoho/metadata.ts'
import { changeLead } from './change-lead.job.ts'
import { pushDocument } from './push-document.job.ts'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(() => lender.reset())

const MENDED = newLead({ phone: '0491 570 159', loanAmount: 99_000, additionalInfo: 'Call before noon' })

/** A lead that the CRM has had for longer than the look demands. */
async function settledLead(partner: TestPartner) {
  const { loid } = await partner.submitLead()
  await partner.pushedLead(loid)
  return { loid, zohoId: await settledId(loid) }
}

function settledId(loid: string): Promise<string> {
  return waitFor('a later second', async () => {
    const record = await inCrm(loid)
    return Date.now() - Date.parse(String(record?.['Modified_Time'])) > 2_000 ? String(record?.['id']) : undefined
  })
}

/** What staff do with a form of the sandbox's staff page. */
async function actAsStaff(path: string, form: Record<string, string>): Promise<void> {
  const answer = await fetch(portal.crmUrl + path, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  expect([path, answer.status]).toEqual([path, 303])
}

async function inCrm(loid: string) {
  const list = await lender.list('Leads', 'LOID,Phone,Loan_Amount,Description,Company,Lead_Status,Modified_Time')
  return list.find((record) => record['LOID'] === loid)
}

async function opened(partner: Pick<TestPartner, 'get'>, loid: string) {
  return (await partner.get(`/crm/lead/${loid}`)).body.data.lead
}

/** Waits until the job has looked at the lead, and is about to change it. */
function sent(loid: string) {
  return waitFor('the look', async () => {
    const { rows } = await portal.deps.pool.query('select sent_at from lead_changes where loid = $1', [loid])
    return rows[0]?.sent_at
  })
}

/** Waits until the change has been made or refused, and returns the lead. */
function settled(partner: Pick<TestPartner, 'get'>, loid: string) {
  return waitFor(`the change of ${loid}`, async () => {
    const lead = await opened(partner, loid)
    return lead.change?.state === 'waiting' ? undefined : lead
  })
}

test('a correction writes only what changed into the CRM, and the lead, its timeline and its events say so', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  expect(await opened(partner, loid)).toMatchObject({ may_change: true, change: null })
  await lender.update('Leads', zohoId, { Designation: 'Set by a workflow' })
  await settledId(loid)

  const asked = await partner.put(`/crm/lead/${loid}`, MENDED)
  expect([asked.status, asked.body.data]).toEqual([202, { loid }])
  expect(await settled(partner, loid)).toMatchObject({
    phone: '+61491570159',
    loan_amount: 99_000,
    description: 'Call before noon',
    change: null,
    may_change: true,
  })
  expect(await inCrm(loid)).toMatchObject({
    Phone: '+61491570159',
    Loan_Amount: 99_000,
    Description: 'Call before noon',
  })
  const { entries } = (await partner.get(`/crm/lead/${loid}/timeline`)).body.data
  expect(entries[0]).toMatchObject({ type: 'corrected', is_lender: false, text: 'phone, loan amount, description' })
  expect((await partner.get('/dashboard/leads?search=0491570159')).body.data.leads).toHaveLength(1)
  // The pull that follows changes nothing, and nothing of it counts as the lender's.
  await partner.post('/crm/sync')
  expect(await opened(partner, loid)).toMatchObject({ phone: '+61491570159', may_change: true })
})

test('a withdrawn lead leaves the CRM, all lists and figures; its page says who withdrew it and why; a restored one is back', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await partner.post(`/crm/lead/${loid}/withdraw`, { reason: 'Went elsewhere' })
  expect(await settled(partner, loid)).toMatchObject({
    lead_status: 'Withdrawn',
    withdrawn_at: expect.any(String),
    may_change: false,
    side: null,
  })
  expect(await inCrm(loid)).toBeUndefined()
  expect((await partner.get('/dashboard/leads')).body.data.leads).toEqual([])
  expect((await partner.get('/dashboard/stats')).body.data.total_leads).toBe(0)
  const { entries, standing } = (await partner.get(`/crm/lead/${loid}/timeline`)).body.data
  expect([entries[0], standing.outcome]).toEqual([
    expect.objectContaining({ type: 'withdrawn', text: 'Went elsewhere', is_lender: false }),
    'lost',
  ])
  expect((await partner.post(`/crm/note/${loid}`, { content: 'Is it too late?' })).status).toBe(409)
  await partner.post('/crm/sync')
  const types = async () => {
    const { activities } = (await partner.get('/activity')).body.data
    return activities.map((entry: { title: string }) => entry.title)
  }
  expect(await types()).toEqual(['Lead withdrawn', 'Lead submitted'])

  await lender.restore(zohoId)
  await partner.post('/crm/sync')
  expect(await opened(partner, loid)).toMatchObject({ lead_status: 'New Lead', withdrawn_at: null, may_change: true })
  expect((await types())[0]).toBe('Lead restored by the lender')
})

test.each([
  ['edits a field', (zohoId: string) => lender.update('Leads', zohoId, { Phone: '+61400000001' })],
  ['moves the status', (zohoId: string) => lender.update('Leads', zohoId, { Lead_Status: 'Contacted' })],
  ['writes a note', async (zohoId: string) => void (await lender.addNote('Leads', zohoId, { content: 'I call them' }))],
  ['converts the lead', async (zohoId: string) => void (await lender.convert(zohoId))],
])('once the lender %s, neither a correction nor a withdrawal changes anything', async (_what, touch) => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await touch(zohoId)
  const before = await inCrm(loid)
  for (const ask of [
    () => partner.put(`/crm/lead/${loid}`, MENDED),
    () => partner.post(`/crm/lead/${loid}/withdraw`, {}),
  ]) {
    const { status, body } = await ask()
    const refusal = status === 202 ? (await settled(partner, loid)).change?.problem : body.error
    expect(refusal).toMatch(/^The lender has begun to work on this lead/)
  }
  expect(await inCrm(loid)).toEqual(before)
})

test('a status or loan type that the lender renames is no edit: the lead can be corrected and withdrawn, and nothing is told', async () => {
  const partner = await portal.newPartner()
  const before = await settledLead(partner)
  const choicesRenamed = ['Leads.Lead_Status.New Lead=New Referral', 'Leads.Loan_Type.Term Loan=Business Loan']
  await lender.behaviour({ choicesRenamed })
  portal.advance(METADATA_KEPT_MS)
  const after = await partner.submitLead()
  await partner.pushedLead(after.loid)
  await settledId(after.loid)
  for (const { loid } of [before, after]) {
    await lender.update('Leads', String((await inCrm(loid))?.['id']), { Designation: 'Set by a workflow' })
    await settledId(loid)
  }
  await partner.post('/crm/sync')
  for (const { loid } of [before, after]) {
    expect(await opened(partner, loid)).toMatchObject({
      lead_status: 'New Referral',
      loan_type: 'Business Loan',
      may_change: true,
    })
    await partner.put(`/crm/lead/${loid}`, MENDED)
    expect(await settled(partner, loid)).toMatchObject({ loan_amount: 99_000, change: null, may_change: true })
  }
  const { activities } = (await partner.get('/activity')).body.data
  expect(activities.map((entry: { title: string }) => entry.title)).toEqual([
    'Lead corrected',
    'Lead corrected',
    'Lead submitted',
    'Lead submitted',
  ])
  const history = (await partner.get(`/crm/lead/${before.loid}/status-history`)).body.data
  expect(history.map((entry: { status: string }) => entry.status)).toEqual(['New Lead'])

  // The status gets its former name back.
  await lender.behaviour({ choicesRenamed: choicesRenamed.slice(1) })
  portal.advance(METADATA_KEPT_MS)
  await partner.post(`/crm/lead/${before.loid}/withdraw`, {})
  expect(await settled(partner, before.loid)).toMatchObject({ lead_status: 'Withdrawn' })
})

test('an edit by staff between the look and the correction wins', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await lender.faults({ late: { times: 1, match: `PUT /crm/v8/Leads/${zohoId}`, ms: 2_500 } })
  await partner.put(`/crm/lead/${loid}`, MENDED)
  await sent(loid)
  await actAsStaff(`/leads/${loid}/status`, { status: 'Contacted' })
  await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  expect((await settled(partner, loid)).change).toMatchObject({ kind: 'correct', state: 'refused' })
  expect(await inCrm(loid)).toMatchObject({ Lead_Status: 'Contacted', Loan_Amount: 150_000 })
})

test('a correction that meets a merge of the partner’s own record waits until the portal has followed the merge', async () => {
  const partner = await portal.newPartner()
  const { loid } = await settledLead(partner)
  const own = (await partner.get('/profile')).body.data.zoho_id
  const stays = await lender.create('Partners', { Name: 'The record that stays' })
  await lender.merge('Partners', stays, [own])
  await partner.put(`/crm/lead/${loid}`, MENDED)
  await waitFor('the merge to be followed', async () => (await partner.get('/profile')).body.data.zoho_id === stays)
  await waitFor('the correction', async () => {
    await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000), '').catch(() => {})
    return (await opened(partner, loid)).change === null
  })
  expect(await inCrm(loid)).toMatchObject({ Loan_Amount: 99_000 })
})

test.each(['correct', 'withdraw'] as const)('a %s whose answer is lost is made once', async (kind) => {
  const partner = await portal.newPartner()
  const { loid } = await settledLead(partner)
  const match = kind === 'correct' ? 'PUT /crm/v8/Leads' : 'DELETE /crm/v8/Leads'
  await lender.faults({ resetAfterCommit: { times: 1, match } })
  if (kind === 'correct') await partner.put(`/crm/lead/${loid}`, MENDED)
  else await partner.post(`/crm/lead/${loid}/withdraw`, {})
  await waitFor('the first try', async () =>
    kind === 'correct' ? (await inCrm(loid))?.['Loan_Amount'] === 99_000 : !(await inCrm(loid)),
  )
  await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  const lead = await settled(partner, loid)
  expect(lead).toMatchObject(kind === 'correct' ? { loan_amount: 99_000, change: null } : { lead_status: 'Withdrawn' })
  const { activities } = (await partner.get('/activity')).body.data
  expect(activities).toHaveLength(2)
})

test('a correction that a pull brings before its lost answer is not the lender’s', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await lender.faults({ resetAfterCommit: { times: 1, match: 'PUT /crm/v8/Leads' } })
  await partner.put(`/crm/lead/${loid}`, MENDED)
  await waitFor('the first try', async () => (await inCrm(loid))?.['Loan_Amount'] === 99_000)
  await partner.post('/crm/sync')
  expect(await opened(partner, loid)).toMatchObject({ loan_amount: 99_000, change: { state: 'waiting' } })
  await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  expect(await settled(partner, loid)).toMatchObject({ change: null, may_change: true })
  // What staff do counts all the same.
  await lender.update('Leads', zohoId, { Phone: '+61400000001' })
  await partner.post('/crm/sync')
  expect(await opened(partner, loid)).toMatchObject({ may_change: false })
})

test('a correction that arrives after its answer was awaited is not the lender’s, also if its repeat comes just behind it', async () => {
  const partner = await portal.newPartner()
  const { loid } = await settledLead(partner)
  await portal.deps.pool.query(
    `insert into lead_changes (loid, partner_id, person_id, kind, state, corrected, asked_at)
     select $1, partner_id, id, 'correct', 'waiting', '{"loan_amount":99000}', now() from people where partner_id = $2`,
    [loid, partner.id],
  )
  await lender.faults({ late: { times: 2, match: 'PUT /crm/v8/Leads', ms: 1_500 } })
  const patience = new AbortController()
  const run = (signal: AbortSignal) => changeLead.run(portal.deps, { partnerId: partner.id, loid }, signal)
  const first = run(patience.signal)
  await waitFor('the first PUT', async () => {
    const faults = await fetch(`${portal.crmUrl}/sandbox/faults`)
    return (await faults.text()).includes('"times":1')
  })
  patience.abort(new DOMException('too late', 'TimeoutError'))
  await expect(first).rejects.toThrow(CrmUnavailable)
  await run(AbortSignal.timeout(10_000))
  expect(await settled(partner, loid)).toMatchObject({ loan_amount: 99_000, change: null, may_change: true })
})

test('a correction waits for a workflow that changes the record after the look, and is then made', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await lender.faults({ late: { times: 1, match: `PUT /crm/v8/Leads/${zohoId}`, ms: 2_500 } })
  await partner.put(`/crm/lead/${loid}`, MENDED)
  await sent(loid)
  await lender.update('Leads', zohoId, { Designation: 'Set by a workflow' })
  await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000))
  expect(await settled(partner, loid)).toMatchObject({ loan_amount: 99_000, change: null })
  expect(await inCrm(loid)).toMatchObject({ Loan_Amount: 99_000 })
})

test.each(['correct', 'withdraw'] as const)(
  'a %s of a record that has just changed is made by the first job',
  async (kind) => {
    const partner = await portal.newPartner()
    const { loid } = await partner.submitLead()
    await partner.pushedLead(loid)
    await lender.update('Leads', String((await inCrm(loid))?.['id']), { Designation: 'Set by a workflow' })
    if (kind === 'correct') await partner.put(`/crm/lead/${loid}`, MENDED)
    else await partner.post(`/crm/lead/${loid}/withdraw`, {})
    const lead = await settled(partner, loid)
    expect(lead).toMatchObject(
      kind === 'correct' ? { loan_amount: 99_000, change: null } : { lead_status: 'Withdrawn' },
    )
    const { rows } = await portal.deps.pool.query(
      "select retry_count from jobs.job where name = 'change-lead' and data ->> 'loid' = $1",
      [loid],
    )
    expect(rows).toEqual([{ retry_count: 0 }])
  },
)

test('a lead that the CRM does not have yet, or refused, is simply changed', async () => {
  // From before the partner's own push, so that no lead is sent without an answer.
  await lender.faults({ outage: 'status' })
  const partner = await portal.newPartner()
  const [first, second] = [await partner.submitLead(), await partner.submitLead()]
  await partner.put(`/crm/lead/${first.loid}`, MENDED)
  await partner.post(`/crm/lead/${second.loid}/withdraw`, {})
  expect(await settled(partner, first.loid)).toMatchObject({ loan_amount: 99_000, crm: 'pending' })
  expect(await settled(partner, second.loid)).toMatchObject({ lead_status: 'Withdrawn' })
  await lender.faults({})
  await portal.deps.db.updateTable('leads').set({ crm: 'failed' }).where('loid', '=', first.loid).execute()
  await partner.put(`/crm/lead/${first.loid}`, newLead({ loanAmount: 77_000 }))
  await partner.pushedLead(first.loid)
  expect(await lender.list('Leads', 'LOID,Loan_Amount')).toEqual([
    expect.objectContaining({ LOID: first.loid, Loan_Amount: 77_000 }),
  ])
})

test('a lead whose withdrawal the lender forestalled leaves the lists once the lender removes it', async () => {
  const partner = await portal.newPartner()
  const { loid, zohoId } = await settledLead(partner)
  await lender.faults({ resetBefore: { times: 100, match: `DELETE /crm/v8/Leads/${zohoId}` } })
  await partner.post(`/crm/lead/${loid}/withdraw`, {})
  await sent(loid)
  await lender.update('Leads', zohoId, { Lead_Status: 'Contacted' })
  await lender.faults({})
  await changeLead.run(portal.deps, { partnerId: partner.id, loid }, AbortSignal.timeout(10_000)).catch(() => undefined)
  expect((await settled(partner, loid)).change).toMatchObject({ kind: 'withdraw', state: 'refused' })
  await lender.remove('Leads', zohoId)
  await partner.post('/crm/sync')
  expect((await partner.get(`/crm/lead/${loid}`)).body.code).toBe('LEAD_REMOVED')
})

test('a note and a file of a lead that is withdrawn before it was sent end with it, also when they are tried again', async () => {
  await lender.faults({ outage: 'status' })
  const partner = await portal.newPartner()
  await confirmEmail(portal, partner)
  const { loid } = await partner.submitLead()
  const note = (await partner.post(`/crm/note/${loid}`, { content: 'Call before noon' })).body.data
  const sent = await upload(portal, partner, { loid, name: 'bank.txt', content: new TextEncoder().encode('March: 12') })
  const { id } = sent.body.data.document
  await partner.post(`/crm/lead/${loid}/withdraw`, {})
  expect(await settled(partner, loid)).toMatchObject({ lead_status: 'Withdrawn' })
  await partner.post(`/crm/note/${note.id}/retry-push`)
  await lender.faults({})
  await pushDocument.run(portal.deps, { partnerId: partner.id, documentId: id }, AbortSignal.timeout(10_000))
  await waitFor('the note and the file to end', async () => {
    const { rows } = await portal.deps.pool.query(
      `select notes.crm, state, (select count(*)::int from document_parts where document_id = documents.id) as parts
         from notes join documents using (loid) where loid = $1`,
      [loid],
    )
    return rows[0]?.crm === 'failed' && rows[0].state === 'failed' && rows[0].parts === 0
  })
})

test('only the person who submitted the lead, or an owner, changes it', async () => {
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const [ada, bob] = [await addColleague(portal, owner, 'member'), await addColleague(portal, owner, 'member')]
  const { loid } = (await ada.post('/dashboard/leads', newLead())).body.data
  expect([(await opened(ada, loid)).may_change, (await opened(bob, loid)).may_change]).toEqual([true, false])
  const refused = await bob.post(`/crm/lead/${loid}/withdraw`, {})
  expect([refused.status, refused.body.code]).toEqual([403, 'NOT_ALLOWED'])
  expect((await owner.put(`/crm/lead/${loid}`, newLead())).body.error).toBe('Nothing was changed')
  expect((await owner.put(`/crm/lead/${loid}`, MENDED)).status).toBe(202)
})
