import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Stream } from './stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const reader = { partnerId: 'p', personId: 'n', hearing: { role: 'viewer', personRights: [] }, session: 's' } as const

test('a reader that takes nothing for a minute is cut off, and one that is only slow is not', () => {
  let take: (() => void) | undefined
  const response = new Writable({ write: (_part, _encoding, done) => void (take = done) })
  const stream = new Stream(reader, response, () => undefined)
  stream.begin('data: 1\n\n')
  for (let i = 0; i < 3; i += 1) vi.advanceTimersByTime(20_000)
  expect(response.destroyed).toBe(false)
  // Takes everything that waits, so the minute begins again.
  while (response.writableLength > 0) take?.()
  vi.advanceTimersByTime(20_000)
  vi.advanceTimersByTime(60_000)
  expect(response.destroyed).toBe(false)
  vi.advanceTimersByTime(20_000)
  expect(response.destroyed).toBe(true)
})
