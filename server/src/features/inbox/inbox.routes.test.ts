import { expect, test } from 'vitest'
import type { Tx } from '../../platform/db/database.ts'
import { prune } from '../../process/prune.job.ts'
import { recordEvent } from '../../records/events/events.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertHistories } from '../../testing/insert-histories.ts'
import { openLender } from '../../testing/lender.ts'
import { addColleague, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Person {
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer's body can have any form
  get: (path: string) => Promise<{ status: number; body: any }>
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer's body can have any form
  post: (path: string, body?: unknown) => Promise<{ status: number; body: any }>
}

const newsOf = async (person: Person) => (await person.get('/dashboard/news')).body.data
const linesOf = async (person: Person) =>
  (await newsOf(person)).lines.map(({ name, summary }: { name: string; summary: string }) => `${name}: ${summary}`)
const attentionOf = async (person: Person) => (await person.get('/dashboard/attention')).body.data.items

async function markSeen(person: Person, more: object = {}) {
  const { until, snapshot } = await newsOf(person)
  expect((await person.post('/dashboard/news/seen', { until, snapshot, ...more })).status).toBe(200)
}

/** Records a change of status by the lender, as a pull would. */
function lenderMoved(tx: Tx, partnerId: string, loid: string, [previous, status]: [string, string], at = new Date()) {
  const data = { business_name: 'Okafor Freight', amount: 150_000, previous, status }
  return recordEvent(tx, { partnerId, loid, type: 'lead.status_changed', data, at: at.toISOString() })
}

function lenderWrote(tx: Tx, partnerId: string, loid: string, content: string, at = new Date()) {
  const data = {
    on: 'lead' as const,
    business_name: 'Okafor Freight',
    created_by: 'Priya Nair',
    submitted_by: null,
    content,
  }
  return recordEvent(tx, { partnerId, loid, type: 'note.added', data, at: at.toISOString() })
}

const in1Day = () => new Date(Date.now() + DAY_MS).toISOString()

const inTransaction = (portal: TestPortal, work: (tx: Tx) => Promise<void>) =>
  portal.deps.db.transaction().execute(work)

test('GET /dashboard/news lists what others did since the person last looked, with one line for each record', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner({ firstName: 'Ada', lastName: 'Nguyen' })
  const { loid } = await ada.submitLead()
  const bob = await addColleague(portal, ada, 'viewer')
  const eve = await portal.newPartner()

  // Bob's news begins when his account does, and does not include his own actions.
  expect(await newsOf(bob)).toMatchObject({ lines: [], total: 0, is_least: false, leads: 0, deals: 0, loids: [] })
  await ada.post(`/crm/note/${loid}`, { content: 'Called them twice.' })
  expect(await linesOf(ada)).toEqual([])
  expect(await linesOf(bob)).toEqual(['Okafor Freight: 1 note by Ada Nguyen'])

  await inTransaction(portal, async (tx) => {
    await lenderMoved(tx, ada.id, loid, ['New Lead', 'Pre Call'])
    await lenderMoved(tx, ada.id, loid, ['Pre Call', 'Pre Qualified'])
    await lenderWrote(tx, ada.id, loid, 'Please send the last three bank statements')
  })
  expect(await newsOf(ada)).toMatchObject({
    total: 1,
    leads: 1,
    deals: 0,
    loids: [loid],
    lines: [
      {
        id: loid,
        loid,
        about: 'lead',
        name: 'Okafor Freight',
        summary: 'New Lead → Pre Qualified, 1 note',
        quote: 'Please send the last three bank statements',
        records: 1,
        changes: 3,
      },
    ],
  })
  expect(await linesOf(bob)).toEqual([
    'Okafor Freight: New Lead → Pre Qualified, 1 note by Ada Nguyen, 1 note by the lender',
  ])
  expect(await linesOf(eve)).toEqual([])

  await markSeen(ada)
  expect(await newsOf(ada)).toMatchObject({ lines: [], total: 0 })
  expect(await linesOf(bob)).toHaveLength(1)

  // Opening a record marks only its own news as seen.
  const other = await ada.submitLead({ businessName: 'Rivera Foods' })
  expect(await linesOf(bob)).toHaveLength(2)
  await markSeen(bob, { loid: loid.toLowerCase() })
  expect(await linesOf(bob)).toEqual(['Rivera Foods: Lead submitted by Ada Nguyen'])
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, loid, ['Pre Qualified', 'Contacted']))
  expect(await linesOf(bob)).toEqual([
    'Okafor Freight: Pre Qualified → Contacted',
    'Rivera Foods: Lead submitted by Ada Nguyen',
  ])
  await markSeen(bob, { loid: other.loid })
  await markSeen(bob, { loid })
  expect(await linesOf(bob)).toEqual([])
})

test('POST /dashboard/news/seen marks only events that the person was shown, not events that are committed later or are dated in the future', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const [late, early] = [await ada.submitLead(), await ada.submitLead()]
  const opened = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  // These events have an earlier time than the next event, but become visible later.
  const slow = inTransaction(portal, async (tx) => {
    await lenderMoved(tx, ada.id, late.loid, ['New Lead', 'Pre Call'])
    await lenderMoved(tx, ada.id, early.loid, ['New Lead', 'Junk Lead'])
    opened.resolve()
    await mayCommit.promise
  })
  await opened.promise
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, early.loid, ['New Lead', 'Contacted']))
  const before = await newsOf(ada)
  expect(before.total).toBe(1)
  const { until, snapshot } = before
  await markSeen(ada, { loid: early.loid })
  mayCommit.resolve()
  await slow
  // The snapshot was taken before the slow transaction ended, so the mark does not cover that transaction.
  expect((await ada.post('/dashboard/news/seen', { until, snapshot })).status).toBe(200)
  expect((await newsOf(ada)).loids.toSorted()).toEqual([late.loid, early.loid].toSorted())
  await markSeen(ada, { loid: early.loid })
  expect((await newsOf(ada)).loids).toEqual([late.loid])
  await markSeen(ada)
  expect((await newsOf(ada)).total).toBe(0)

  // A mark with an older time changes nothing, and a time in the future is treated as now.
  expect((await ada.post('/dashboard/news/seen', { until, snapshot })).status).toBe(200)
  expect((await newsOf(ada)).total).toBe(0)
  expect((await ada.post('/dashboard/news/seen', { until: '2999-01-01T00:00:00Z' })).status).toBe(200)
  portal.advance(1_000)
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, late.loid, ['A', 'B'], portal.deps.clock.now()))
  expect((await newsOf(ada)).total).toBe(1)
  // Without a snapshot, every event that exists now counts as seen.
  portal.advance(1_000)
  await ada.post('/dashboard/news/seen', { until: portal.deps.clock.now().toISOString() })
  expect((await newsOf(ada)).total).toBe(0)

  const eve = await portal.newPartner()
  const refused = [
    {},
    { until: 'yesterday' },
    { until, snapshot: 'x' },
    { until, snapshot: '10:5:' },
    { until, snapshot: '0:5:' },
    { until, snapshot: '5:10:7,6' },
    { until, snapshot: '5:10:12' },
    { until, loid: '' },
  ]
  for (const body of refused) expect([body, (await ada.post('/dashboard/news/seen', body)).status]).toEqual([body, 400])
  for (const loid of [late.loid, 'LO-00000000', 'x'])
    expect((await eve.post('/dashboard/news/seen', { until, loid })).status).toBe(404)
})

test('a burst of a colleague’s submissions is one line of news, and submissions by the business’s API key are no news', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  const { api_key } = (await ada.post('/dashboard/generate-api-key')).body.data
  const body = { business_name: 'Imported', email: 'key@imported.example' }
  const { loid } = (await portal.ask('POST', '/partner/leads', { token: api_key, body })).body.data
  for (let i = 0; i < 3; i += 1) await ada.submitLead()
  const single = await ada.submitLead()
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, single.loid, ['New Lead', 'Pre Call']))

  const news = await newsOf(bob)
  expect(news).toMatchObject({ total: 2, leads: 2 })
  expect(news.lines).toMatchObject([
    {
      name: 'Okafor Freight',
      summary: expect.stringMatching(/^Lead submitted by .*, New Lead → Pre Call$/),
      records: 1,
    },
    { name: ada.businessName, summary: '3 leads submitted', records: 3, loid: null, about: 'lead' },
  ])
  // What the lender does with the key's lead is news. Records from before keys had a name show only the name.
  await portal.deps.pool.query(
    `update events set data = data || '{"submitted_by":"API key lp_1234ab..."}' where loid = $1`,
    [loid],
  )
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, loid, ['New Lead', 'Pre Call']))
  expect(await linesOf(ada)).toEqual(['Okafor Freight: New Lead → Pre Call', 'Okafor Freight: New Lead → Pre Call'])
  const { activities } = (await ada.get('/activity?person=api-key')).body.data
  expect(activities).toMatchObject([{ by: 'API key', description: expect.stringMatching(/^Imported.* · API key$/) }])
})

test('a person with 12,000 unseen events gets the newest lines, and a total of at most 5,000', async () => {
  await using portal = await startPortal()
  const [ada, eve] = [await portal.newPartner(), await portal.newPartner()]
  const { pool } = portal.deps
  await pool.query(
    `insert into events (id, partner_id, type, loid, data, created_at)
     select gen_random_uuid(), $1, 'lead.status_changed', 'LO-' || lpad(i::text, 8, '0'),
            '{"business_name":"Old","amount":1,"previous":"A","status":"B"}', now() + i * interval '1 ms'
       from generate_series(1, 12000) i`,
    [ada.id],
  )
  const news = await newsOf(ada)
  expect(news).toMatchObject({ total: 5_000, is_least: true })
  expect([news.lines.length, news.lines[0].loid, news.loids.length]).toEqual([50, 'LO-00012000', 200])

  // Marks records as opened. Most are marked after `analyze`, so PostgreSQL's statistics do not include them.
  const openUpTo = (last: number, partnerId: string) =>
    pool.query(
      `insert into seen_records
       select people.id, 'LO-' || lpad(i::text, 8, '0'), now() + interval '1 hour', pg_current_snapshot()
         from people, generate_series(1, $1) i where partner_id = $2`,
      [last, partnerId],
    )
  await openUpTo(1, eve.id)
  await pool.query('analyze events, seen_records')
  await openUpTo(40_000, ada.id)
  const { loid } = await ada.submitLead()
  await markSeen(ada, { loid })
  expect(await newsOf(ada)).toMatchObject({ total: 0 })
})

test('GET /activity lists all events in pages, and filters them by type, person and date', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner({ firstName: 'Ada', lastName: 'Nguyen' })
  const bob = await addColleague(portal, ada, 'member')
  const eve = await portal.newPartner()
  const { loid } = await ada.submitLead()
  await bob.post(`/crm/note/${loid}`, { content: 'Bob was here.' })
  await inTransaction(portal, async (tx) => {
    await lenderWrote(tx, ada.id, loid, 'Please send statements')
    for (let i = 0; i < 40; i += 1) await lenderMoved(tx, ada.id, loid, ['A', 'B'])
  })
  const activity = async (query: string, person: Person = ada) => (await person.get(`/activity${query}`)).body.data

  const first = await activity('')
  const second = await activity(`?cursor=${first.next_cursor}`)
  const ids = [...first.activities, ...second.activities].map(({ id }: { id: string }) => id)
  expect([first.activities.length, ids.length, new Set(ids).size, second.next_cursor]).toEqual([30, 43, 43, null])
  expect(second.activities.at(-1)).toMatchObject({ title: 'Lead submitted', by: 'Ada Nguyen', is_new: false })
  expect((await activity('?type=note.added')).activities).toMatchObject([
    {
      title: 'Note from the lender',
      description: 'Okafor Freight · Priya Nair',
      quote: 'Please send statements',
      by: 'The lender',
      is_new: true,
    },
    { title: 'Note added to a lead', quote: null, by: 'Robin Colleague', is_new: true },
  ])
  expect((await activity('?person=me', bob)).activities).toMatchObject([{ by: 'Robin Colleague', is_new: false }])
  expect((await activity(`?person=${bob.id}`)).activities).toHaveLength(1)
  expect((await activity('?person=lender&type=note.added')).activities).toHaveLength(1)
  expect((await activity('?person=api-key')).activities).toEqual([])
  expect((await activity('?dateTo=2020-01-01')).activities).toEqual([])
  expect((await activity('?dateFrom=2020-01-01&type=lead.created')).activities).toHaveLength(1)
  expect((await activity(`?cursor=ffffffff-ffff-4fff-8fff-ffffffffffff`)).activities).toHaveLength(30)
  expect((await activity(`?cursor=${first.next_cursor}`, eve)).activities).toEqual([])
  for (const query of ['?cursor=1', '?type=all', '?dateFrom=today', '?dateTo=2026-02-30'])
    expect([query, (await ada.get(`/activity${query}`)).status]).toEqual([query, 400])
})

test('a failed push needs attention until it is repeated, done for the business, or hidden by the person', async () => {
  await using portal = await startPortal({ withCrm: true })
  const ada = await portal.newPartner()
  const [bob, member] = [await addColleague(portal, ada, 'viewer'), await addColleague(portal, ada, 'member')]
  const eve = await portal.newPartner()
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  expect(await attentionOf(ada)).toEqual([])

  const failedAgain = () =>
    portal.deps.pool.query(`update leads set crm = 'failed', crm_problem = 'Zoho refused it' where loid = $1`, [loid])
  await failedAgain()
  const [item] = await attentionOf(ada)
  const retry = { kind: 'lead', id: loid, problem: 'Zoho refused it' }
  expect(item).toMatchObject({ kind: 'crm-failed', loid, about: 'lead', name: 'Okafor Freight', retry, standing: null })
  const act = (person: Person, what: string, id = item.id) =>
    person.post(`/dashboard/attention/${id}/${what}`, what === 'remind' ? { until: in1Day() } : undefined)
  for (const what of ['put-away', 'remind', 'done']) {
    expect((await act(eve, what)).status).toBe(404)
    for (const id of ['x', 'crm-failed.lead.1.1', `crm-failed.lead.${item.id.split('.')[2]}.x`])
      expect((await act(ada, what, id)).status).toBe(404)
  }
  expect((await act(bob, 'put-away')).status).toBe(200)
  expect((await act(bob, 'put-away')).status).toBe(200)
  expect([(await attentionOf(ada)).length, await attentionOf(bob)]).toEqual([1, []])
  // A viewer cannot settle anything for the business.
  expect((await act(bob, 'done')).status).toBe(403)
  expect((await act(member, 'done')).status).toBe(200)
  expect([await attentionOf(ada), await attentionOf(member)]).toEqual([[], []])

  // If the push fails again, the item returns for everybody. Once it is sent again, the item disappears.
  expect((await ada.post(`/crm/lead/${loid}/retry-push`)).status).toBe(202)
  await ada.pushedLead(loid)
  // The pull after a repeated push finds the lead in the CRM and marks it as synced, perhaps between these calls.
  await waitFor('the item of everybody', async () => {
    await failedAgain()
    const items = await Promise.all([attentionOf(ada), attentionOf(bob)])
    return items.every(({ length }) => length === 1)
  })
  await ada.post(`/crm/lead/${loid}/retry-push`)
  await ada.pushedLead(loid)
  expect(await attentionOf(bob)).toEqual([])
})

test('a lender’s note needs attention until somebody answers it, marks it as done, or the record moves on; reading it is not enough', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'viewer')
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const [{ id: zohoId = '' } = {}] = await lender.list('Leads', 'id')
  const asks = async (content: string) => {
    const note = await lender.addNote('Leads', String(zohoId), { content })
    await ada.post('/dashboard/sync-leads')
    return note
  }
  // Notes that stand at the first sync never need attention. The sync also computes the usual times.
  expect((await ada.get('/dashboard/attention')).body.data.knows_usual_times).toBe(false)
  await asks('An old note')
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toHaveLength(1)
  expect((await ada.get('/dashboard/attention')).body.data).toMatchObject({ total: 0, knows_usual_times: true })

  await lender.update('Leads', String(zohoId), { Lead_Status: 'Pre Call' })
  await ada.post('/dashboard/sync-leads')
  await markSeen(bob)
  await asks('Please send the last three bank statements')
  const note = {
    content: 'Please send the last three bank statements',
    by: expect.any(String),
    count: 1,
    is_read: false,
  }
  const standing = { value: 'Pre Call', side: 'lender', days: 0, usual: null }
  expect(await attentionOf(ada)).toMatchObject([{ kind: 'lender-note', loid, about: 'lead', note, standing }])
  expect((await newsOf(bob)).lines).toMatchObject([{ loid, summary: '1 note', needs_attention: true }])
  const moved = 'New Lead → Pre Call'
  const [line] = (await newsOf(ada)).lines
  expect(line).toMatchObject({ summary: `${moved}, 1 note`, needs_attention: false, untold_summary: moved })
  expect(Date.parse(line.untold_at)).toBeLessThan(Date.parse(line.at))
  await markSeen(ada)
  await markSeen(ada, { loid })
  expect(await attentionOf(ada)).toMatchObject([{ note: { is_read: true } }])
  expect(await attentionOf(bob)).toMatchObject([{ note: { is_read: false } }])

  // A colleague's note answers it for everybody.
  await ada.post(`/crm/note/${loid}`, { content: 'They come this afternoon.' })
  expect([await attentionOf(ada), await attentionOf(bob)]).toEqual([[], []])
  await asks('And the tax return')
  const [again] = await attentionOf(ada)
  expect(again).toMatchObject({ note: { content: 'And the tax return', count: 1, is_read: false } })
  await ada.post(`/dashboard/attention/${again.id}/done`)
  expect([await attentionOf(ada), await attentionOf(bob)]).toEqual([[], []])
  // Doing is reading.
  expect((await newsOf(ada)).total).toBe(0)
  const rates = await asks('And the rates notice')
  expect(await attentionOf(bob)).toMatchObject([{ note: { content: 'And the rates notice', count: 1 } }])

  // A note that the lender corrects reads the same everywhere.
  const content = 'And the water notice, not the rates notice'
  await lender.update('Notes', rates, { Note_Content: content })
  await ada.post('/dashboard/sync-leads')
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toContainEqual(expect.objectContaining({ content }))
  expect(await attentionOf(bob)).toMatchObject([{ note: { content, count: 1 } }])
  expect((await newsOf(bob)).lines[0]).toMatchObject({ quote: content })
  expect((await bob.get('/activity')).body.data.activities[0]).toMatchObject({ quote: content })
  expect((await bob.get('/dashboard/recent-activity')).body.data.activities[0]).toMatchObject({ quote: content })

  const { pool } = portal.deps
  await pool.query(`update leads set status_since = now() + interval '1 hour' where loid = $1`, [loid])
  expect(await attentionOf(bob)).toEqual([])
  // Notes on a record that has ended need no attention either.
  await lender.update('Leads', String(zohoId), { Lead_Status: 'Lost Lead' })
  await asks('Thank you anyway')
  expect(await attentionOf(bob)).toEqual([])
})

test('a note whose transaction commits late needs attention even if a later note was hidden or done', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  const { loid } = await ada.submitLead()
  portal.advance(60_000)
  const written = portal.deps.clock.now()
  const past = new Date(written.getTime() - 1)
  await inTransaction(portal, (tx) => lenderWrote(tx, ada.id, loid, 'The later one', written))
  const [item] = await attentionOf(ada)
  await ada.post(`/dashboard/attention/${item.id}/put-away`)
  expect(await attentionOf(ada)).toEqual([])
  await inTransaction(portal, (tx) => lenderWrote(tx, ada.id, loid, 'The late one', past))
  const [both] = await attentionOf(ada)
  expect(both).toMatchObject({ note: { content: 'The later one', count: 2 } })
  await bob.post(`/dashboard/attention/${both.id}/done`)
  expect(await attentionOf(ada)).toEqual([])
  // The list quotes the beginning of a long note, and does not cut a character in two.
  await inTransaction(portal, (tx) => lenderWrote(tx, ada.id, loid, `${'🦘'.repeat(15_000)}\n`, past))
  const quoted = `${'🦘'.repeat(139)}…`
  expect(await attentionOf(ada)).toMatchObject([{ note: { content: quoted, count: 1 } }])
  expect((await newsOf(ada)).lines).toMatchObject([{ quote: quoted }])
})

test('the partner’s turns come first, then notes, webhook and failed pushes, then what does not move; a reminder is one’s own', async () => {
  await using portal = await startPortal()
  const { deps } = portal
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  expect((await ada.get('/dashboard/attention')).body.data).toEqual({
    items: [],
    total: 0,
    is_least: false,
    knows_usual_times: false,
  })
  const [asked, noted, failed, still] = [
    await ada.submitLead({ businessName: 'Asked' }),
    await ada.submitLead({ businessName: 'Noted' }),
    await ada.submitLead({ businessName: 'Failed' }),
    await ada.submitLead({ businessName: 'Still' }),
  ]
  const ours = (lead: { loid: string }, change: object) =>
    deps.db.updateTable('leads').set(change).where('loid', '=', lead.loid).execute()
  await ours(asked, { lead_status: 'Unable to Contact', modified_time: new Date().toISOString() })
  await inTransaction(portal, (tx) => lenderMoved(tx, ada.id, asked.loid, ['New Lead', 'Unable to Contact']))
  await inTransaction(portal, (tx) => lenderWrote(tx, ada.id, noted.loid, 'Please send statements'))
  await ours(failed, { crm: 'failed' })
  await deps.pool.query(`update leads set status_since = now() - interval '22 days' where loid = $1`, [still.loid])
  const deal = await insertDeal(deps.db, ada.id, { stage: 'Documents needed from broker', deal_name: 'Documents' })
  await deps.pool.query(
    `insert into webhook_endpoints (partner_id, url, secret, failing_since, created_at, updated_at)
     values ($1, 'https://hooks.example.com/portal', 'x', now() - interval '3 hours', now(), now())`,
    [ada.id],
  )
  const kinds = async (person: Person) =>
    (await attentionOf(person)).map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`)
  const rest = ['crm-failed Failed', 'no-movement Still']
  expect(await kinds(ada)).toEqual([
    'your-turn Documents',
    'your-turn Asked',
    'lender-note Noted',
    'webhook-failing hooks.example.com',
    ...rest,
  ])
  // Only owners see the webhook.
  expect(await kinds(bob)).toEqual(['your-turn Documents', 'your-turn Asked', 'lender-note Noted', ...rest])
  const [first, second, , webhook] = await attentionOf(ada)
  expect(first).toMatchObject({ loid: deal.loid, about: 'deal' })
  expect(second).toMatchObject({
    loid: asked.loid,
    standing: { value: 'Unable to Contact', meaning: expect.stringContaining('A word from you'), side: 'partner' },
  })
  expect(await linesOf(ada)).toContain('Okafor Freight: New Lead → Unable to Contact')
  expect((await newsOf(ada)).lines.find(({ loid }: { loid: string }) => loid === asked.loid).needs_attention).toBe(true)

  // Until the reminder is due, the item is hidden from the person alone.
  for (const wrong of ['tomorrow', new Date().toISOString(), '2999-01-01T00:00:00Z', undefined])
    expect((await bob.post(`/dashboard/attention/${second.id}/remind`, { until: wrong })).status).toBe(400)
  const until = new Date(Date.now() + HOUR_MS).toISOString()
  expect((await bob.post(`/dashboard/attention/${second.id}/remind`, { until })).status).toBe(200)
  expect([(await kinds(bob)).includes('your-turn Asked'), (await kinds(ada)).includes('your-turn Asked')]).toEqual([
    false,
    true,
  ])
  expect((await bob.post(`/dashboard/attention/${webhook.id}/done`)).status).toBe(404)
  expect((await ada.post(`/dashboard/attention/${webhook.id}/done`)).status).toBe(200)
  expect(await kinds(ada)).not.toContain('webhook-failing hooks.example.com')
  portal.advance(2 * HOUR_MS)
  expect(await kinds(bob)).toContain('your-turn Asked')

  // A note by the partner answers, and so does Done: it is the lender's turn until the status asks again.
  const read = async (path: string) => (await ada.get(path)).body.data
  const sides = async () => [
    (await read('/dashboard/leads?search=Asked')).leads[0].side,
    (await read(`/crm/lead/${asked.loid}`)).lead.side,
    (await read(`/crm/lead/${asked.loid}/timeline`)).standing.side,
    (await read('/crm/search?q=Asked')).leads[0].side,
    (await read('/dashboard/deals')).deals[0].side,
    (await read(`/crm/deal/${deal.loid}`)).deal.side,
  ]
  expect(await sides()).toEqual(Array(6).fill('partner'))
  await bob.post(`/crm/note/${asked.loid}`, { content: 'Try the other number.' })
  expect((await bob.post(`/dashboard/attention/${first.id}/done`)).status).toBe(200)
  expect(await sides()).toEqual(Array(6).fill('lender'))
  expect((await kinds(ada)).filter((one: string) => one.startsWith('your-turn'))).toEqual([])
  await deps.pool.query(`update leads set status_since = now() + interval '3 hours' where loid = $1`, [asked.loid])
  expect((await sides()).slice(0, 4)).toEqual(Array(4).fill('partner'))
  await deps.db.updateTable('deals').set({ stage: 'Approved' }).where('loid', '=', deal.loid).execute()
  expect(await kinds(ada)).not.toContain('your-turn Documents')
})

test('an open record needs attention after twice the usual time without a change, but never before a week has passed, and after 21 days if nothing is usual; the most overdue comes first', async () => {
  await using portal = await startPortal()
  const { deps } = portal
  const ada = await portal.newPartner()
  await insertHistories(deps, ada.id, { records: 10, days: 3, value: 'Pre Call' })
  await insertHistories(deps, ada.id, { records: 10, days: 1, value: 'Lost Lead' })
  await insertHistories(deps, ada.id, { records: 10, days: 20, kind: 'deal-stage', value: 'Approved' })
  await insertHistories(deps, ada.id, { records: 10, days: 1, kind: 'deal-stage', value: 'Funded' })
  await deps.pool.query(
    `insert into usual_times (partner_id, kind, value, days, entries)
     select $1, kind, value, days, 10
       from (values ('lead-status', 'Pre Call', 3), ('lead-status', 'Lost Lead', 1), ('lead-status', 'Dead Lead', 1),
                    ('deal-stage', 'Approved', 20), ('deal-stage', 'Funded', 1), ('deal-stage', 'Withdrawn', 1)) as usual (kind, value, days)
         on conflict do nothing`,
    [ada.id],
  )
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS - 60_000).toISOString()
  const lead = async (lead_status: string, days: number) => {
    const { loid } = await ada.submitLead({ businessName: `${lead_status} ${days}` })
    const entry = { partner_id: ada.id, kind: 'lead-status' as const, loid, changed_by: null, description: null }
    await deps.db.updateTable('leads').set({ lead_status }).where('loid', '=', loid).execute()
    await deps.pool.query('delete from history_entries where loid = $1', [loid])
    await deps.db
      .insertInto('history_entries')
      .values({
        ...entry,
        id: crypto.randomUUID(),
        value: lead_status,
        changed_time: daysAgo(days),
        origin: 'crm',
        crm_entry_id: null,
      })
      .execute()
    return loid
  }
  const still = await lead('Pre Call', 12)
  await lead('Pre Call', 6)
  await lead('Lost Lead', 90)
  await lead('Dead Lead', 90)
  await insertDeal(deps.db, ada.id, { deal_name: 'Too early', stage: 'Approved', created_at: daysAgo(39) })
  const deal = await insertDeal(deps.db, ada.id, { deal_name: 'Late', stage: 'Approved', created_at: daysAgo(41) })
  await insertDeal(deps.db, ada.id, { stage: 'Funded', created_at: daysAgo(90) })
  await insertDeal(deps.db, ada.id, { stage: 'Withdrawn', created_at: daysAgo(90) })

  await lead('Contacted', 20)
  const unusual = await lead('Contacted', 70)

  const items = await attentionOf(ada)
  expect(items).toMatchObject([
    { kind: 'no-movement', loid: unusual, standing: { value: 'Contacted', side: 'lender', days: 70, usual: null } },
    {
      kind: 'no-movement',
      loid: still,
      about: 'lead',
      standing: { value: 'Pre Call', days: 12, usual: { days: 3, of: 'partner' } },
    },
    {
      kind: 'no-movement',
      loid: deal.loid,
      about: 'deal',
      name: 'Late',
      standing: { value: 'Approved', days: 41, usual: { days: 20 } },
    },
  ])
  const [settled, ...others] = items
  await ada.post(`/dashboard/attention/${settled.id}/done`)
  for (const { id } of others) await ada.post(`/dashboard/attention/${id}/put-away`)
  expect(await attentionOf(ada)).toEqual([])
  // The deal moves on and comes back, which makes a new version of the item.
  await deps.db.updateTable('deals').set({ stage: 'Funded' }).where('loid', '=', deal.loid).execute()
  await deps.db
    .updateTable('deals')
    .set({ stage: 'Approved', modified_time: daysAgo(40.5) })
    .where('loid', '=', deal.loid)
    .execute()
  expect(await attentionOf(ada)).toMatchObject([{ loid: deal.loid, standing: { days: 40 } }])
  portal.advance(366 * DAY_MS)
  expect(await prune(deps)).toMatchObject({ 'put away': 2, 'marked as done': 1 })
})
