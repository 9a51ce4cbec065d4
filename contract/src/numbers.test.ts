import { expect, test } from 'vitest'
import { formatNumber } from './numbers.ts'

test.each([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1_234])(
  '%d is formatted as browsers format it',
  (count) => {
    expect(formatNumber(count)).toBe(count.toLocaleString('en-US'))
  },
)
