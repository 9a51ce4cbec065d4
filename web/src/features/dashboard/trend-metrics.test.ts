import type { TrendPoint } from '@portal/contract/dashboard.ts'
import { expect, test } from 'vitest'
import { trendSummary } from './trend-metrics.ts'

function point(start: string, given: Partial<TrendPoint>): TrendPoint {
  return { start, leads: 0, deals: 0, deal_value: 0, conversions: 0, ...given }
}

const points = [
  point('2026-09-14', { leads: 5, deal_value: 185_000 }),
  point('2026-09-21', { leads: 5, deals: 1 }),
  point('2026-09-28', { leads: 1 }),
]

test.each([
  ['week', 'leads', '11 leads in the last 3 weeks.'],
  ['month', 'deals', '1 deal in the last 3 months, the most in Sep 2026 (1).'],
  ['week', 'deal_value', '$185,000 in the last 3 weeks, the most in the week of Sep 14 ($185,000).'],
  ['week', 'conversions', 'No conversions in the last 3 weeks.'],
] as const)('by %s, the summary of %s is: %s', (period, metric, text) => {
  expect(trendSummary(points, period, metric)).toBe(text)
})
