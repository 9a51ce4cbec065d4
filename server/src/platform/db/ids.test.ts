import { expect, test } from 'vitest'
import { newId, timeOfId } from './ids.ts'

test('ids made for the same moment ascend, and the time in them runs at most a few milliseconds ahead', () => {
  const now = new Date('2026-03-01T00:00:00.000Z')
  const ids = Array.from({ length: 10_000 }, () => newId(now))
  expect(ids.toSorted()).toEqual(ids)
  expect(timeOfId(ids[0] ?? '')).toBe('2026-03-01T00:00:00.000Z')
  expect(timeOfId(ids.at(-1) ?? '')).toMatch(/^2026-03-01T00:00:00\.00[0-3]Z$/)
})
