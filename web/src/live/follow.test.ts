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
