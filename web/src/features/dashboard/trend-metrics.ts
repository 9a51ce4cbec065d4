import type { TrendPeriod, TrendPoint } from '@portal/contract/dashboard.ts'
import { formatMoney, formatMoneyInShort } from '@portal/contract/money.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { formatCount } from '../../format/count.ts'
import { formatDayInShort, formatMonth } from '../../format/dates.ts'

export type MetricName = Exclude<keyof TrendPoint, 'start'>

export interface Metric {
  label: string
  /** For example `3 leads` or `$25,000`. */
  say: (value: number) => string
  figure: (value: number) => string
  /** The figure as shown on the scale. */
  mark: (value: number) => string
  /** The words after 'No' if every figure is 0: 'No leads in the last 12 weeks.' */
  none: string
  /** The scale ends at this value or above, so that a single lead does not fill the chart. */
  scaleMin: number
}

export const METRICS: Record<MetricName, Metric> = {
  leads: counted('Leads', 'lead'),
  deals: counted('Deals', 'deal'),
  deal_value: {
    label: 'Deal Value',
    say: formatMoney,
    figure: formatMoney,
    mark: formatMoneyInShort,
    none: 'deal value',
    scaleMin: 1_000,
  },
  conversions: counted('Conversions', 'conversion'),
}

function counted(label: string, one: string): Metric {
  const say = (count: number) => formatCount(count, one)
  return { label, say, figure: formatNumber, mark: formatNumber, none: `${one}s`, scaleMin: 4 }
}

export const METRIC_NAMES: readonly MetricName[] = ['leads', 'deals', 'deal_value', 'conversions']

export function totalOf(points: readonly TrendPoint[], metric: MetricName): number {
  return points.reduce((total, point) => total + point[metric], 0)
}

/** For example `Week of Nov 16` or `Nov 2026`. */
export function periodName(period: TrendPeriod, start: string): string {
  return period === 'week' ? `Week of ${periodMark(period, start)}` : periodMark(period, start)
}

/** For example `Nov 16` or `Nov 2026`. */
export function periodMark(period: TrendPeriod, start: string): string {
  return period === 'week' ? formatDayInShort(start) : formatMonth(start)
}

/**
 * Describes the chart in one sentence: `32 leads in the last 12 weeks, the most in the week of Sep 14 (5).` Names no
 * period if several have the most.
 */
export function trendSummary(points: readonly TrendPoint[], period: TrendPeriod, metric: MetricName): string {
  const { say, figure, none } = METRICS[metric]
  const span = `in the last ${points.length} ${period}s`
  const most = Math.max(0, ...points.map((point) => point[metric]))
  if (most === 0) return `No ${none} ${span}.`
  const total = `${say(totalOf(points, metric))} ${span}`
  const [best, other] = points.filter((point) => point[metric] === most)
  if (!best || other) return `${total}.`
  const when = periodName(period, best.start).replace(/^Week/, 'the week')
  return `${total}, the most in ${when} (${figure(most)}).`
}
