import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import {
  type LiveMessage,
  LiveMessage as Message,
  MISSED_EVENTS_MAX,
  STREAMS_OF_PERSON_MAX,
} from '@portal/contract/live.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { Stream } from '../../platform/live/stream.ts'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { messagesOf } from '../../testing/messages-of.ts'
import { addColleague, confirmEmail, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openLive } from './live.ts'

let portal: TestPortal
const lines: string[] = []
beforeAll(async () => {
  portal = await startPortal({ onLogLine: (line) => lines.push(line) })
})
afterAll(() => portal[Symbol.asyncDispose]())

interface Heard extends LiveMessage {
  id: string | undefined
}

/** Opens a stream and collects the messages that it sends. */
async function openStream(token: string, { on = portal, lastEventId = '' } = {}) {
  const leaving = new AbortController()
  const response = await fetch(`${on.url}/api/live`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: leaving.signal,
  })
  const heard: Heard[] = []
  let isOver = false
  const read = async () => {
    for await (const { id, data } of messagesOf(response)) heard.push({ ...Message.parse(JSON.parse(data)), id })
  }
  void read()
    .catch(() => undefined)
    .then(() => (isOver = true))
  const stream = {
    response,
    heard,
    hear: (type: LiveMessage['type']) => waitFor(type, async () => heard.find((message) => message.type === type)),
    end: () => waitFor('the end of the stream', async () => isOver),
    async [Symbol.asyncDispose]() {
      leaving.abort()
    },
  }
  if (response.ok) await stream.hear('stream.opened')
  return stream
}

function lastIdOf({ heard }: { heard: Heard[] }): string {
  return heard.findLast(({ id }) => id !== undefined)?.id ?? ''
}

/** Inserts events directly into the table, so that a test can have many events or old events. */
async function insertEvents(partnerId: string, count: number, at = new Date()): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(at))
  await sql`insert into events (id, partner_id, type, loid, data, created_at)
            select id, ${partnerId}, 'lead.status_changed', 'LO-00000000', '{}', ${at.toISOString()}
              from unnest(${ids}::uuid[]) as id`.execute(portal.deps.db)
  return ids
}

test('GET /live sends an event at once, but never another partner’s event', async () => {
  const partner = await portal.newPartner()
  const other = await portal.newPartner()
  await using stream = await openStream(partner.token)
  await using foreign = await openStream(other.token)
  const { loid } = await partner.submitLead()
  const told = await stream.hear('lead.created')
  expect(told).toMatchObject({ type: 'lead.created', kind: 'lead', loid })
  const [event] = await portal.deps.db.selectFrom('events').selectAll().where('partner_id', '=', partner.id).execute()
  expect([told.id, told.at]).toEqual([event?.id, event?.created_at])
  await other.submitLead()
  await foreign.hear('lead.created')
  expect(foreign.heard.filter((message) => message.loid === loid)).toEqual([])
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'portal-role': 'owner',
  })
  expect(stream.response.headers.get('content-encoding')).toBeNull()
})

test('GET /live sends each of 200 events once, although the database sends only a few notifications', async () => {
  const partner = await portal.newPartner()
  await using stream = await openStream(partner.token)
  const ids = await insertEvents(partner.id, 200)
  const events = () => stream.heard.filter(({ kind }) => kind === 'lead')
  await waitFor('all events', async () => events().length === ids.length)
  expect(new Set(events().map(({ id }) => id))).toEqual(new Set(ids))
})

test('GET /live also sends changes that are not events: the CRM’s answer, a sync, the webhook, the team', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  await using stream = await openStream(partner.token)
  await portal.deps.db.updateTable('leads').set({ crm: 'failed' }).where('loid', '=', loid).execute()
  expect(await stream.hear('lead.changed')).toMatchObject({ kind: 'lead', loid, id: undefined })
  await partner.post(`/crm/note/${loid}`, { content: 'A note long enough.' })
  expect(await stream.hear('note.added')).toMatchObject({ kind: 'note', loid })
  await portal.deps.db.updateTable('notes').set({ crm: 'failed' }).where('loid', '=', loid).execute()
  expect(await stream.hear('note.changed')).toMatchObject({ loid })
  await partner.post('/dashboard/sync-leads')
  await stream.hear('sync.progressed')
  await stream.hear('sync.ended')
  await partner.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
  await stream.hear('endpoint.changed')
  await stream.hear('security.logged')
  await partner.post('/dashboard/webhook-test')
  await stream.hear('webhook.logged')
  await addColleague(portal, partner, 'member')
  await stream.hear('team.changed')
})

test('GET /live repeats to a new page what changed in the team while its first data was on its way', async () => {
  const partner = await portal.newPartner()
  await using earlier = await openStream(partner.token)
  await addColleague(portal, partner, 'member')
  await earlier.hear('team.changed')
  await using late = await openStream(partner.token)
  expect(late.heard.map(({ type }) => type)).toContain('team.changed')
})

test('GET /live tells other tabs and devices that the email address is confirmed', async () => {
  const partner = await portal.newPartner()
  await using stream = await openStream(partner.token)
  await confirmEmail(portal, partner)
  expect(await stream.hear('team.changed')).toMatchObject({ kind: 'team' })
})

test('GET /live sends a viewer nothing about the webhook or the security log', async () => {
  const partner = await portal.newPartner()
  const viewer = await addColleague(portal, partner, 'viewer')
  await using stream = await openStream(viewer.token)
  await partner.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
  await partner.submitLead()
  await stream.hear('lead.created')
  expect(stream.heard.map(({ kind }) => kind).filter((kind) => kind !== 'team')).toEqual(['stream', 'lead'])
})

test('GET /live sends the events that a stream missed during a break, even if an event’s id is older than the last id', async () => {
  const partner = await portal.newPartner()
  await using witness = await openStream(partner.token)
  const [early = ''] = await insertEvents(partner.id, 1, new Date(Date.now() - 600_000))
  // Waits until the event has been sent, so that the next stream does not receive it.
  await witness.hear('lead.status_changed')
  const before = await openStream(partner.token)
  const lastEventId = lastIdOf(before)
  await before[Symbol.asyncDispose]()
  const [missed = ''] = await insertEvents(partner.id, 1)
  // The id of this event was made before the break, but its transaction committed after the break.
  const [late = ''] = await insertEvents(partner.id, 1, new Date(Date.now() - 60_000))
  await using after = await openStream(partner.token, { lastEventId })
  // The last event before the break may come a second time. The page ignores it.
  const ids = new Set(after.heard.filter(({ kind }) => kind === 'lead').map(({ id }) => id))
  expect([...ids]).toEqual([late, missed])
  expect(ids).not.toContain(early)
})

test('GET /live repeats up to a thousand missed events, and sends `stream.reset` for more', async () => {
  const partner = await portal.newPartner()
  const before = await openStream(partner.token)
  const lastEventId = lastIdOf(before)
  await before[Symbol.asyncDispose]()
  await insertEvents(partner.id, MISSED_EVENTS_MAX)
  await using whole = await openStream(partner.token, { lastEventId })
  const ids = new Set(whole.heard.filter(({ kind }) => kind === 'lead').map(({ id }) => id))
  expect(ids.size).toBe(MISSED_EVENTS_MAX)
  await insertEvents(partner.id, 1)
  await using reset = await openStream(partner.token, { lastEventId })
  expect(reset.heard.slice(0, 2).map(({ type }) => type)).toEqual(['stream.reset', 'stream.opened'])
})

test('GET /live accepts any Last-Event-ID', async () => {
  const partner = await portal.newPartner()
  for (const lastEventId of ['x', 'ffffffff-ffff-7fff-8fff-ffffffffffff', '00000000-0000-7000-8000-000000000000']) {
    await using stream = await openStream(partner.token, { lastEventId })
    expect(stream.response.status).toBe(200)
  }
})

test('GET /live ends within five seconds of a sign-out, a new password or a deactivation', async () => {
  const partner = await portal.newPartner()
  const colleague = await addColleague(portal, partner, 'member')
  const { email, password } = partner
  const second: string = (await portal.post('/auth/login', { email, password })).body.token
  const third: string = (await portal.post('/auth/login', { email, password })).body.token
  await using signedOut = await openStream(second)
  await using withOldPassword = await openStream(third)
  await using deactivated = await openStream(colleague.token)
  await using own = await openStream(partner.token)
  const startedAt = Date.now()
  await portal.post('/auth/logout', {}, { token: second })
  await partner.put(`/team/people/${colleague.id}`, { is_active: false })
  const newPassword = 'another-fine-horse'
  await partner.put('/profile/password', { currentPassword: password, newPassword, confirmPassword: newPassword })
  await Promise.all([signedOut.end(), withOldPassword.end(), deactivated.end()])
  expect(Date.now() - startedAt).toBeLessThan(5_000)
  await partner.submitLead()
  await own.hear('lead.created')
  // The stream also ends when an owner requires a second factor that the person lacks.
  await portal.deps.db
    .updateTable('partners')
    .set({ second_factor_required: true })
    .where('id', '=', partner.id)
    .execute()
  await own.end()
})

test('GET /live refuses a person’s eleventh stream until another one has ended', async () => {
  const partner = await portal.newPartner()
  const streams = await Promise.all(Array.from({ length: STREAMS_OF_PERSON_MAX }, () => openStream(partner.token)))
  const refused = await partner.get('/live')
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '15'])
  await streams[0]?.[Symbol.asyncDispose]()
  await waitFor('room for another stream', async () => (await partner.get('/live')).status === 200)
  for (const stream of streams) await stream[Symbol.asyncDispose]()
})

test('GET /live keeps no stream for a page that left before its session was looked up', async () => {
  const partner = await portal.newPartner()
  const leaving = new AbortController()
  const ask = { headers: { authorization: `Bearer ${partner.token}` }, signal: leaving.signal }
  await portal.deps.db.transaction().execute(async (holder) => {
    await sql`lock table sessions`.execute(holder)
    const pages = Array.from({ length: 2 * STREAMS_OF_PERSON_MAX }, () => fetch(`${portal.url}/api/live`, ask))
    const ends = Promise.allSettled(pages)
    await waitFor('a look-up', async () => (await countLockWaits(holder)) > 0)
    leaving.abort()
    await ends
    // The portal notices that the pages have left before it answers a later call.
    await portal.get('/health')
  })
  expect((await partner.get('/live')).status).toBe(200)
})

test('GET /live logs one line when the stream ends', async () => {
  const partner = await portal.newPartner()
  const stream = await openStream(partner.token)
  const { 'x-request-id': id } = Object.fromEntries(stream.response.headers)
  const ours = () => lines.filter((line) => line.includes(`"${id}"`))
  await partner.submitLead()
  await stream.hear('lead.created')
  expect(ours()).toEqual([])
  await stream[Symbol.asyncDispose]()
  await waitFor('the log line', async () => ours().length > 0)
  expect(ours().map((line) => JSON.parse(line))).toMatchObject([
    { path: '/api/live', status: 200, partner: partner.id },
  ])
})

test('GET /live ends its streams when the database is unreachable, and repeats the missed events afterwards', async () => {
  const partner = await portal.newPartner()
  await using before = await openStream(partner.token)
  const lastEventId = lastIdOf(before)
  // If a stream stayed open without notifications, the page would not ask for changes itself.
  await portal.withoutDatabase(async () => void (await before.end()))
  await waitFor('the database to be back', async () => (await partner.get('/dashboard/leads')).status === 200)
  const { loid } = await partner.submitLead()
  await waitFor('the listener to be back', async () => (await partner.get('/live')).status === 200)
  await using after = await openStream(partner.token, { lastEventId })
  expect(await after.hear('lead.created')).toMatchObject({ loid })
  const next = await partner.submitLead()
  await waitFor('the next event', async () => after.heard.some((message) => message.loid === next.loid))
})

test('a stream is refused while the process gets no notifications from the database', () => {
  const live = openLive(portal.deps, { streamsMax: 1, findHearings: async () => new Map() })
  const reader = { partnerId: '', personId: '', hearing: { role: 'owner' as const, personRights: [] }, session: '' }
  const accept = () => expect.unreachable()
  expect(() => live.open(reader, { lastEventId: undefined, accept })).toThrow('cannot reach its database')
})

test('when a stream ends, the connection of a reader who has not read everything is closed', async () => {
  const leaving = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => leaving.resolve(response.writeHead(200)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  socket.pause().write('GET / HTTP/1.1\r\nhost: portal.example\r\n\r\n')
  const response = await leaving.promise
  let isCut = false
  const reader = { partnerId: '', personId: '', hearing: { role: 'owner' as const, personRights: [] }, session: '' }
  const stream = new Stream(reader, response, () => {
    isCut = true
  })
  stream.begin('')
  do {
    stream.write('x'.repeat(50_000))
    await new Promise(setImmediate)
  } while (response.writableLength === 0)
  stream.end()
  await waitFor('the connection to be closed', async () => isCut)
  expect(response.writableFinished).toBe(false)
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

test('the orderly stop of a process ends its streams', async () => {
  const stopping = await startPortal({ on: portal })
  const partner = await portal.newPartner()
  await using stream = await openStream(partner.token, { on: stopping })
  const { loid } = await partner.submitLead()
  expect(await stream.hear('lead.created')).toMatchObject({ loid })
  const startedAt = Date.now()
  await stopping[Symbol.asyncDispose]()
  await stream.end()
  expect(Date.now() - startedAt).toBeLessThan(5_000)
})
