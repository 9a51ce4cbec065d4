import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEAL_RECORD } from '@portal/contract/deal-fields.ts'
import { LEAD_RECORD, LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import { sharedColumns } from '@portal/contract/record-fields.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { comparedColumns } from '../../testing/compared-columns.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { startKillablePortal } from '../../testing/killable-portal.ts'
import { makeKey } from '../../testing/make-key.ts'
import { openRandom, type Random, seedsOf } from '../../testing/random.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

/** These tests change records themselves and need no background jobs. */
let portal: TestPortal
let partner: TestPartner
let key: string
beforeAll(async () => {
  portal = await startPortal({ env: { ROLE: 'web' } })
})
beforeEach(async () => {
  partner = await portal.newPartner()
  key = await makeKey(partner, ['submit', 'read'])
})
afterAll(() => portal[Symbol.asyncDispose]())

interface Event {
  type: string
  loid: string
  deal_loid: string | null
  version: string
  lead: { business_name: string; lead_status: string } | null
  deal: object | null
}

const pageOf = async (path: string, since?: string, limit = 100) => {
  const query = new URLSearchParams({ limit: String(limit), ...(since !== undefined && { since }) })
  const answer = await portal.get(`${path}?${query}`, { token: key })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body.data
}

/**
 * Waits until no transaction of the cluster is older than the last change. Other tests use other databases of the same
 * cluster, and numbers of transactions belong to the cluster.
 */
const settled = () =>
  waitFor('the older transactions to end', async () => {
    const { rows } = await run(
      `select not exists (select from record_changes where xid >= pg_snapshot_xmin(pg_current_snapshot())) as is_final`,
    )
    return rows[0]?.is_final
  })

/** Waits for older transactions, then reads until nothing is left, and returns everything with the last cursor. */
async function readOn(since?: string, limit?: number) {
  await settled()
  return readToEnd(since, limit)
}

async function readToEnd(since?: string, limit?: number): Promise<{ events: Event[]; cursor: string }> {
  const events: Event[] = []
  for (let cursor = since; ; ) {
    const page = await pageOf('/partner/events', cursor, limit)
    events.push(...page.events)
    cursor = page.cursor
    if (!page.has_more) return { events, cursor: page.cursor }
  }
}

let submitted = 0
/** Each lead is another one, because the same call again within ten seconds would submit nothing. */
async function submit(): Promise<string> {
  submitted += 1
  return (await portal.post('/partner/leads', newLead({ businessName: `Business ${submitted}` }), { token: key })).body
    .data.loid
}

const run = (text: string, values: unknown[] = []) => portal.deps.pool.query(text, values)

let inserted = 0
/** Inserts leads by SQL, all with one time. */
function insertMany(count: number) {
  inserted += count
  return run(
    `insert into leads (id, partner_id, loid, business_name, lead_status, created_at, modified_time, crm)
     select gen_random_uuid(), $1::uuid, 'LO-' || lpad((20000000 + n + $3::int)::text, 8, '0'), 'Bulk ' || n, 'New Lead', now(), now(), 'synced'
       from generate_series(1, $2::int) n`,
    [partner.id, count, inserted - count],
  )
}

test('a reader gets all leads and deals, then only what changed, each once as it is now', async () => {
  const [first, second] = [await submit(), await submit()]
  const deal = await insertDeal(portal.deps.db, partner.id)
  const begin = await readOn()
  expect(begin.events.map(({ type, loid }) => [type, loid])).toEqual([
    ['lead.changed', second],
    ['lead.changed', first],
    ['deal.changed', deal.loid],
  ])
  expect((await readOn(begin.cursor)).events).toEqual([])

  await run(`update leads set lead_status = 'Contacted' where loid = $1`, [first])
  await run(`update leads set lead_status = 'Pre Qualified' where loid = $1`, [first])
  const third = await submit()
  const next = await readOn(begin.cursor)
  expect(next.events.map(({ type, loid, lead }) => [type, loid, lead?.lead_status])).toEqual([
    ['lead.changed', first, 'Pre Qualified'],
    ['lead.changed', third, 'New Lead'],
  ])
  expect((await readOn(next.cursor)).events).toEqual([])
})

test('what a system cannot read is no change', async () => {
  const loid = await submit()
  const deal = await insertDeal(portal.deps.db, partner.id)
  const { cursor } = await readOn()
  await run(`update leads set crm_sent_at = now(), notes_due = true where loid = $1`, [loid])
  await run(`update deals set partner_commission = 5000, commission_status = 'Approved' where loid = $1`, [deal.loid])
  expect((await readOn(cursor)).events).toEqual([])
})

test('a change of any field that a system can read counts as a change', async () => {
  const { db } = portal.deps
  const ofLead = [...sharedColumns(LEAD_RECORD), ...sharedColumns(LEAD_VERDICT)]
  expect(await comparedColumns(db, 'note_changed_lead')).toEqual(expect.arrayContaining(ofLead))
  expect(await comparedColumns(db, 'note_changed_deal')).toEqual(expect.arrayContaining(sharedColumns(DEAL_RECORD)))
})

test('removals, erasures and conversions come as tombstones, without a name or amount', async () => {
  const [removed, withdrawn] = [await submit(), await submit()]
  const [erased, converted, deleted] = [await submit(), await submit(), await submit()]
  const { cursor } = await readOn()
  await run(`update leads set archived_at = now(), archived_reason = 'left-crm' where loid = $1`, [removed])
  await run(`update leads set archived_at = now(), archived_reason = 'withdrawn' where loid = $1`, [withdrawn])
  await run(`update leads set erased_at = now(), business_name = null where loid = $1`, [erased])
  await run(`update leads set converted_at = now(), deal_loid = loid where loid = $1`, [converted])
  await run(`delete from leads where loid = $1`, [deleted])
  const gone = [
    { loid: removed, reason: 'removed', deal_loid: null },
    { loid: withdrawn, reason: 'withdrawn', deal_loid: null },
    { loid: erased, reason: 'erased', deal_loid: null },
    { loid: converted, reason: 'converted', deal_loid: converted },
    { loid: deleted, reason: 'removed', deal_loid: null },
  ]
  const { events } = await readOn(cursor)
  expect(events).toEqual(
    gone.map(({ loid, reason, deal_loid }) => ({
      type: `lead.${reason}`,
      loid,
      deal_loid,
      version: expect.any(String),
      lead: null,
      deal: null,
    })),
  )
  // A reader that begins now hears nothing of them.
  expect((await readOn()).events).toEqual([])

  await run(`delete from leads where loid = $1`, [removed])
  expect((await readOn(cursor)).events).toHaveLength(5)
})

test('the lists of leads and of deals say what changed and what is gone', async () => {
  const [one, other] = [await submit(), await submit()]
  const deal = await insertDeal(portal.deps.db, partner.id)
  await settled()
  const first = await pageOf('/partner/leads')
  expect(first.leads.map(({ loid }: Event) => loid)).toEqual([other, one])
  const second = await pageOf('/partner/leads', first.cursor)
  expect([second.leads, second.gone, second.has_more]).toEqual([[], [], false])
  await run(`delete from leads where loid = $1`, [other])
  await run(`update leads set state = 'VIC' where loid = $1`, [one])
  await settled()
  const third = await pageOf('/partner/leads', second.cursor)
  expect([third.leads, third.gone]).toMatchObject([[{ loid: one, state: 'VIC' }], [{ loid: other, reason: 'removed' }]])

  // The webhook log has the two submissions, and no reading.
  expect((await partner.get('/dashboard/webhook-logs')).body.data).toHaveLength(2)
  const deals = await pageOf('/partner/deals')
  expect(deals.deals).toMatchObject([{ loid: deal.loid, stage: 'Approved' }])
  expect(Object.keys(deals.deals[0]).filter((field) => field.includes('commission'))).toEqual([])
})

test('the security log has who begins to read all records, once an hour, and nothing of what is read on', async () => {
  const named = await makeKey(partner, ['read'], 'Ledger')
  for (const path of ['/partner/leads', '/partner/deals', '/partner/events']) {
    const { cursor } = (await portal.get(path, { token: named })).body.data
    await portal.get(`${path}?since=${cursor}`, { token: named })
    await portal.get(path, { token: named })
  }
  const { entries } = (await partner.get('/security-log?type=keys')).body.data
  const read = entries.filter(({ event }: { event: string }) => event === 'records-read')
  expect(read.map(({ subject, detail }: Record<string, string>) => [subject, detail])).toEqual([
    ['Ledger', 'Leads and deals'],
    ['Ledger', 'Deals'],
    ['Ledger', 'Leads'],
  ])
})

test('a transaction that commits late, with an older time, is not missed', async () => {
  const { cursor } = await readOn()
  const late = await portal.deps.pool.connect()
  try {
    await late.query('begin')
    const row = [newId(), partner.id, '2020-01-01T00:00:00Z']
    await late.query(
      `insert into leads (id, partner_id, loid, lead_status, created_at, modified_time, crm)
       values ($1, $2, 'LO-1ATE0000', 'New Lead', $3, $3, 'synced')`,
      row,
    )
    const early = await submit()
    // The later lead waits for the open transaction, so that the order never changes.
    const between = await readToEnd(cursor)
    expect(between.events).toEqual([])
    await late.query('commit')
    expect((await readOn(between.cursor)).events.map(({ loid }) => loid)).toEqual(['LO-1ATE0000', early])
  } finally {
    late.release()
  }
})

test('a transaction that is rolled back leaves no trace', async () => {
  const loid = await submit()
  const { cursor } = await readOn()
  const client = await portal.deps.pool.connect()
  await client.query('begin')
  await client.query(`delete from leads where loid = $1`, [loid])
  await client.query('rollback')
  client.release()
  expect((await readOn(cursor)).events).toEqual([])
})

test('more than 10,000 changes at one instant come in pages, each once, whatever is removed meanwhile', async () => {
  const { cursor } = await readOn()
  await insertMany(10_500)
  await settled()
  const first = await pageOf('/partner/events', cursor, 500)
  // The record under the cursor goes, and so does one that is still to come.
  const under = first.events.at(-1).loid
  const { rows } = await run(
    `delete from leads where loid in ($1, (select max(loid) from leads where partner_id = $2)) returning loid`,
    [under, partner.id],
  )
  const rest = await readOn(first.cursor, 500)
  const events: Event[] = [...first.events, ...rest.events]
  expect(new Set(events.map(({ loid, version }) => `${loid} ${version}`)).size).toBe(events.length)
  const last = new Map(events.map((event) => [event.loid, event]))
  expect(last.size).toBe(10_500)
  const gone = [...last.values()].filter(({ type }) => type === 'lead.removed').map(({ loid }) => loid)
  expect(gone.toSorted()).toEqual(rows.map(({ loid }) => loid).toSorted())
  expect(rest.events.length).toBe(10_500 - 500 + 1)

  // In the list, all records have the same time, and a page deep in it reads no more than the first one.
  const listed = await readOn(undefined, 500)
  expect(new Set(listed.events.map(({ loid }) => loid)).size).toBe(10_498)
  expect(listed.events).toHaveLength(10_498)
})

test('a record that changes while the list is read comes once with each version', async () => {
  await insertMany(30)
  await settled()
  const first = await pageOf('/partner/events', undefined, 10)
  const seen: Event[] = [...first.events]
  const { rows } = await run(`update leads set state = 'VIC' where partner_id = $1 returning loid`, [partner.id])
  const rest = await readOn(first.cursor, 10)
  seen.push(...rest.events)
  expect(rest.events.map(({ loid }) => loid).toSorted()).toEqual(rows.map(({ loid }) => loid).toSorted())
  expect(new Set(seen.map(({ loid, version }) => `${loid} ${version}`)).size).toBe(40)
})

test('a lead that moves to another partner leaves the former one', async () => {
  const other = await portal.newPartner()
  const otherKey = await makeKey(other, ['read'])
  const loid = await submit()
  const { cursor } = await readOn()
  await run(`update leads set partner_id = $2 where loid = $1`, [loid, other.id])
  expect((await readOn(cursor)).events).toMatchObject([{ type: 'lead.removed', loid, lead: null }])
  key = otherKey
  expect((await readOn()).events).toMatchObject([{ type: 'lead.changed', loid }])
})

test('the same answer again is a 304 without a body, until something changes', async () => {
  const loid = await submit()
  const { cursor } = await readOn()
  for (const path of [`/partner/events?since=${cursor}`, `/partner/leads/${loid}`]) {
    const first = await portal.get(path, { token: key })
    const etag = first.headers.get('etag') ?? ''
    const again = await portal.get(path, { token: key, headers: { 'if-none-match': `"other", ${etag}` } })
    expect([path, again.status, again.headers.get('etag'), again.body]).toEqual([path, 304, etag, undefined])
    await run(`update leads set description = 'Another ' || now() where loid = $1`, [loid])
    await settled()
    const changed = await portal.get(path, { token: key, headers: { 'if-none-match': etag } })
    expect([path, changed.status]).toEqual([path, 200])
  }
})

test('a cursor is valid for 30 days, and only for the business and in the call and the database that gave it', async () => {
  await using own = await startPortal({ env: { ROLE: 'web' } })
  const ada = await own.newPartner()
  const token = await makeKey(ada, ['read'])
  const read = async (path: string) => (await own.get(path, { token })).body
  const { cursor } = (await read('/partner/leads')).data
  const changes = (await read(`/partner/leads?since=${cursor}`)).data.cursor
  const altered = (change: object) => {
    const text = JSON.parse(Buffer.from(changes, 'base64url').toString())
    return Buffer.from(JSON.stringify({ ...text, ...change })).toString('base64url')
  }
  const codes = async (since: string, path = '/partner/leads') => (await read(`${path}?since=${since}`)).code
  expect(await codes(changes)).toBeUndefined()
  expect(await codes(changes, '/partner/events')).toBe('VALIDATION')
  expect(await codes('nonsense')).toBe('VALIDATION')
  expect(await codes(altered({ progress: { in: 'changes', xid: "1' or '1", place: '0' } }))).toBe('VALIDATION')
  // More than a number of the database.
  const beyond = '9999999999999999999'
  expect(await codes(altered({ progress: { in: 'changes', xid: '1', place: beyond } }))).toBe('VALIDATION')
  for (const created_at of ['0000-01-01T00:00:00.000Z', `2026-01-01T00:00:00.${'1'.repeat(200)}Z`]) {
    const after = { created_at, id: crypto.randomUUID() }
    expect(await codes(altered({ progress: { in: 'list', kind: 'lead', from: '1', after } }))).toBe('VALIDATION')
  }
  expect(await codes(altered({ progress: { in: 'list', kind: 'deal', from: '1', after: null } }))).toBe('VALIDATION')
  const stranger = await makeKey(await own.newPartner(), ['read'])
  const foreign = await own.get(`/partner/leads?since=${changes}`, { token: stranger })
  const words = 'since is the cursor of another business. Start again without since.'
  expect([foreign.status, foreign.body]).toMatchObject([400, { error: words, fields: { since: words } }])
  expect(await codes(altered({ order: 'another cluster' }))).toBe('START_AGAIN')
  // The database was put back to an earlier state, which knows no such transaction.
  expect(await codes(altered({ progress: { in: 'changes', xid: '9999999999', place: '0' } }))).toBe('START_AGAIN')
  const refused = await own.get(`/partner/leads?since=${altered({ day: '2020-01-01' })}`, { token })
  expect([refused.status, refused.body.error]).toEqual([410, 'This cursor has ended. Start again without since.'])

  own.advance(29 * 86_400_000)
  const renewed = (await read(`/partner/leads?since=${changes}`)).data.cursor
  own.advance(2 * 86_400_000)
  expect(await codes(changes)).toBe('START_AGAIN')
  expect(await codes(renewed)).toBeUndefined()
})

test('one lead and one deal are read with their histories and notes', async () => {
  const loid = await submit()
  await partner.post(`/crm/note/${loid}`, { content: 'Called the applicant' })
  const lead = (await portal.get(`/partner/leads/${loid}`, { token: key })).body.data
  expect(lead).toMatchObject({
    lead: { loid, lead_status: 'New Lead', side: 'lender', deal_loid: null },
    history: [{ status: 'New Lead' }],
    notes: [{ content: 'Called the applicant' }],
  })
  const listed = (await readOn()).events.find((event) => event.loid === loid)
  expect(listed?.version).toBe(lead.lead.version)
  const deal = await insertDeal(portal.deps.db, partner.id)
  const read = (await portal.get(`/partner/deals/${deal.loid}`, { token: key })).body.data
  expect(read).toMatchObject({ deal: { loid: deal.loid }, history: [], notes: [] })
  const stranger = await portal.newPartner()
  key = await makeKey(stranger, ['read'])
  expect((await portal.get(`/partner/leads/${loid}`, { token: key })).status).toBe(404)
})

const INSERT = (table: 'leads' | 'deals', value: string) =>
  `insert into ${table} (id, partner_id, loid, ${value}, created_at, modified_time, crm)
   select gen_random_uuid(), $1::uuid, 'LO-' || lpad((30000000 + nextval('test_loids'))::text, 8, '0'), 'Begun',
          now() - random() * interval '9 days', now(), 'pending'
     from generate_series(1, $2::int)`
/** Changes records that no other writer has locked, so that no writer waits for another. */
const ON_SOME = (table: 'leads' | 'deals', change: string) =>
  `${change.startsWith('delete') ? 'delete from' : 'update'} ${table} ${change.replace('delete', '')}
    where id = any(array(select id from ${table} where partner_id = $1 order by random() limit $2 for update skip locked))`
const WRITES = [
  INSERT('leads', 'lead_status'),
  INSERT('leads', 'lead_status'),
  INSERT('deals', 'stage'),
  ON_SOME('leads', `set lead_status = 'At ' || clock_timestamp()`),
  ON_SOME('leads', `set lead_status = 'At ' || clock_timestamp()`),
  ON_SOME('deals', `set stage = 'At ' || clock_timestamp()`),
  ON_SOME('leads', `set archived_at = case when archived_at is null then now() end, archived_reason = 'left-crm'`),
  ON_SOME(
    'leads',
    `set converted_at = case when converted_at is null then now() end, deal_loid = nullif(loid, deal_loid)`,
  ),
  ON_SOME('deals', `set erased_at = case when erased_at is null then now() end`),
  ON_SOME('leads', 'delete'),
]

/** A slower writer would prove nothing about a reader beside fast ones. */
const CHANGES_A_SECOND = 100
/** The server is killed while this page is asked for, and the writers go on until as many pages have been read again. */
const KILLED_AT = 20

interface Writing {
  changes: number
  isOver: boolean
  /** Changes a second, once the writing is over. */
  rate: number
}

/** Writes as fast as the machine can, with three connections, until `isEnough` says so. */
async function writeBeside(random: Random, isEnough: () => boolean, writing: Writing) {
  const begun = performance.now()
  async function write() {
    while (!isEnough()) {
      const client = await portal.deps.pool.connect()
      let isKilled = false
      try {
        let changes = 0
        await client.query('begin')
        for (let left = 1 + random.below(4); left > 0; left -= 1) {
          const { rowCount } = await client.query(random.pick(WRITES), [partner.id, 1 + random.below(10)])
          changes += rowCount ?? 0
        }
        isKilled = random.chance(0.1)
        if (isKilled) continue
        const isStored = random.chance(0.9)
        await client.query(isStored ? 'commit' : 'rollback')
        if (isStored) writing.changes += changes
      } finally {
        client.release(isKilled)
      }
    }
  }
  await Promise.all([write(), write(), write()])
  writing.rate = writing.changes / ((performance.now() - begun) / 1_000)
  writing.isOver = true
}

/** `FEED_RUNS=100` plays a hundred seeds, beginning with `FEED_SEED`, and prints how fast the writers were. */
test.each(seedsOf('FEED'))(
  'a reader beside fast writers, rollbacks and kills ends with the database’s set, and got nothing twice at one version (seed %i)',
  async (seed) => {
    const random = openRandom(seed)
    await run('create sequence if not exists test_loids')
    await run(INSERT('leads', 'lead_status'), [partner.id, 1])
    await run(INSERT('deals', 'stage'), [partner.id, 1])
    const folder = await mkdtemp(join(tmpdir(), 'portal-feed-'))
    const start = () => startKillablePortal({ databaseUrl: portal.database.url, folder, env: { ROLE: 'web' } })
    let server = await start()
    let pages = 0

    const writing: Writing = { changes: 0, isOver: false, rate: 0 }
    const seen: Event[] = []
    let cursor: string | undefined
    async function read() {
      for (let isDone = false; !isDone; ) {
        pages += 1
        const wasOver = writing.isOver
        if (wasOver) await settled()
        const path = `/api/partner/events?limit=${1 + random.below(50)}${cursor === undefined ? '' : `&since=${cursor}`}`
        const asked = fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
          .then(async (answer) => JSON.parse(await answer.text()).data)
          .catch(() => undefined)
        if (pages === KILLED_AT) {
          await server.kill()
          server = await start()
        }
        const page = await asked
        // A reader that is killed before it has stored an answer asks again, as one does whose server was killed.
        if (page === undefined || random.chance(0.1)) continue
        seen.push(...page.events)
        cursor = page.cursor
        isDone = wasOver && !page.has_more
      }
    }
    try {
      await Promise.all([writeBeside(random, () => pages >= 2 * KILLED_AT, writing), read()])
    } finally {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    }
    expect(writing.rate).toBeGreaterThan(CHANGES_A_SECOND)
    const named = seen.map(({ type, loid, version }) => `${type.split('.')[0]} ${loid} ${version}`)
    expect(new Set(named).size).toBe(named.length)
    const last = new Map(seen.map((event) => [`${event.type.split('.')[0]} ${event.loid}`, event]))
    const held = [...last].filter(([, { type }]) => type.endsWith('.changed'))
    const { rows } = await run(
      `select kind || ' ' || loid as record, xid || '.' || place as version, value
         from (select id, loid, lead_status as value from leads
                where partner_id = $1 and converted_at is null and archived_at is null and erased_at is null
               union all
               select id, loid, stage from deals where partner_id = $1 and archived_at is null and erased_at is null) listed
         join (select record_id, kind, xid, place from record_changes) change on record_id = id`,
      [partner.id],
    )
    const valueOf = ({ lead, deal }: Event) => Object(lead).lead_status ?? Object(deal).stage
    expect(held.map(([record, event]) => `${record} ${event.version} ${valueOf(event)}`).toSorted()).toEqual(
      rows.map(({ record, version, value }) => `${record} ${version} ${value}`).toSorted(),
    )
    console.log(`Feed, seed ${seed}: ${writing.changes} changes, ${Math.round(writing.rate)} a second`)
  },
)
