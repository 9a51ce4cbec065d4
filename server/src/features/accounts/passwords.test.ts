import { availableParallelism } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { hashPassword, pretendToCheck } from './passwords.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('after a pretended check was refused because the portal was busy, the next one succeeds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // As many hashes run as the queue allows at once.
  const places = Math.max(1, availableParallelism() - 1)
  const running = Promise.all(Array.from({ length: places }, () => hashPassword('correct-horse-battery')))
  const guess = pretendToCheck('a guess')
  vi.advanceTimersByTime(10_000)
  await expect(guess).rejects.toMatchObject({ status: 503 })
  await running
  await pretendToCheck('a guess')
})
