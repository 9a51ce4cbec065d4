import { liveMessage } from '@portal/contract/live.ts'
import { expect, test, vi } from 'vitest'
import { storeToken } from '../api/token.ts'
import { serve } from '../testing/server.ts'
import { follow } from './follow.ts'

test('a page whose stream is refused for lack of a second factor requests the stream again', async () => {
  vi.useFakeTimers()
  storeToken('token')
  const { seen } = serve({ 'GET /live': () => ({ status: 403 }) })
  const ending = new AbortController()
  follow(() => undefined, ending.signal)
  await vi.advanceTimersByTimeAsync(16_000)
  ending.abort()
  vi.useRealTimers()
  expect(seen).toHaveLength(2)
})

test('a refusal with a date in Retry-After is followed by the usual wait', async () => {
  vi.useFakeTimers()
  storeToken('token')
  const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }
  const { seen } = serve({ 'GET /live': () => ({ status: 503, headers }) })
  const ending = new AbortController()
  follow(() => undefined, ending.signal)
  await vi.advanceTimersByTimeAsync(2_000)
  ending.abort()
  vi.useRealTimers()
  expect(seen.length).toBeLessThan(5)
})

test('if a proxy answers without a stream, the page requests the stream less and less often', async () => {
  vi.useFakeTimers()
  storeToken('token')
  const { seen } = serve({ 'GET /live': () => ({ body: 'Please sign in to this network' }) })
  const ending = new AbortController()
  follow(() => undefined, ending.signal)
  await vi.advanceTimersByTimeAsync(20_000)
  ending.abort()
  vi.useRealTimers()
  expect(seen.length).toBeLessThan(15)
})

test('if another tab signs in while an ended session is refused, the page follows the new session', async () => {
  vi.useFakeTimers()
  storeToken('ended')
  const { seen } = serve({
    'GET /live': ({ headers }) => {
      if (headers.get('authorization') === 'Bearer ended') storeToken('new')
      return { status: 401 }
    },
  })
  const ending = new AbortController()
  follow(() => undefined, ending.signal)
  await vi.advanceTimersByTimeAsync(2_000)
  ending.abort()
  vi.useRealTimers()
  expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer ended', 'Bearer new'])
})

test.each([
  [60_000, ['stream.reset']],
  [2_000, []],
])('if the first stream begins %i ms after the page opened, the page gets: %j', async (ageMs, told) => {
  vi.useFakeTimers()
  storeToken('token')
  const opened = JSON.stringify(liveMessage('stream.opened', null, new Date().toISOString()))
  vi.stubGlobal('fetch', async () => new Response(`id: 1\ndata: ${opened}\n\n`))
  const messages: string[] = []
  const ending = new AbortController()
  follow(({ type }) => messages.push(type), ending.signal, Date.now() - ageMs)
  await vi.advanceTimersByTimeAsync(0)
  ending.abort()
  vi.useRealTimers()
  expect(messages).toEqual(told)
})
