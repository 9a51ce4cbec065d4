import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

function keyed(key: string) {
  return { headers: { 'idempotency-key': key } }
}

async function leadsOf(partner: TestPartner): Promise<{ loid: string }[]> {
  return (await partner.get('/dashboard/leads?limit=100')).body.data.leads
}

test('a second request with the same key and body gets the first answer and creates nothing', async () => {
  const partner = await portal.newPartner()
  const first = await partner.post('/dashboard/leads', newLead(), keyed('one'))
  const again = await partner.post('/dashboard/leads', newLead(), keyed('one'))
  expect([again.status, again.body]).toEqual([201, first.body])
  expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true'])
  expect(await leadsOf(partner)).toHaveLength(1)
})

test('the order of a body’s fields does not make another request', async () => {
  const partner = await portal.newPartner()
  const fields = Object.entries(newLead())
  const orders = [fields, fields.toReversed(), fields.toSorted(([one], [other]) => (one < other ? -1 : 1))]
  const answers = []
  for (const order of orders) {
    answers.push(await partner.post('/dashboard/leads', Object.fromEntries(order), keyed('one')))
  }
  expect(answers.map((answer) => [answer.status, answer.body])).toEqual(Array(3).fill([201, answers[0]?.body]))
  expect(await leadsOf(partner)).toHaveLength(1)
})

test('a repeat of a request that a former version remembered gets its answer', async () => {
  const partner = await portal.newPartner()
  const lead = newLead()
  const first = await partner.post('/dashboard/leads', lead, keyed('one'))
  const text = JSON.stringify(['POST', '/api/dashboard/leads', lead])
  const request_hash = createHmac('sha256', 'one').update(text).digest()
  await portal.deps.db.updateTable('idempotency_keys').set({ request_hash }).where('scope', '=', partner.id).execute()
  const again = await partner.post('/dashboard/leads', lead, keyed('one'))
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('the same key with another body is a conflict', async () => {
  const partner = await portal.newPartner()
  await partner.post('/dashboard/leads', newLead(), keyed('one'))
  const other = await partner.post('/dashboard/leads', newLead({ loanAmount: 1 }), keyed('one'))
  expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  expect(await leadsOf(partner)).toHaveLength(1)
})

test('the same key at another address is a conflict', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const { loid: other } = await partner.submitLead()
  const note = { content: 'called them today' }
  expect((await partner.post(`/crm/note/${loid}`, note, keyed('one'))).status).toBe(201)
  expect((await partner.post(`/crm/note/${other}`, note, keyed('one'))).status).toBe(409)
})

test('two partners can use the same key', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const leads = [
    await ada.post('/dashboard/leads', newLead(), keyed('one')),
    await bob.post('/dashboard/leads', newLead(), keyed('one')),
  ]
  expect(leads.map((lead) => lead.status)).toEqual([201, 201])
  expect(leads[0]?.body.data.loid).not.toBe(leads[1]?.body.data.loid)
})

test('without a key every request creates a lead', async () => {
  const partner = await portal.newPartner()
  await Promise.all([partner.submitLead(), partner.submitLead()])
  expect(await leadsOf(partner)).toHaveLength(2)
})

test('five simultaneous identical requests create one lead and get the same answer', async () => {
  const partner = await portal.newPartner()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => partner.post('/dashboard/leads', newLead(), keyed('five'))),
  )
  expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201])
  expect(new Set(answers.map((answer) => answer.body.data.loid)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(4)
  expect(await leadsOf(partner)).toHaveLength(1)
})

test('forty identical requests to two processes create one lead, though neither process has that many connections', async () => {
  await using first = await startPortal({ env })
  await using second = await startPortal({ on: first, env })
  const { token, get } = await first.newPartner()
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? first : second).post('/dashboard/leads', newLead(), { token, ...keyed('forty') }),
    ),
  )
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
  expect(new Set(answers.map((answer) => answer.body.data.loid)).size).toBe(1)
  expect((await get('/dashboard/leads')).body.data.leads).toHaveLength(1)
})

test('a failure is not remembered: the corrected request under the same key succeeds', async () => {
  const partner = await portal.newPartner()
  expect((await partner.post('/dashboard/leads', newLead({ phone: '1' }), keyed('one'))).status).toBe(400)
  const note = { content: 'called them today' }
  expect((await partner.post('/crm/note/LO-00000000', note, keyed('two'))).status).toBe(404)
  expect((await partner.post('/dashboard/leads', newLead(), keyed('one'))).status).toBe(201)
  expect((await partner.post('/dashboard/leads', newLead(), keyed('two'))).status).toBe(201)
})

test.each([
  ['', 400, 'Idempotency-Key must have 1 to 255 characters'],
  ['x'.repeat(256), 400, 'Idempotency-Key must have 1 to 255 characters'],
  ['x'.repeat(255), 201, undefined],
  ['x', 201, undefined],
])('a request with the key %j is answered with %i', async (key, status, error) => {
  const partner = await portal.newPartner()
  const answer = await partner.post('/dashboard/leads', newLead(), keyed(key))
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

test('a key is remembered for 24 hours', async () => {
  await using ownClock = await startPortal({ env })
  const partner = await ownClock.newPartner()
  const first = await partner.post('/dashboard/leads', newLead(), keyed('one'))
  ownClock.advance(23.9 * 3_600_000)
  const { token } = (await ownClock.post('/auth/login', { email: partner.email, password: partner.password })).body
  const again = await ownClock.post('/dashboard/leads', newLead(), { token, ...keyed('one') })
  expect(again.body.data.loid).toBe(first.body.data.loid)
  ownClock.advance(0.2 * 3_600_000)
  const later = await ownClock.post('/dashboard/leads', newLead(), { token, ...keyed('one') })
  expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null])
  expect(later.body.data.loid).not.toBe(first.body.data.loid)
})

test('a repeated sign-up gets its first answer instead of a conflict', async () => {
  const form = { email: 'again@example.com', password: 'correct-horse-battery', businessName: 'Again' }
  const first = await portal.post('/auth/signup', form, keyed('signup'))
  const again = await portal.post('/auth/signup', form, keyed('signup'))
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('the remembered answer of a sign-up holds no trace of its password or key', async () => {
  const form = { email: 'trace@example.com', password: 'correct-horse-trace', businessName: 'Trace' }
  await portal.post('/auth/signup', form, keyed('signup-trace'))
  const rows = await portal.deps.db.selectFrom('idempotency_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toMatch(/correct-horse|signup-trace/)
})
