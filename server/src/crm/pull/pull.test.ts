import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Lender, openLender } from '../../testing/lender.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { pullDueDetails } from './details/pull-details.job.ts'
import { pullNotified } from './notified/pull-notified.job.ts'
import { pullForAll } from './pull-for-all.ts'
import { pullRecords } from './pull-records.ts'
import { runSweep } from './sweep/sweep.job.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
/** The id of Ada's record in the CRM. */
let adaInCrm: string

beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})

afterAll(() => portal[Symbol.asyncDispose]())

beforeEach(async () => {
  await lender.reset()
  await later(0)
  await portal.deps.db.deleteFrom('sweep_cursors').execute()
  ada = await portal.newPartner()
  adaInCrm = await waitFor('the partner in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id)
})

/** Moves the CRM's clock and the portal's clock together. */
let shiftSeconds = 0
async function later(seconds: number) {
  shiftSeconds += seconds
  portal.advance(seconds * 1_000)
  await lender.behaviour({ clockShiftSeconds: shiftSeconds })
}

const sweep = () => runSweep(portal.deps, new AbortController().signal)
const pullDetails = () => pullDueDetails.run(portal.deps, {}, new AbortController().signal)

async function sync(path: string) {
  const answer = await ada.post(path)
  expect(answer.body).toMatchObject({ success: true })
  return answer.body.data
}

async function listed(kind: 'leads' | 'deals') {
  return (await ada.get(`/dashboard/${kind}?limit=100`)).body.data[kind]
}

async function history(kind: 'lead' | 'deal', loid: string): Promise<string[]> {
  const { body } = await ada.get(`/crm/${kind}/${loid}/${kind === 'lead' ? 'status' : 'stage'}-history`)
  return body.data.map((entry: { status?: string; stage?: string }) => entry.status ?? entry.stage).toReversed()
}

/** The data of Ada's events of this type, the oldest first. */
async function changes(type: string): Promise<unknown[]> {
  const rows = await portal.deps.db
    .selectFrom('events')
    .select('data')
    .where('partner_id', '=', ada.id)
    .where('type', '=', type)
    .orderBy('id')
    .execute()
  return rows.map(({ data }) => data)
}

async function callsOf(work: () => Promise<unknown>) {
  const { total, by_kind } = await lender.calls()
  await work()
  const after = await lender.calls()
  const kinds = Object.entries(after.by_kind).map(([kind, calls]) => [kind, calls - (by_kind[kind] ?? 0)] as const)
  return { total: after.total - total, by_kind: Object.fromEntries(kinds.filter(([, calls]) => calls > 0)) }
}

/** Submits a lead and waits until the CRM has it. Returns its LOID and its id in the CRM. */
async function submitted(form: object = {}) {
  const { loid } = await ada.submitLead(form)
  await ada.pushedLead(loid)
  const inZoho = (await lender.list('Leads', 'LOID')).find((lead) => lead['LOID'] === loid)
  return { loid, id: String(inZoho?.['id']) }
}

async function change(module: 'Leads' | 'Deals', id: string, values: string[]) {
  for (const value of values) {
    await lender.update(module, id, module === 'Leads' ? { Lead_Status: value } : { Stage: value })
  }
}

describe('if a value changes and changes back between two pulls, the history has both changes, and each change causes an event', () => {
  test('for a lead', async () => {
    const { loid, id } = await submitted()
    await sweep()
    await later(60)
    await change('Leads', id, ['Lost Lead', 'New Lead'])
    await sweep()
    await sweep()
    expect(await history('lead', loid)).toEqual(['New Lead', 'Lost Lead', 'New Lead'])
    expect(await changes('lead.status_changed')).toMatchObject([
      { status: 'Lost Lead', previous: 'New Lead' },
      { status: 'New Lead', previous: 'Lost Lead' },
    ])
  })

  test.each(['entry', 'exit'])(
    'for a deal, if the CRM’s history has the time of a stage’s %s',
    async (stageHistoryTime) => {
      await lender.behaviour({ stageHistoryTime })
      const id = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
      await sweep()
      await pullDetails()
      await later(60)
      await change('Deals', id, ['Funded', 'Approved'])
      await sweep()
      await later(60)
      await lender.update('Deals', id, { Amount: 7 })
      await sweep()
      const [{ loid }] = await listed('deals')
      expect(await history('deal', loid)).toEqual(['Approved', 'Funded', 'Approved'])
      expect(await changes('deal.stage_changed')).toMatchObject([
        { stage: 'Funded', previous: 'Approved' },
        { stage: 'Approved', previous: 'Funded' },
      ])
    },
  )
})

describe('a history that the CRM does not give', () => {
  test.each([
    { tooMany: { every: 1, retryAfterSeconds: 120 } },
    { forbidden: { every: 1 } },
    { failEvery: { n: 1, status: 410, code: 'API_VERSION_RETIRED' } },
  ])('delays neither its page nor other histories, and is read later: %o', async (fault) => {
    const silent = await submitted()
    const others = [await submitted({ email: 'two@example.com' }), await submitted({ email: 'three@example.com' })]
    await sweep()
    await later(60)
    const [[name, settings] = ['', {}]] = Object.entries(fault)
    await lender.faults({ [name]: { ...settings, match: `${silent.id}/__timeline` } })
    for (const { id } of [silent, ...others]) await change('Leads', id, ['Contacted', 'New Lead'])
    await sweep()
    await pullDetails()
    for (const { loid } of others) expect(await history('lead', loid)).toEqual(['New Lead', 'Contacted', 'New Lead'])
    await lender.faults({})
    await pullDetails()
    expect(await history('lead', silent.loid)).toEqual(['New Lead', 'Contacted', 'New Lead'])
  })

  test('because the organisation gives none, is asked for a few times and not for each record, and the records are shown', async () => {
    const ids = await lender.createMany(
      'Leads',
      Array.from({ length: 40 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
    )
    await sweep()
    await pullDetails()
    await later(60)
    for (const id of ids) await change('Leads', id, ['Contacted', 'Lost Lead'])
    await lender.faults({ failEvery: { n: 1, status: 410, code: 'API_VERSION_RETIRED', match: '__timeline' } })
    const timeline = 'GET /crm/v8/Leads/{id}/__timeline'
    expect((await callsOf(sweep)).by_kind[timeline]).toBeLessThan(20)
    expect((await listed('leads')).map((lead: { lead_status: string }) => lead.lead_status)).toEqual(
      ids.map(() => 'Lost Lead'),
    )
    expect((await callsOf(pullDetails)).by_kind[timeline]).toBeLessThan(10)
    await lender.faults({})
    await pullDetails()
    const [{ loid }] = await listed('leads')
    expect((await history('lead', loid)).slice(1)).toEqual(['Contacted', 'Lost Lead'])
  })
})

test('a record that changed in the same second in which it was created gets each entry of the CRM’s history once', async () => {
  const lead = await lender.create('Leads', {
    Last_Name: 'Rivera',
    Lead_Status: 'Contacted',
    Partner: { id: adaInCrm },
  })
  const deal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await change('Leads', lead, ['Pre Qualified'])
  await change('Deals', deal, ['Funded'])
  await sync('/crm/sync')
  await later(60)
  await change('Leads', lead, ['Lost Lead'])
  await change('Deals', deal, ['Closed'])
  await sync('/crm/sync')
  const [leads, deals] = [await listed('leads'), await listed('deals')]
  expect(await history('lead', leads[0].loid)).toEqual(['Contacted', 'Pre Qualified', 'Lost Lead'])
  expect(await history('deal', deals[0].loid)).toEqual(['Approved', 'Funded', 'Closed'])
  expect(await changes('lead.status_changed')).toMatchObject([{ status: 'Lost Lead', previous: 'Pre Qualified' }])
  expect(await changes('deal.stage_changed')).toMatchObject([{ stage: 'Closed', previous: 'Funded' }])
})

test('a status that a workflow of the CRM sets on a pushed lead is a separate change', async () => {
  await lender.behaviour({ workflowOnCreation: true })
  const { loid } = await submitted()
  await sweep()
  await later(60)
  await sweep()
  const [first, ...others] = await history('lead', loid)
  expect(first).toBe('New Lead')
  expect(others).toHaveLength(1)
  expect(await changes('lead.status_changed')).toMatchObject([{ status: others[0], previous: 'New Lead' }])
})

describe('a first sync', () => {
  test('reads whole records, and leaves their histories until somebody opens a record or the background job reads them (D56)', async () => {
    const records = Array.from({ length: 250 }, (_, index) => ({
      Last_Name: `L${index}`,
      Lead_Status: 'Not Contacted',
      LOID: `LO-E${String(index).padStart(7, '0')}`,
      Partner: { id: adaInCrm },
    }))
    const [opened = ''] = await lender.createMany('Leads', records)
    await lender.addNote('Leads', opened, { content: 'Written before' })
    await change('Leads', opened, ['Contacted'])
    await later(60)
    const { by_kind } = await callsOf(() => sync('/dashboard/sync-leads'))
    // The three calls list the partner's leads, leads that queries may hide, and the organisation's notes.
    expect(by_kind).toMatchObject({
      'POST /crm/v8/coql': 1,
      'GET /crm/v8/Leads/search': 1,
      'GET /crm/v8/Notes': 1,
    })
    expect(Object.keys(by_kind).filter((kind) => /timeline|v8\/Leads$/.test(kind))).toEqual([])
    const timelines = async (work: () => Promise<unknown>) =>
      (await callsOf(work)).by_kind['GET /crm/v8/Leads/{id}/__timeline'] ?? 0
    expect(await timelines(() => ada.get('/crm/lead/LO-E0000000/status-history'))).toBe(1)
    expect(await history('lead', 'LO-E0000000')).toEqual(['Not Contacted', 'Contacted'])
    expect((await ada.get('/crm/lead/LO-E0000000')).body.data.notes).toMatchObject([{ content: 'Written before' }])
    expect(await timelines(pullDetails)).toBe(249)
    expect(await timelines(pullDetails)).toBe(0)
    // The last of these calls asks whether the partner's own record is there (D123).
    expect((await callsOf(() => sync('/dashboard/sync-leads'))).total).toBe(4)
    expect(await changes('lead.status_changed')).toEqual([])
  })

  test('shows part of a history if the CRM refuses to give it, and the whole history half a minute later', async () => {
    const id = await lender.create('Leads', { Last_Name: 'L', Lead_Status: 'Contacted', Partner: { id: adaInCrm } })
    await change('Leads', id, ['Pre Qualified'])
    await sync('/dashboard/sync-leads')
    const [{ loid }] = await listed('leads')
    await lender.faults({ scopeMismatch: { times: 1, match: '__timeline' } })
    expect(await history('lead', loid)).toEqual(['Pre Qualified'])
    // For half a minute, no page waits for the CRM.
    expect((await callsOf(() => history('lead', loid))).total).toBe(0)
    await later(30)
    expect(await history('lead', loid)).toEqual(['Contacted', 'Pre Qualified'])
  })

  test('that failed before it read the notes leaves them to the next sync', async () => {
    const ids = await lender.createMany(
      'Leads',
      Array.from({ length: 120 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
    )
    await lender.addNote('Leads', ids[0] ?? '', { content: 'Written before' })
    await later(3_600)
    const { db, clock } = portal.deps
    // Makes Ada's account much newer than her leads in the CRM.
    await db.updateTable('partners').set({ created_at: clock.now().toISOString() }).where('id', '=', ada.id).execute()
    await lender.faults({ tooMany: { retryAfterSeconds: 120, match: 'GET /crm/v8/Notes' } })
    expect((await ada.post('/dashboard/sync-leads')).status).toBe(502)
    await lender.faults({})
    await sync('/dashboard/sync-leads')
    const notes = await db.selectFrom('notes').select('content').where('partner_id', '=', ada.id).execute()
    expect(notes).toEqual([{ content: 'Written before' }])
  })

  test('leaves a lead’s history to the background job, which discards the history if the lead was pulled again in the meantime', async () => {
    const id = await lender.create('Leads', { Last_Name: 'L', Lead_Status: 'Contacted', Partner: { id: adaInCrm } })
    await sync('/dashboard/sync-leads')
    const { deps } = portal
    const { crm } = deps
    const overtaken: typeof crm.leadStatusHistory = async (...asked) => {
      const told = await crm.leadStatusHistory(...asked)
      await later(60)
      await change('Leads', id, ['Pre Qualified'])
      await sweep()
      return told
    }
    const late = { ...deps, crm: { ...crm, leadStatusHistory: overtaken } }
    await pullDueDetails.run(late, {}, new AbortController().signal)
    const [{ loid }] = await listed('leads')
    expect(await history('lead', loid)).toEqual(['Contacted', 'Pre Qualified'])
  })

  test('ends before the background job reads the histories', async () => {
    await lender.create('Leads', { Last_Name: 'L', Lead_Status: 'Contacted', Partner: { id: adaInCrm } })
    await sync('/dashboard/sync-leads')
    const { db } = portal.deps
    const is = (status: 'running' | 'succeeded') =>
      db.updateTable('sync_runs').set({ status }).where('partner_id', '=', ada.id).execute()
    const due = () => db.selectFrom('leads').select('history_due').where('partner_id', '=', ada.id).execute()
    await is('running')
    await db.updateTable('leads').set({ history_due: true }).where('partner_id', '=', ada.id).execute()
    await pullDetails()
    expect(await due()).toEqual([{ history_due: true }])
    await is('succeeded')
    await pullDetails()
    expect(await due()).toEqual([{ history_due: false }])
  })

  test('reads notes in the background if Zoho forbids the list of notes, and skips records whose notes Zoho does not give', async () => {
    await lender.behaviour({ apiUserIsAdmin: false })
    const ids = await lender.createMany(
      'Leads',
      Array.from({ length: 120 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
    )
    for (const id of ids) await lender.addNote('Leads', id, { content: 'A remark' })
    await later(60)
    await sync('/dashboard/sync-leads')
    const notes = async () => {
      const { rows } = await portal.deps.pool.query('select zoho_id from notes where partner_id = $1', [ada.id])
      return rows.length
    }
    const atOnce = await notes()
    const due = await portal.deps.db.selectFrom('leads').select('zoho_id').where('notes_due', '=', true).execute()
    expect(due).toHaveLength(120 - atOnce)
    const [silent, closed] = due
    await lender.faults({
      tooMany: { every: 1, retryAfterSeconds: 120, match: `${silent?.zoho_id}/Notes` },
      forbidden: { every: 1, match: `${closed?.zoho_id}/Notes` },
    })
    await pullDetails()
    expect(await notes()).toBe(118)
    await lender.faults({})
    // The sweep reads the records of the first sync once more, and their due notes with them.
    await sweep()
    expect(await notes()).toBe(120)
    expect(await changes('note.added')).toEqual([])
  })
})

test('a re-sync of a deal reads the notes that a first sync has left due, and these notes are not news', async () => {
  await lender.behaviour({ apiUserIsAdmin: false })
  const id = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await lender.addNote('Deals', id, { content: 'Written before' })
  await lender.faults({ tooMany: { every: 1, retryAfterSeconds: 120, match: `${id}/Notes` } })
  for (let syncs = 0; syncs < 2; syncs += 1) {
    // Waits long enough for a sync to see the deal as unchanged.
    await later(60)
    await sync('/dashboard/sync-deals')
  }
  await lender.faults({})
  const [{ loid }] = await listed('deals')
  expect(await sync(`/dashboard/sync-deal/${loid}`)).toMatchObject({ operation: 'unchanged' })
  expect((await ada.get(`/crm/deal/${loid}`)).body.data.notes).toMatchObject([{ content: 'Written before' }])
  expect(await changes('note.added')).toEqual([])
})

test('a pull that a newer pull has overtaken does not bring back an older status, even if both statuses were set in the same second', async () => {
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  const { deps } = portal
  const { crm } = deps
  const { signal } = new AbortController()
  const overtaken: typeof crm.getLeads = async (...asked) => {
    const read = await crm.getLeads(...asked)
    await change('Leads', id, ['Pre Qualified'])
    await pullNotified.run(deps, { module: 'Leads', zohoIds: [id] }, signal)
    return read
  }
  await waitFor('a new second to begin', async () => Date.now() % 1_000 < 200)
  await change('Leads', id, ['Contacted'])
  const late = { ...deps, crm: { ...crm, getLeads: overtaken } }
  await pullNotified.run(late, { module: 'Leads', zohoIds: [id] }, signal)
  await sweep()
  expect(await history('lead', loid)).toEqual(['New Lead', 'Contacted', 'Pre Qualified'])
  expect(await changes('lead.status_changed')).toMatchObject([
    { status: 'Contacted', previous: 'New Lead' },
    { status: 'Pre Qualified', previous: 'Contacted' },
  ])
})

test('a note causes one event even if its notification arrives while the record’s notes are being read', async () => {
  const { loid, id } = await submitted()
  await later(60)
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  const noteId = await lender.addNote('Leads', id, { content: 'Papers are missing' })
  const { deps } = portal
  const { crm } = deps
  const { signal } = new AbortController()
  const overtaken: typeof crm.notePages = async function* (...asked) {
    for await (const page of crm.notePages(...asked)) {
      await pullNotified.run(deps, { module: 'Notes', zohoIds: [noteId] }, signal)
      yield page
    }
  }
  // A process that has just started does not know whether Zoho lists notes.
  const late = { ...deps, crm: { ...crm, notePages: overtaken, listsNotes: () => undefined } }
  await pullNotified.run(late, { module: 'Leads', zohoIds: [id] }, signal)
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toMatchObject([{ content: 'Papers are missing' }])
  expect(await changes('note.added')).toMatchObject([{ content: 'Papers are missing' }])
})

test('a note stays due if it was written after its record’s notes were read and the next read failed', async () => {
  await lender.behaviour({ apiUserIsAdmin: false })
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  await change('Leads', id, ['Contacted'])
  const { deps } = portal
  const { crm } = deps
  const { signal } = new AbortController()
  const overtaken: typeof crm.notePages = async function* (...asked) {
    yield* crm.notePages(...asked)
    await later(60)
    await lender.addNote('Leads', id, { content: 'Papers are missing' })
    await change('Leads', id, ['Pre Qualified'])
    await lender.faults({ tooMany: { every: 1, retryAfterSeconds: 120, match: `${id}/Notes` } })
    await pullNotified.run(deps, { module: 'Leads', zohoIds: [id] }, signal)
    await lender.faults({})
  }
  const late = { ...deps, crm: { ...crm, notePages: overtaken } }
  await pullNotified.run(late, { module: 'Leads', zohoIds: [id] }, signal)
  await pullDetails()
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toMatchObject([{ content: 'Papers are missing' }])
})

test('a sync finds new notes even if the portal’s clock is an hour ahead', async () => {
  const { loid, id } = await submitted()
  portal.advance(3_600_000)
  onTestFinished(() => portal.advance(-3_600_000))
  await sync('/crm/sync')
  await lender.addNote('Leads', id, { content: 'Call me' })
  await sync('/crm/sync')
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toMatchObject([{ content: 'Call me' }])
})

test('a note that could not be read with its record causes an event when it is read in the background', async () => {
  await lender.behaviour({ apiUserIsAdmin: false })
  const { id } = await submitted()
  await sweep()
  await later(60)
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.addNote('Leads', id, { content: 'Papers are missing' })
  await lender.faults({ tooMany: { every: 1, retryAfterSeconds: 120, match: `${id}/Notes` } })
  await sweep()
  await lender.faults({})
  expect(await changes('note.added')).toEqual([])
  await pullDetails()
  expect(await changes('note.added')).toMatchObject([{ content: 'Papers are missing' }])
})

test('a record that is read in the same second in which it changed is read once more, however long reading its history took', async () => {
  const { id } = await submitted()
  await later(60)
  await change('Leads', id, ['Contacted'])
  const { deps } = portal
  const { crm } = deps
  const slow: typeof crm.leadStatusHistory = async (...asked) => {
    await later(60)
    return crm.leadStatusHistory(...asked)
  }
  const late = { ...deps, crm: { ...crm, leadStatusHistory: slow } }
  const { signal } = new AbortController()
  await pullNotified.run(late, { module: 'Leads', zohoIds: [id] }, signal)
  const callsToLook = async () =>
    (await callsOf(() => pullNotified.run(deps, { module: 'Leads', zohoIds: [id] }, signal))).total
  expect(await callsToLook()).toBeGreaterThan(1)
  // The next pull reads only the record and no history, because the record has not changed since.
  expect(await callsToLook()).toBe(1)
})

test('reading histories in the background leaves half of the day’s credits for partners’ requests (D57)', async () => {
  await lender.createMany('Leads', [{ Last_Name: 'Old', Partner: { id: adaInCrm } }])
  await sync('/dashboard/sync-leads')
  const { db } = portal.deps
  const used = { hour: new Date().toISOString(), calls: 25_000, credits: 25_000 }
  await db.insertInto('crm_calls').values(used).execute()
  expect((await callsOf(pullDetails)).total).toBe(0)
  await db.deleteFrom('crm_calls').where('hour', '=', used.hour).execute()
  expect((await callsOf(pullDetails)).total).toBeGreaterThan(0)
})

test('a change of another field reads the history later, within a tenth of the day’s credits (D126)', async () => {
  const { loid, id } = await submitted()
  await sweep()
  await pullDetails()
  await later(60)
  await change('Leads', id, ['Lost Lead', 'New Lead'])
  await lender.update('Leads', id, { Description: 'Touched by a workflow' })
  const timeline = 'GET /crm/v8/Leads/{id}/__timeline'
  expect(Object.keys((await callsOf(sweep)).by_kind)).not.toContain(timeline)
  expect((await ada.get('/dashboard/leads')).body.data.leads).toMatchObject([{ description: 'Touched by a workflow' }])
  const { db } = portal.deps
  const used = { hour: new Date().toISOString(), calls: 0, credits: 0, later: 5_000 }
  await db.insertInto('crm_calls').values(used).execute()
  expect((await callsOf(pullDetails)).by_kind[timeline]).toBeUndefined()
  await db.deleteFrom('crm_calls').where('hour', '=', used.hour).execute()
  expect((await callsOf(pullDetails)).by_kind[timeline]).toBe(1)
  expect(await changes('lead.status_changed')).toMatchObject([{ status: 'Lost Lead' }, { status: 'New Lead' }])
  expect(await history('lead', loid)).toEqual(['New Lead', 'Lost Lead', 'New Lead'])
})

test('a pull of many missing records reads the CRM’s list of deletions once', async () => {
  await lender.fill('Leads', 240, { Last_Name: 'H#n#', LOID: 'LO-H#n#', Partner: { id: adaInCrm } })
  await sync('/dashboard/sync-leads')
  await lender.behaviour({ apiUserSeesRecords: false })
  const { by_kind } = await callsOf(() => sync('/dashboard/sync-leads'))
  expect(by_kind['GET /crm/v8/Leads/deleted']).toBe(1)
  expect(await changes('lead.removed')).toEqual([])
  await lender.behaviour({ apiUserSeesRecords: true })
  await sync('/dashboard/sync-leads')
})

test('a sweep finds all deletions even if Zoho lists only some of them', async () => {
  await lender.behaviour({ deletedOrder: 'oldest-first', deletedListMax: 200 })
  await lender.fill('Leads', 240, { Last_Name: 'L#n#', LOID: 'LO-#n#', Partner: { id: adaInCrm } })
  await sync('/dashboard/sync-leads')
  await sweep()
  const { db } = portal.deps
  const rows = await db.selectFrom('leads').select('zoho_id').where('partner_id', '=', ada.id).orderBy('loid').execute()
  const ids = rows.flatMap((row) => row.zoho_id ?? [])
  await lender.removeMany('Leads', ids.slice(20))
  await sweep()
  expect(await listed('leads')).toHaveLength(20)
  expect(await changes('lead.removed')).toHaveLength(220)
  await later(600)
  await lender.remove('Leads', ids[0] ?? '')
  await sweep()
  expect(await listed('leads')).toHaveLength(19)
})

test('a pull that a sweep has overtaken does not remove a lead that now belongs to another partner', async () => {
  const grace = await portal.newPartner()
  const graceInCrm = await waitFor('Grace in the CRM', async () => (await grace.get('/profile')).body.data.zoho_id)
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  await lender.update('Leads', id, { Partner: { id: graceInCrm } })
  const pullOfAda = {
    deps: portal.deps,
    signal: new AbortController().signal,
    async ownersOf() {
      await sweep()
      return new Map([[adaInCrm, { id: ada.id, zoho_id: adaInCrm }]])
    },
    mayRemoveFrom: (partnerId: string) => partnerId === ada.id,
    newsOf: async () => () => true,
  }
  await pullRecords(pullOfAda, 'Leads', [id])
  expect((await grace.get('/dashboard/leads')).body.data.leads).toMatchObject([{ loid }])
  expect(await listed('leads')).toEqual([])
})

describe('an organisation whose queries do not show which leads are converted', () => {
  test.each([
    { coqlKnowsConverted: false },
    { coqlKnowsConverted: false, coqlReturnsConverted: false },
    { coqlKnowsConverted: false, conversionBumpsModifiedTime: false },
  ])('is synced and swept, including conversions: %o', async (switches) => {
    await lender.behaviour(switches)
    const { loid, id } = await submitted()
    expect(await sync('/crm/sync')).toMatchObject({ leads: { total_zoho_leads: 1 } })
    await sweep()
    await later(60)
    await lender.convert(id)
    await sweep()
    expect(await sync('/crm/sync')).toMatchObject({
      leads: { total_zoho_leads: 1, problems: [] },
      deals: { removed: 0 },
    })
    expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
    expect(await sync('/dashboard/sync-leads')).toMatchObject({ total_zoho_leads: 1, skipped: 1 })
  })

  test.each([true, false])(
    'shows no lead as open that was converted before the first sync (COQL returns it: %s)',
    async (coqlReturnsConverted) => {
      await lender.behaviour({ coqlKnowsConverted: false, coqlReturnsConverted })
      const lead = {
        Last_Name: 'Okafor',
        Company: 'Okafor Freight',
        Partner: { id: adaInCrm },
        Lead_Status: 'Contacted',
      }
      const [open = '', won = '', bare = ''] = await lender.createMany('Leads', [lead, lead, lead])
      await lender.convert(won)
      await lender.convert(bare, null)
      expect(await sync('/crm/sync')).toMatchObject({ leads: { total_zoho_leads: 3, problems: [] } })
      const leads = await listed('leads')
      expect(leads.map((one: Record<string, unknown>) => one['awaits_deal_since'] !== null).sort()).toEqual([
        false,
        true,
      ])
      expect(await listed('deals')).toHaveLength(1)
      expect((await lender.read('Leads', open))?.['LOID']).toEqual(expect.any(String))
    },
  )
})

test.each([
  { conversionBumpsModifiedTime: true, isSwept: true },
  { conversionBumpsModifiedTime: false, isSwept: true },
  { conversionBumpsModifiedTime: false, isSwept: false },
])(
  'a deal that a conversion left without LOID and partner gets both from its lead: %o',
  async ({ isSwept, ...switches }) => {
    await lender.behaviour({ ...switches, conversionMapsLoidAndPartner: false })
    const { loid, id } = await submitted()
    await sync('/crm/sync')
    await sweep()
    // Waits until the lead's Modified_Time is too old for a sweep to list the lead.
    await later(600)
    await sweep()
    const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
    await (isSwept ? sweep() : sync('/crm/sync'))
    expect(await listed('deals')).toMatchObject([{ loid, deal_name: 'Trucks' }])
    expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
    expect(await lender.read('Deals', deal)).toMatchObject({ LOID: loid, Partner: { id: adaInCrm } })
    await later(60)
    await lender.update('Deals', deal, { Stage: 'Funded' })
    await sweep()
    expect(await listed('deals')).toMatchObject([{ loid, stage: 'Funded' }])
    expect(await sync('/crm/sync')).toMatchObject({ deals: { total_zoho_deals: 1, removed: 0 } })
  },
)

test('a deal that a conversion left without LOID and partner, and into which they could not be written, keeps up with the CRM and gets both later', async () => {
  await lender.behaviour({ conversionMapsLoidAndPartner: false })
  const { loid, id } = await submitted()
  await sync('/crm/sync')
  const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
  // Waits long enough for a pull to see the lead as unchanged afterwards.
  await later(60)
  const { deps } = portal
  const { crm } = deps
  // Staff delete the partner's own record just before the portal names it in the deal, and restore it.
  const setLoids: typeof crm.setLoids = async (...asked) => {
    await lender.remove('Partners', adaInCrm)
    await crm.setLoids(...asked)
    await lender.restore(adaInCrm)
  }
  const { signal } = new AbortController()
  await pullRecords(pullForAll({ ...deps, crm: { ...crm, setLoids } }, 'leads', signal), 'Leads', [id])
  expect(await listed('deals')).toMatchObject([{ loid, deal_name: 'Trucks' }])
  expect(await lender.read('Deals', deal)).toMatchObject({ LOID: null, Partner: null })
  await later(60)
  await lender.update('Deals', deal, { Stage: 'Funded' })
  await sync('/crm/sync')
  expect(await listed('deals')).toMatchObject([{ loid, stage: 'Funded' }])
  expect(await lender.read('Deals', deal)).toMatchObject({ LOID: loid, Partner: { id: adaInCrm } })
})

test('if staff set a deal’s partner before the portal sees the deal, the deal gets its own LOID, and shows its lead’s notes and history', async () => {
  await lender.behaviour({ conversionMapsLoidAndPartner: false, coqlReturnsConverted: false })
  const { loid, id } = await submitted()
  await ada.post(`/crm/note/${loid}`, { content: 'Wants two trucks' })
  const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
  await lender.update('Deals', deal, { Partner: { id: adaInCrm } })
  const pullDeal = () => pullRecords(pullForAll(portal.deps, 'deals', AbortSignal.timeout(10_000)), 'Deals', [deal])
  await pullDeal()
  // Waits long enough for a pull to see the deal as unchanged.
  await later(60)
  await pullDeal()
  const [{ loid: own }] = await listed('deals')
  expect(own).not.toBe(loid)
  await pullRecords(pullForAll(portal.deps, 'leads', AbortSignal.timeout(10_000)), 'Leads', [id])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid: own })
  expect((await ada.get(`/crm/deal/${own}`)).body.data.notes).toMatchObject([{ content: 'Wants two trucks' }])
  // Another note with the same text is a separate note, although the first note was written under the lead's LOID.
  await ada.post(`/crm/note/${own}`, { content: 'Wants two trucks' })
  await waitFor('the second note in the CRM', async () => (await lender.list('Notes', 'Parent_Id')).length === 2)
  expect(await history('lead', own)).toEqual(['New Lead'])
  expect((await ada.get(`/crm/deal/${loid}`)).body.data.deal.loid).toBe(own)

  // Staff give the deal to another partner and back.
  const grace = await portal.newPartner()
  const graceInCrm = await waitFor('Grace in the CRM', async () => (await grace.get('/profile')).body.data.zoho_id)
  for (const owner of [graceInCrm, adaInCrm]) {
    await later(60)
    await lender.update('Deals', deal, { Partner: { id: owner } })
    await pullDeal()
  }
  expect((await ada.get(`/crm/deal/${own}`)).body.data.notes).toMatchObject([
    { content: 'Wants two trucks' },
    { content: 'Wants two trucks' },
  ])
})

test('two partners’ pulls at once give a deal one LOID, if staff gave it to the other partner before the portal saw it', async () => {
  await lender.behaviour({ conversionMapsLoidAndPartner: false })
  const { loid, id } = await submitted()
  const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
  const grace = await portal.newPartner()
  const graceInCrm = await waitFor('Grace in the CRM', async () => (await grace.get('/profile')).body.data.zoho_id)
  await lender.update('Deals', deal, { Partner: { id: graceInCrm } })
  const { deps } = portal
  const { signal } = new AbortController()
  const setLoids: typeof deps.crm.setLoids = async (...asked) => {
    await pullRecords(pullForAll(deps, 'deals', signal), 'Deals', [deal])
    await deps.crm.setLoids(...asked)
  }
  const late = pullForAll({ ...deps, crm: { ...deps.crm, setLoids } }, 'leads', signal)
  const ownersOf = async () => new Map([[adaInCrm, { id: ada.id, zoho_id: adaInCrm }]])
  await pullRecords({ ...late, ownersOf }, 'Leads', [id])
  expect((await grace.get('/dashboard/deals')).body.data.deals).toMatchObject([{ loid }])
  expect(await lender.read('Deals', deal)).toMatchObject({ LOID: loid })
})

test('a converted lead whose deal is in the recycle bin gets the deal after staff restore it', async () => {
  await lender.behaviour({ conversionMapsLoidAndPartner: false, coqlReturnsConverted: false })
  const { loid, id } = await submitted()
  await sync('/crm/sync')
  const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
  await lender.remove('Deals', deal)
  await later(60)
  expect(await sync('/crm/sync')).toMatchObject({ leads: { converted: 0 }, deals: { total_zoho_deals: 0 } })
  expect(await listed('leads')).toMatchObject([{ loid, awaits_deal_since: expect.any(String) }])
  await later(60)
  await lender.restore(deal)
  expect(await sync('/crm/sync')).toMatchObject({ leads: { converted: 1, problems: [] } })
  expect(await listed('leads')).toEqual([])
  expect(await listed('deals')).toMatchObject([{ loid, deal_name: 'Trucks' }])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
})

test.each(['in the portal', 'outside the portal'])(
  'a converted lead gets its deal when staff take the deal from a partner %s and give it to the lead’s partner',
  async (where) => {
    const { loid, id } = await submitted()
    const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
    const grace = await portal.newPartner()
    const otherInCrm =
      where === 'in the portal'
        ? await waitFor('Grace in the CRM', async () => (await grace.get('/profile')).body.data.zoho_id)
        : await lender.create('Partners', { Name: 'Elsewhere' })
    await lender.update('Deals', deal, { Partner: { id: otherInCrm } })
    await later(60)
    await sync('/crm/sync')
    await sweep()
    expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toBeNull()
    // Zoho keeps deleted records for 60 days, and a sync looks for a missing deal no longer than that.
    const converted_at = new Date(Date.now() - 61 * 86_400_000).toISOString()
    await portal.deps.db.updateTable('leads').set({ converted_at }).where('loid', '=', loid).execute()
    await lender.update('Deals', deal, { Partner: { id: adaInCrm } })
    await sweep()
    expect(await listed('deals')).toMatchObject([{ loid, deal_name: 'Trucks' }])
    expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  },
)

test('a sweep makes a history call for each changed status, and one read for every hundred leads', async () => {
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 110 }, (_, index) => ({
      Last_Name: `L${index}`,
      LOID: `LO-C${String(index).padStart(7, '0')}`,
      Partner: { id: adaInCrm },
    })),
  )
  await sync('/dashboard/sync-leads')
  await pullDetails()
  await later(600)
  await sweep()
  await later(60)
  for (const id of ids) await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await later(60)
  const { total, by_kind } = await callsOf(sweep)
  expect(by_kind['GET /crm/v8/Leads/{id}/__timeline']).toBe(110)
  expect(by_kind['GET /crm/v8/Leads']).toBe(2)
  // Each of the seven lists takes one call. Field names and partners may be read, and there is at most one more page.
  expect(total).toBeLessThanOrEqual(110 + 2 + 9)
  expect(await changes('lead.status_changed')).toHaveLength(110)
})

test('if PostgreSQL refuses a record, only this record is left out', async () => {
  const ids = await lender.createMany(
    'Leads',
    ['One', 'Two', 'Three'].map((Last_Name) => ({ Last_Name, Partner: { id: adaInCrm } })),
  )
  await portal.deps.pool.query("alter table leads add constraint refused check (last_name <> 'Two')")
  const refused = await sync('/dashboard/sync-leads')
  await portal.deps.pool.query('alter table leads drop constraint refused')
  expect(refused).toMatchObject({
    total_zoho_leads: 3,
    created: 2,
    skipped: 1,
    problems: [{ zoho_id: ids[1], reason: 'it cannot be stored' }],
  })
  expect(await sync('/dashboard/sync-leads')).toMatchObject({ total_zoho_leads: 3, created: 1, skipped: 2 })
})

test('a sync succeeds even if the CRM does not accept a waiting lead at the moment', async () => {
  await lender.create('Leads', { Last_Name: 'Rivera', Partner: { id: adaInCrm } })
  await lender.faults({ unavailable: { every: 1, match: 'POST /crm/v8/Leads' } })
  await ada.submitLead()
  expect(await sync('/dashboard/sync-leads')).toMatchObject({ total_zoho_leads: 1, created: 1 })
  await lender.faults({})
})
