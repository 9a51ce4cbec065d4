import { expect, test } from 'vitest'
import { webhookLogOf } from '../../testing/records.ts'
import { isAboutDeal, logAsCurl, logTitle } from './log-request.ts'
import { pollMs } from './webhooks.queries.ts'

const inbound = { direction: 'inbound', event_type: null } as const

test('an inbound call is named after its action, and a delivery after its event', () => {
  expect(logTitle(webhookLogOf({ ...inbound, endpoint: '/api/webhook/lead' }))).toBe('Submit Lead')
  expect(logTitle(webhookLogOf({ ...inbound, endpoint: '/api/partner/leads' }))).toBe('Submit Lead')
  expect(logTitle(webhookLogOf({ ...inbound, endpoint: '/api/webhook/deal' }))).toBe('Submit Deal')
  expect(logTitle(webhookLogOf({ ...inbound, endpoint: '/api/other' }))).toBe('/api/other')
  expect(logTitle(webhookLogOf({ event_type: 'deal.updated' }))).toBe('deal.updated')
})

test('the portal can tell whether a log row is about a deal or a lead', () => {
  expect(isAboutDeal(webhookLogOf({ ...inbound, endpoint: '/api/webhook/deal' }))).toBe(true)
  expect(isAboutDeal(webhookLogOf({ ...inbound, endpoint: '/api/webhook/lead' }))).toBe(false)
  expect(isAboutDeal(webhookLogOf({ event_type: 'deal.created' }))).toBe(true)
  expect(isAboutDeal(webhookLogOf({ event_type: 'lead.converted' }))).toBe(false)
  const note = (on: string) => webhookLogOf({ event_type: 'note.added', request_body: `{"data":{"on":"${on}"}}` })
  expect([isAboutDeal(note('deal')), isAboutDeal(note('lead'))]).toEqual([true, false])
})

test('an inbound call becomes a curl command', () => {
  const log = webhookLogOf({ ...inbound, endpoint: '/api/webhook/lead', request_body: '{"business_name":"O\'Neil"}' })
  expect(logAsCurl(log, 'https://portal.example')).toBe(
    [
      'curl -X POST https://portal.example/api/webhook/lead \\',
      "  -H 'Authorization: Bearer <YOUR_API_KEY>' \\",
      "  -H 'Content-Type: application/json' \\",
      String.raw`  --data-raw '{"business_name":"O'\''Neil"}'`,
    ].join('\n'),
  )
})

test('a delivery becomes a curl command with placeholders for its signature', () => {
  expect(logAsCurl(webhookLogOf({ endpoint: 'https://hooks.example/a?b=c', request_body: '{}' }), 'x')).toBe(
    [
      "curl -X POST 'https://hooks.example/a?b=c' \\",
      "  -H 'webhook-id: <WEBHOOK_ID>' \\",
      "  -H 'webhook-timestamp: <TIMESTAMP>' \\",
      "  -H 'webhook-signature: <SIGNATURE>' \\",
      "  -H 'Content-Type: application/json' \\",
      "  --data-raw '{}'",
    ].join('\n'),
  )
})

test('the log is fetched again while a delivery is pending, and less often if its next attempt is far off', () => {
  const now = Date.parse('2026-11-21T02:00:00.000Z')
  const pending = (next: string | null) => webhookLogOf({ status: 'pending', next_attempt_at: next })
  expect(pollMs([webhookLogOf()], now)).toBe(false)
  expect(pollMs([webhookLogOf(), pending('2026-11-21T02:00:05.000Z')], now)).toBe(3_000)
  expect(pollMs([pending('2026-11-21T01:00:00.000Z')], now)).toBe(3_000)
  expect(pollMs([pending(null)], now)).toBe(3_000)
  expect(pollMs([pending('2026-11-21T04:00:00.000Z')], now)).toBe(30_000)
})
