import { expect, test } from 'vitest'
import { digestAfter } from './digest-time.ts'

const SYDNEY = 'Australia/Sydney'

test.each([
  ['the same morning', '2026-03-02T20:59:59.000Z', SYDNEY, '2026-03-02T21:00:00.000Z'],
  ['after 8:00 the next day', '2026-03-02T21:00:00.000Z', SYDNEY, '2026-03-03T21:00:00.000Z'],
  ['after Friday’s, on Monday', '2026-03-05T22:00:00.000Z', SYDNEY, '2026-03-08T21:00:00.000Z'],
  ['on Sunday, on Monday', '2026-03-07T23:00:00.000Z', SYDNEY, '2026-03-08T21:00:00.000Z'],
  ['over the weekend on which daylight saving ends', '2026-04-03T00:00:00.000Z', SYDNEY, '2026-04-05T22:00:00.000Z'],
  ['over the weekend on which it begins', '2026-10-01T23:00:00.000Z', SYDNEY, '2026-10-04T21:00:00.000Z'],
  ['where it is another day', '2026-03-06T02:00:00.000Z', 'America/Los_Angeles', '2026-03-06T16:00:00.000Z'],
  ['where it is half an hour off', '2026-03-02T00:00:00.000Z', 'Asia/Kolkata', '2026-03-02T02:30:00.000Z'],
])('the digest of a change: %s', async (_, instant, timeZone, digest) => {
  expect(await digestAfter(instant, timeZone)).toBe(digest)
})
