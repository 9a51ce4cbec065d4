import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhookSecretOf } from '../../platform/db/reencrypt-secrets.ts'
import { openSecrets } from '../../platform/db/secrets.ts'
import { recordEvent } from '../../records/events/events.ts'
import { createDatabase } from '../../testing/databases.ts'
import { answering, hanging, type Received, type Receiver, startReceiver } from '../../testing/receiver.ts'
import {
  type Answer,
  confirmEmail,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { tellNewsSoon } from '../../testing/tell-news.ts'
import { waitFor } from '../../testing/wait-for.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

import { findEndpointsInTroubleOfAllPartners, tryEndpointAgain } from './endpoints-in-trouble.queries.ts'

const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

/** Adds a partner whose events are sent to the receiver. Returns the partner and its signing secret. */
async function subscribed(receiver: Receiver, on = portal) {
  const partner = await on.newPartner()
  const { body } = await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const secret: string = body.data.secret
  return { partner, secret }
}

async function logsOf(partner: TestPartner) {
  return (await partner.get('/dashboard/webhook-logs?limit=100')).body.data
}

/** Waits until the newest log row is as wanted, and returns the row. */
function logWhen(partner: TestPartner, isWanted: (log: Answer['body']) => boolean) {
  return waitFor('the log row', async () => {
    const [{ id }] = await logsOf(partner)
    const log = (await partner.get(`/dashboard/webhook-logs/${id}`)).body.data
    return isWanted(log) && log
  })
}

const ended = (log: { status: string }) => log.status !== 'pending'
const after = (attempts: number) => (log: { attempts: number }) => log.attempts === attempts

/**
 * Moves the portal's clock and makes the portal look for due deliveries, because its timers use the machine's clock.
 * Also keeps sessions and their confirmation from expiring.
 */
async function advance(ms: number, on = portal) {
  const never = '2100-01-01T00:00:00.000Z'
  await on.deps.db.updateTable('sessions').set({ expires_at: never, confirmed_at: never }).execute()
  on.advance(ms)
  await on.deps.pool.query(`select pg_notify('deliveries_due', id::text) from partners`)
}

function everythingFannedOut() {
  const left = portal.deps.db.selectFrom('events').select('id').where('to_deliver', '=', true)
  return waitFor('all events to be fanned out', async () => (await left.execute()).length === 0)
}

async function endpointOf(partner: TestPartner) {
  return (await partner.get('/dashboard/webhook-url')).body.data
}

test('an event reaches the partner’s endpoint, signed as the Standard Webhooks specification says', async () => {
  await using receiver = await startReceiver()
  const { partner, secret } = await subscribed(receiver)
  const { loid } = await partner.submitLead({ businessName: 'Okafor Freight', loanAmount: 150_000 })
  const [sent] = await receiver.first(1)
  expect(sent).toMatchObject({ method: 'POST', path: '/hook' })
  expect(sent?.headers['content-type']).toBe('application/json')
  expect(new Webhook(secret).verify(sent?.text ?? '', sent?.headers ?? {})).toEqual({
    type: 'lead.created',
    timestamp: sent?.body.timestamp,
    data: {
      object: 'lead',
      loid,
      business_name: 'Okafor Freight',
      amount: 150_000,
      currency: 'AUD',
      status: 'New Lead',
      submitted_by: partner.businessName,
      created_at: sent?.body.timestamp,
    },
  })
  const log = await logWhen(partner, ended)
  expect(log).toMatchObject({
    status: 'success',
    loid,
    event_type: 'lead.created',
    endpoint: receiver.url,
    attempts: 1,
  })
  expect(log.id).toBe(sent?.headers['webhook-id'])
})

test('events are delivered once each, almost in the order in which they happened', async () => {
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver)
  const loids: string[] = []
  for (let i = 0; i < 30; i++) loids.push((await partner.submitLead()).loid)
  const sent = await receiver.first(30)
  // Up to four deliveries are under way at once, so deliveries can overtake their neighbours.
  const places = sent.map((one) => loids.indexOf(one.body.data.loid))
  expect(places.toSorted((a, b) => a - b)).toEqual(loids.map((_, i) => i))
  for (const [at, place] of places.entries()) expect(Math.abs(at - place)).toBeLessThan(4)
  await waitFor('all deliveries to succeed', async () =>
    (await logsOf(partner)).every((log: { status: string }) => log.status === 'success'),
  )
  expect(receiver.received).toHaveLength(30)
})

test('an endpoint gets no events that happened before it was set or while it was disabled', async () => {
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver)
  await partner.put('/dashboard/webhook-url', { webhook_url: null })
  await partner.submitLead()
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const { loid } = await partner.submitLead()
  receiver.respond = answering(410)
  expect((await receiver.first(1)).map((one) => one.body.data.loid)).toEqual([loid])
  await partner.submitLead()
  await waitFor('the URL to be disabled', async () => !(await endpointOf(partner)).is_active)
  await everythingFannedOut()
  const before = (await logsOf(partner)).length
  await partner.submitLead()
  expect((await endpointOf(partner)).disabled_reason).toBe('gone')
  await everythingFannedOut()
  expect(await logsOf(partner)).toHaveLength(before)
})

test('a new URL gets the events recorded after it, although a clock was ahead, and not those that waited for the former URL', async () => {
  await using receiver = await startReceiver()
  await using web = await startPortal({ env: { ...env, ROLE: 'web' } })
  const { partner } = await subscribed(receiver, web)
  await partner.submitLead()
  await partner.put('/dashboard/webhook-url', { webhook_url: null })
  web.advance(5 * MINUTE_MS)
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  web.advance(-5 * MINUTE_MS)
  const { loid } = await partner.submitLead()
  await using _worker = await startPortal({ env: { ...env, ROLE: 'worker' }, on: web })
  const [log] = await waitFor('the deliveries', async () => {
    const logs: { status: string }[] = await logsOf(partner)
    return logs.length > 0 && logs.every(ended) && logs
  })
  expect(log).toMatchObject({ status: 'success', loid })
  expect(receiver.received.map((one) => one.body.data.loid)).toEqual([loid])
})

test('a deactivated partner gets no deliveries', async () => {
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  const waiting = await logWhen(partner, after(1))
  const setActive = (is_active: boolean) =>
    portal.deps.db.updateTable('partners').set({ is_active }).where('id', '=', partner.id).execute()
  await setActive(false)
  await advance(6_000)
  const delivery = portal.deps.db
    .selectFrom('webhook_logs')
    .select(['status', 'error_message'])
    .where('id', '=', waiting.id)
  await waitFor('the delivery to end', async () => (await delivery.executeTakeFirstOrThrow()).status !== 'pending')
  expect(await delivery.execute()).toEqual([{ status: 'failed', error_message: 'Not sent: the account is inactive' }])

  await portal.deps.db.transaction().execute((tx) =>
    recordEvent(tx, {
      partnerId: partner.id,
      loid: waiting.loid,
      type: 'lead.converted',
      data: { business_name: null, amount: null, deal_loid: null },
      at: new Date().toISOString(),
    }),
  )
  await everythingFannedOut()
  await setActive(true)
  expect(await logsOf(partner)).toHaveLength(1)
  expect(receiver.received).toHaveLength(1)
})

test('endpoints that hang do not delay another partner’s deliveries', async () => {
  await using bad = await startReceiver(hanging)
  await using good = await startReceiver()
  for (let i = 0; i < 10; i++) {
    const { partner } = await subscribed(bad)
    for (let j = 0; j < 3; j++) await partner.submitLead()
  }
  await bad.first(10)
  const { partner } = await subscribed(good)
  for (let i = 0; i < 5; i++) await partner.submitLead()
  await good.first(5)
  // An endpoint that has not answered yet gets one attempt at a time.
  expect(bad.received).toHaveLength(10)
})

test('an attempt without an answer ends after fifteen seconds, and the delivery stays pending', async () => {
  const { promise: isGivenUp, resolve: giveUp } = Promise.withResolvers<void>()
  await using receiver = await startReceiver((response) => response.once('close', giveUp))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  await isGivenUp
  const log = await logWhen(partner, after(1))
  expect(log).toMatchObject({ status: 'pending', response_status: null })
  expect(log.error_message).toContain('15 seconds')
  expect(log.attempt_list[0].duration_ms).toBeGreaterThan(14_000)
})

test('a delivery that fails is tried again on schedule with the same body and id, and ends as failed', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver(answering(500, {}, 'no'))
  const { partner, secret } = await subscribed(receiver, portal)
  await partner.submitLead()
  const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  for (const [i, seconds] of delays.entries()) {
    const log = await logWhen(partner, after(i + 1))
    expect(log).toMatchObject({ status: 'pending', response_status: 500, error_message: 'The endpoint answered 500' })
    const last = log.attempt_list.at(-1)
    const waitSeconds = (Date.parse(log.next_attempt_at) - Date.parse(last.started_at) - last.duration_ms) / 1_000
    expect(waitSeconds).toBeGreaterThan(seconds - 1)
    expect(waitSeconds).toBeLessThan(seconds * 1.1 + 5)
    await advance(seconds * 1_100 + 1_000, portal)
  }
  const log = await logWhen(partner, ended)
  expect(log).toMatchObject({ status: 'failed', attempts: 10, response_body: 'no', next_attempt_at: null })
  expect(log.attempt_list.map((one: { number: number }) => one.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(new Set(receiver.received.map((one) => one.text)).size).toBe(1)
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1)
  // Each attempt gets a new signature, because a verifier refuses signatures that are older than five minutes.
  expect(new Set(receiver.received.map((one) => one.headers['webhook-timestamp'])).size).toBe(10)
  const [first] = receiver.received
  expect(() => new Webhook(secret).verify(first?.text ?? '', first?.headers ?? {})).not.toThrow()
})

test('a delivery to a port where nothing listens ends as an error', async () => {
  await using portal = await startPortal({ env })
  const receiver = await startReceiver()
  const { partner } = await subscribed(receiver, portal)
  await receiver[Symbol.asyncDispose]()
  await partner.submitLead()
  for (let i = 1; i < 10; i++) {
    const log = await logWhen(partner, after(i))
    expect(log).toMatchObject({ status: 'pending', response_status: null, response_body: null })
    await advance(27 * HOUR_MS, portal)
    // Without this change, the portal would disable the URL during these attempts.
    await portal.deps.db.updateTable('webhook_endpoints').set({ failing_since: null }).execute()
  }
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'error', attempts: 10 })
})

test('a delivery that was answered 200 succeeds although the answer breaks off, and the log says so', async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200, { 'content-length': '9' }).write('hal', () => response.destroy())
  })
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  expect(await logWhen(partner, after(1))).toMatchObject({
    status: 'success',
    response_status: 200,
    response_body: 'hal',
    error_message: 'The connection was lost before the answer was complete',
    next_attempt_at: null,
  })
})

test('a redirect is not followed and counts as a failure', async () => {
  await using other = await startReceiver()
  await using receiver = await startReceiver(answering(302, { location: other.url }))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  const log = await logWhen(partner, after(1))
  expect(log).toMatchObject({ status: 'pending', response_status: 302 })
  expect(log.error_message).toBe('The endpoint answered 302; redirects are not followed')
  expect(other.received).toEqual([])
})

test.each([
  [429, () => '600'],
  [503, () => new Date(portal.deps.clock.now().getTime() + 600_000).toUTCString()],
])('after an answer of %i, the next attempt waits as long as Retry-After says', async (status, retryAfter) => {
  await using receiver = await startReceiver(answering(status, { 'retry-after': retryAfter() }))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  const log = await logWhen(partner, after(1))
  const waitSeconds = (Date.parse(log.next_attempt_at) - Date.parse(log.attempt_list[0].started_at)) / 1_000
  expect(waitSeconds).toBeGreaterThan(595)
  expect(waitSeconds).toBeLessThan(605)
})

test('an answer of 410 disables the endpoint, ends waiting deliveries and sends the partner’s owners one mail', async () => {
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver)
  await confirmEmail(portal, partner)
  await partner.submitLead()
  await partner.submitLead()
  await waitFor('both deliveries to have failed once', async () => {
    const logs: { attempts: number }[] = await logsOf(partner)
    return logs.length === 2 && logs.every((log) => log.attempts === 1)
  })
  receiver.respond = answering(410)
  await partner.submitLead()
  await waitFor('the endpoint to be disabled', async () => !(await endpointOf(partner)).is_active)
  expect(await endpointOf(partner)).toMatchObject({ is_active: false, disabled_reason: 'gone' })
  await tellNewsSoon(portal)
  const mail = await portal.mailTo(partner.email, 'disabled')
  expect(mail).toContain('410 Gone')
  expect(mail).toContain(`the webhook URL at ${new URL(receiver.url).host}.`)
  expect(mail).not.toContain(receiver.url)
  const logs = await logsOf(partner)
  expect(logs).toHaveLength(3)
  for (const log of logs) expect(log).toMatchObject({ status: 'failed', next_attempt_at: null })
  expect(logs.map((log: { error_message: string }) => log.error_message)).toContain(
    'Not sent: the webhook URL was disabled because it answered 410 Gone',
  )
  const mails = await portal.mailsTo(partner.email)
  expect(mails.filter((one) => one.includes('disabled'))).toHaveLength(1)

  receiver.respond = answering(200)
  const count = receiver.received.length
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  await advance(DAY_MS)
  const { loid } = await partner.submitLead()
  await receiver.first(count + 1)
  expect(receiver.received.slice(count).map((one) => one.body.data.loid)).toEqual([loid])
})

test('an endpoint is disabled after five days without a success', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver, portal)
  await confirmEmail(portal, partner)
  await partner.submitLead()
  const first = await logWhen(partner, after(1))
  expect((await endpointOf(partner)).failing_since).toBe(first.attempt_list[0].started_at)

  // What the operator sees, and an attempt that does not wait for its time.
  const { db } = portal.deps
  const trouble = () => findEndpointsInTroubleOfAllPartners(db, 10)
  expect(await trouble()).toMatchObject([
    { partner_id: partner.id, disabled_at: null, waiting: 1, problem: 'The endpoint answered 500' },
  ])
  const again = () =>
    db.transaction().execute((tx) => tryEndpointAgain(tx, partner.id, portal.deps.clock.now().toISOString()))
  expect(await again()).toBe(1)
  await logWhen(partner, after(2))

  await advance(4 * DAY_MS, portal)
  await logWhen(partner, after(3))
  expect((await endpointOf(partner)).is_active).toBe(true)
  await advance(DAY_MS, portal)
  const log = await logWhen(partner, ended)
  expect(log.error_message).toBe('Not sent: the webhook URL was disabled because every delivery failed for five days')
  expect(await endpointOf(partner)).toMatchObject({ is_active: false, disabled_reason: 'failing' })
  await tellNewsSoon(portal)
  expect(await portal.mailTo(partner.email, 'disabled')).toContain('last five days failed')
  expect(await trouble()).toMatchObject([{ disabled_at: expect.any(String), waiting: 0 }])
  expect(await again()).toBe(0)
  expect(await trouble()).toEqual([])
  expect(await endpointOf(partner)).toMatchObject({ is_active: true, failing_since: null })
})

test('one success within five days keeps the endpoint enabled', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver, portal)
  await partner.submitLead()
  await logWhen(partner, after(1))
  await advance(4 * DAY_MS, portal)
  await logWhen(partner, after(2))
  receiver.respond = answering(204)
  await advance(HOUR_MS, portal)
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'success', attempts: 3 })
  expect((await endpointOf(partner)).failing_since).toBeNull()
  receiver.respond = answering(500)
  await partner.submitLead()
  await logWhen(partner, after(1))
  await advance(4 * DAY_MS, portal)
  await logWhen(partner, after(2))
  expect((await endpointOf(partner)).is_active).toBe(true)
})

test('an attempt that was under way when the partner saved the URL again does not disable the URL', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver, portal)
  await partner.submitLead()
  await logWhen(partner, after(1))
  const answer = holdingAnswers(receiver)
  await advance(6 * DAY_MS, portal)
  await receiver.first(2)
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  answer(500)
  await logWhen(partner, after(2))
  expect(await endpointOf(partner)).toMatchObject({ is_active: true, disabled_reason: null })
})

test('a failed call to the former URL does not mark the present URL as failing', async () => {
  await using old = await startReceiver()
  await using receiver = await startReceiver()
  const { partner } = await subscribed(old)
  const answer = holdingAnswers(old)
  await partner.submitLead()
  await old.first(1)
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  answer(500)
  await logWhen(partner, after(1))
  expect((await endpointOf(partner)).failing_since).toBeNull()
})

/** Makes the receiver hold its answers until the test calls the returned function. */
function holdingAnswers(receiver: Receiver): (status: number) => void {
  const held: ServerResponse[] = []
  receiver.respond = (response) => held.push(response)
  return (status) => {
    for (const response of held) response.writeHead(status).end()
  }
}

test('removing the URL ends waiting deliveries', async () => {
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  await logWhen(partner, after(1))
  await partner.put('/dashboard/webhook-url', { webhook_url: null })
  const [log] = await logsOf(partner)
  expect(log).toMatchObject({ status: 'failed', error_message: 'Not sent: the webhook URL was removed' })
})

test('waiting deliveries are sent to the present URL', async () => {
  await using old = await startReceiver(answering(500))
  await using receiver = await startReceiver()
  const { partner } = await subscribed(old)
  await partner.submitLead()
  const { id } = await logWhen(partner, after(1))
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  await advance(10_000)
  const [sent] = await receiver.first(1)
  expect(sent?.headers['webhook-id']).toBe(id)
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'success', endpoint: receiver.url })
})

test('if a person redelivers a waiting delivery, its next attempt is made at once', async () => {
  await using receiver = await startReceiver(answering(500))
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  const { id } = await logWhen(partner, after(1))
  await advance(10_000)
  // According to the schedule, the third attempt would come five minutes later.
  await logWhen(partner, after(2))
  receiver.respond = answering(200)
  const again = await partner.post(`/dashboard/webhook-logs/${id}/redeliver`)
  expect([again.status, again.body.data]).toEqual([202, { id, status: 'pending' }])
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'success', attempts: 3 })
})

test('if a delivery is sent again during an attempt that fails, another attempt follows at once', async () => {
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver)
  const waiting: ServerResponse[] = []
  receiver.respond = (response) => waiting.push(response)
  await partner.submitLead()
  await receiver.first(1)
  const [{ id }] = await logsOf(partner)
  expect((await partner.post(`/dashboard/webhook-logs/${id}/redeliver`)).status).toBe(202)
  receiver.respond = answering(200)
  waiting[0]?.writeHead(503, { 'retry-after': '3600' }).end()
  await logWhen(partner, after(1))
  await advance(0)
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'success', attempts: 2 })
})

test('an ended delivery can be sent again with the same body and id, and with a new retry schedule', async () => {
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver)
  await partner.submitLead()
  const { id } = await logWhen(partner, ended)
  receiver.respond = answering(500)
  expect((await partner.post(`/dashboard/webhook-logs/${id}/redeliver`)).status).toBe(202)
  const log = await logWhen(partner, after(2))
  expect(log.status).toBe('pending')
  expect(Date.parse(log.next_attempt_at) - Date.parse(log.attempt_list[1].started_at)).toBeLessThan(10_000)
  receiver.respond = answering(200)
  await advance(10_000)
  expect(await logWhen(partner, after(3))).toMatchObject({ status: 'success' })
  const [first, ...more] = receiver.received
  for (const one of more) {
    expect([one.text, one.headers['webhook-id']]).toEqual([first?.text, first?.headers['webhook-id']])
  }
})

test('after a rotation, both secrets sign for a day, and then only the new secret signs', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver()
  const { partner, secret: old } = await subscribed(receiver, portal)
  const rotated = await partner.post('/dashboard/webhook-secret')
  expect(rotated.status).toBe(201)
  const { secret } = rotated.body.data
  expect(secret).not.toBe(old)
  expect(Date.parse(rotated.body.data.previous_secret_until) - Date.now()).toBeGreaterThan(DAY_MS - MINUTE_MS)

  await partner.submitLead()
  const [both] = await receiver.first(1)
  expect([verifies(both, old), verifies(both, secret), verifies(both, 'whsec_b3RoZXI=')]).toEqual([true, true, false])

  await advance(DAY_MS + 1_000, portal)
  await partner.submitLead()
  const [, one] = await receiver.first(2)
  // A verifier would refuse this delivery, because the portal's clock is a day ahead.
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds } = one?.headers ?? {}
  const signedByNew = new Webhook(secret).sign(id, new Date(Number(seconds) * 1_000), one?.text ?? '')
  expect(one?.headers['webhook-signature']).toBe(signedByNew)
  expect((await endpointOf(partner)).previous_secret_until).toBeNull()
})

test('if no key opens the signing secret, the log says so, and after a rotation only the new secret signs the delivery', async () => {
  await using portal = await startPortal({ env })
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver, portal)
  const lost = openSecrets([{ id: 'lost', bytes: Buffer.alloc(32, 'l') }])
  const secret = lost.encrypt('whsec_bG9zdA==', webhookSecretOf(partner.id))
  await portal.deps.db.updateTable('webhook_endpoints').set({ secret }).execute()

  await partner.submitLead()
  const log = await logWhen(partner, after(1))
  expect(log).toMatchObject({ status: 'pending', response_status: null })
  expect(log.error_message).toContain('The signing secret cannot be read')
  expect(receiver.received).toEqual([])
  expect((await endpointOf(partner)).secret_preview).toBe('whsec_...')

  const rotated = await partner.post('/dashboard/webhook-secret')
  expect(rotated.body.data.previous_secret_until).toBeNull()
  expect((await endpointOf(partner)).previous_secret_until).toBeNull()
  await advance(10_000, portal)
  const [sent] = await receiver.first(1)
  expect(sent?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  expect(verifies(sent, rotated.body.data.secret)).toBe(true)
})

function verifies(sent: Received | undefined, secret: string): boolean {
  try {
    new Webhook(secret).verify(sent?.text ?? '', sent?.headers ?? {})
    return true
  } catch {
    return false
  }
}

test('two processes share the deliveries and send nothing twice', async () => {
  await using first = await startPortal({ env })
  await using second = await startPortal({ env, on: first })
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver, first)
  const { token } = partner
  const submit = (on: TestPortal, i: number) => on.post('/dashboard/leads', lead(i), { token })
  for (let i = 0; i < 60; i++) expect((await submit(i % 2 === 0 ? first : second, i)).status).toBe(201)
  await receiver.first(60)
  await waitFor('all deliveries to succeed', async () =>
    (await logsOf(partner)).every((log: { status: string }) => log.status === 'success'),
  )
  expect(new Set(receiver.received.map((one) => one.body.data.loid)).size).toBe(60)
  expect(receiver.received).toHaveLength(60)
})

function lead(i: number) {
  return {
    firstName: 'Jo',
    lastName: `Marsh ${i}`,
    email: `jo${i}@example.com`,
    phone: '0491 570 156',
    businessName: 'X',
  }
}

test('a stopping portal hands back the deliveries that are under way, and another portal sends them', async () => {
  const database = await createDatabase()
  await using receiver = await startReceiver(hanging)
  let token: string
  {
    await using stopping = await startPortal({ env, on: { database } })
    const { partner } = await subscribed(receiver, stopping)
    await partner.submitLead()
    await receiver.first(1)
    token = partner.token
  }
  receiver.respond = answering(200)
  {
    // The second attempt comes long before the first portal's claim would have run out.
    await using going = await startPortal({ env, on: { database } })
    const [cutOff, made] = await receiver.first(2)
    expect(made?.headers['webhook-id']).toBe(cutOff?.headers['webhook-id'])
    const log = await waitFor('the delivery to succeed', async () => {
      const [one] = (await going.get('/dashboard/webhook-logs', { token })).body.data
      return one.status === 'success' && one
    })
    expect(log.attempts).toBe(1)
  }
})

test('an answer that comes during a database outage is recorded afterwards, and later events are delivered', async () => {
  const lines: string[] = []
  await using portal = await startPortal({ env, onLogLine: (line) => lines.push(line) })
  await using receiver = await startReceiver()
  const { partner } = await subscribed(receiver, portal)
  const { promise: asked, resolve: ask } = Promise.withResolvers<() => void>()
  receiver.respond = (response) => ask(() => response.writeHead(200).end())
  await partner.submitLead()
  const respond = await asked
  await portal.withoutDatabase(async () => {
    respond()
    await waitFor('the portal to fail to record the attempt', async () =>
      lines.some((line) => line.includes('waiting for the database')),
    )
  })
  expect(await logWhen(partner, ended)).toMatchObject({ status: 'success', attempts: 1 })
  receiver.respond = answering(200)
  await partner.submitLead()
  await receiver.first(2)
  expect(receiver.received).toHaveLength(2)
})
