import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSecret, signatureHeaders } from './sign-delivery.ts'

const BODY = JSON.stringify({ type: 'lead.created', data: { business_name: 'Ōtara Müller & Söhne 🚚 \u2028' } })

function delivery() {
  return { id: 'evt_2KWPBgLlAfxdpx2AI54pPJ85f4W', at: new Date(), body: BODY }
}

test('the official verifier of Standard Webhooks accepts a signature', () => {
  const secret = newSecret()

  expect(new Webhook(secret).verify(BODY, signatureHeaders(delivery(), [secret]))).toEqual(JSON.parse(BODY))
})

test('during a rotation, receivers with the old secret and receivers with the new secret accept a delivery', () => {
  const [current, previous] = [newSecret(), newSecret()]
  const headers = signatureHeaders(delivery(), [current, previous])

  for (const secret of [current, previous]) {
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  }
  expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow('No matching signature found')
})

test('a body, id or time that was changed on the way is not accepted', () => {
  const secret = newSecret()
  const headers = signatureHeaders(delivery(), [secret])
  const later = String(Number(headers['webhook-timestamp']) + 1)
  const verify = (body: string, changed: Partial<typeof headers>) =>
    new Webhook(secret).verify(body, { ...headers, ...changed })

  expect(() => verify(BODY.replace('lead', 'deal'), {})).toThrow('No matching signature found')
  expect(() => verify(BODY, { 'webhook-id': 'evt_another' })).toThrow('No matching signature found')
  expect(() => verify(BODY, { 'webhook-timestamp': later })).toThrow('No matching signature found')
})

test('the time is in whole seconds, so that the header and the signed text agree', () => {
  const at = new Date('2026-03-01T00:00:00.999Z')

  expect(signatureHeaders({ ...delivery(), at }, [newSecret()])['webhook-timestamp']).toBe('1772323200')
})

test('a secret is 32 bytes in base64 after a prefix, and two secrets differ', () => {
  const [one, another] = [newSecret(), newSecret()]

  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(another).not.toBe(one)
})
