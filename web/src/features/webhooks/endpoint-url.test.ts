import { WEBHOOK_URL_NOT_HTTPS } from '@portal/contract/webhooks.ts'
import { expect, test, vi } from 'vitest'
import { WEBHOOK_URL_INCOMPLETE, webhookUrlProblem } from './endpoint-url.ts'

test.each([
  ['https://example.com/webhooks', undefined],
  ['  https://example.com:8443/a?b=c  ', undefined],
  ['\u200b https://example.com/hook\u2060', undefined],
  ['http://127.0.0.1:4000/hook', undefined],
  ['http://localhost/hook', undefined],
  ['http://example.com/webhooks', WEBHOOK_URL_NOT_HTTPS],
  ['http://127.0.0.1.example.com/', WEBHOOK_URL_NOT_HTTPS],
  ['ftp://example.com/', WEBHOOK_URL_NOT_HTTPS],
  ['example.com/webhooks', WEBHOOK_URL_INCOMPLETE],
  ['https://', WEBHOOK_URL_INCOMPLETE],
  ['mailto:kim@example.com', WEBHOOK_URL_INCOMPLETE],
])('the address %s gets the message: %s', (url, problem) => {
  expect(webhookUrlProblem(url)).toBe(problem)
})

test('an address is checked in a browser without URL.parse, such as Safari 17.5', () => {
  vi.spyOn(URL, 'parse').mockImplementation(() => {
    throw new TypeError('URL.parse is not a function')
  })
  expect(webhookUrlProblem('https://example.com/webhooks')).toBeUndefined()
  expect(webhookUrlProblem('example.com')).toBe(WEBHOOK_URL_INCOMPLETE)
})
