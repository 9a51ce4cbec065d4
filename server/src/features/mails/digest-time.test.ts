import { expect, test } from 'vitest'
import { digestAfter } from './digest-time.ts'

const SYDNEY = 'Australia/Sydney'

test.each([
  ['before 8:00 goes into the same morning’s digest', '2026-03-02T20:59:59.000Z', SYDNEY, '2026-03-02T21:00:00.000Z'],
  ['at 8:00 goes into the next day’s digest', '2026-03-02T21:00:00.000Z', SYDNEY, '2026-03-03T21:00:00.000Z'],
  ['after Friday’s digest goes into Monday’s', '2026-03-05T22:00:00.000Z', SYDNEY, '2026-03-08T21:00:00.000Z'],
  ['on a Sunday goes into Monday’s digest', '2026-03-07T23:00:00.000Z', SYDNEY, '2026-03-08T21:00:00.000Z'],
  [
    'on the Friday before daylight saving ends waits until Monday 8:00',
    '2026-04-03T00:00:00.000Z',
    SYDNEY,
    '2026-04-05T22:00:00.000Z',
  ],
  [
    'on the Friday before daylight saving begins waits until Monday 8:00',
    '2026-10-01T23:00:00.000Z',
    SYDNEY,
    '2026-10-04T21:00:00.000Z',
  ],
  [
    'waits until 8:00 in a time zone a day behind',
    '2026-03-06T02:00:00.000Z',
    'America/Los_Angeles',
    '2026-03-06T16:00:00.000Z',
  ],
  [
    'waits until 8:00 in a time zone with a half-hour offset',
    '2026-03-02T00:00:00.000Z',
    'Asia/Kolkata',
    '2026-03-02T02:30:00.000Z',
  ],
])('a change %s', async (_, instant, timeZone, digest) => {
  expect(await digestAfter(instant, timeZone)).toBe(digest)
})
