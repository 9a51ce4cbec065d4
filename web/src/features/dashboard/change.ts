import type { Comparison } from '@portal/contract/dashboard.ts'
import { formatNumber } from '@portal/contract/numbers.ts'

export interface Change {
  direction: 'up' | 'down' | 'level' | 'unknown'
  text: string
}

interface Words {
  /** For example `19 new` or `$25,000 new`. */
  amount: (amount: number) => string
  less: 'fewer' | 'less'
  same: 'as many as' | 'as much as'
}

const BEFORE = 'the 30 days before'

/** Compares the last 30 days with the 30 days before them. If either figure is zero, the text gives no percentage. */
export function changeOf({ current, previous }: Comparison, { amount, less, same }: Words): Change {
  const news = current === 0 ? 'None new' : amount(current)
  if (previous === null) {
    return {
      direction: 'unknown',
      text: current === 0 ? 'None in the last 30 days' : `${news} in 30 days, too soon to compare`,
    }
  }
  if (current === previous) {
    const text = current === 0 ? 'None new in the last 60 days' : `${news}, ${same} in ${BEFORE}`
    return { direction: 'level', text }
  }
  const direction = current > previous ? 'up' : 'down'
  if (previous === 0) return { direction, text: `${news}, none in ${BEFORE}` }
  if (current === 0) return { direction, text: `${news}, ${amount(previous).replace(/ new$/, '')} in ${BEFORE}` }
  const percent = Math.round((Math.abs(current - previous) / previous) * 100)
  if (percent === 0) return { direction: 'level', text: `${news}, about ${same} in ${BEFORE}` }
  return {
    direction,
    text: `${news}, ${formatNumber(percent)}% ${direction === 'up' ? 'more' : less} than ${BEFORE}`,
  }
}

/** Compares a rate with an earlier one, in points, because a percentage of a percentage misleads. */
export function rateChangeOf({ current, previous }: Comparison): Change {
  if (previous === null) return { direction: 'unknown', text: 'No rate from 30 days ago to compare with' }
  // Both rates are rounded as they are shown, so a change too small to see is treated as no change.
  const points = (tenths(current) - tenths(previous)) / 10
  if (points === 0) return { direction: 'level', text: 'The same as 30 days ago' }
  const size = `${Math.abs(points).toFixed(1)} points`
  return points > 0
    ? { direction: 'up', text: `${size} higher than 30 days ago` }
    : { direction: 'down', text: `${size} lower than 30 days ago` }
}

function tenths(fraction: number): number {
  return Math.round(fraction * 1_000)
}
