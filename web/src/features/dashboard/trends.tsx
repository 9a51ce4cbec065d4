import type { TrendPeriod, TrendPoint } from '@portal/contract/dashboard.ts'
import { clsx } from 'clsx'
import { useId, useState } from 'react'
import { TrendChart } from './trend-chart.tsx'
import {
  METRIC_NAMES,
  METRICS,
  type MetricName,
  periodMark,
  periodName,
  totalOf,
  trendSummary,
} from './trend-metrics.ts'

interface TrendsProps {
  /** The oldest point comes first. The period of the last point is not over yet. */
  points: readonly TrendPoint[]
  period: TrendPeriod
}

/** Shows one metric at a time as bars, and all metrics in a table for people who prefer figures. */
export function Trends({ points, period }: TrendsProps) {
  const [metric, setMetric] = useState<MetricName>('leads')
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-5 p-5 lg:grid-cols-[13rem_minmax(0,1fr)]">
      <MetricChoice points={points} value={metric} onValue={setMetric} />
      <div className="min-w-0">
        <TrendChart
          key={`${metric} ${period}`}
          label={`${METRICS[metric].label} by ${period}`}
          summary={trendSummary(points, period, metric)}
          metric={METRICS[metric]}
          bars={points.map((point, position) => ({
            key: point.start,
            name: periodName(period, point.start),
            mark: periodMark(period, point.start),
            value: point[metric],
            isRunning: position === points.length - 1,
          }))}
        />
        <TrendTable points={points} period={period} />
      </div>
    </div>
  )
}

interface MetricChoiceProps {
  points: readonly TrendPoint[]
  value: MetricName
  onValue: (metric: MetricName) => void
}

function MetricChoice({ points, value, onValue }: MetricChoiceProps) {
  const group = useId()
  return (
    <fieldset className="grid grid-cols-2 content-start gap-1.5 sm:grid-cols-4 lg:grid-cols-1">
      <legend className="sr-only">What the chart shows</legend>
      {METRIC_NAMES.map((name) => (
        <label
          key={name}
          className="@container relative block min-w-0 rounded-lg px-3.5 py-2.5 transition-colors hover:bg-hover/60 has-checked:bg-brand-tint has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
        >
          <input
            type="radio"
            name={group}
            checked={name === value}
            onChange={() => onValue(name)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          <span className={clsx('block text-[0.8125rem]', name === value ? 'text-brand-ink' : 'text-muted')}>
            {METRICS[name].label}
          </span>{' '}
          <span className="block truncate text-[min(1.125rem,12cqi)]/6 font-semibold tabular-nums">
            {METRICS[name].figure(totalOf(points, name))}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function TrendTable({ points, period }: TrendsProps) {
  return (
    <details className="mt-2">
      <summary className="-ml-1.5 inline-flex min-h-7 items-center rounded-md px-1.5 text-[0.8125rem] font-medium text-brand-ink underline-offset-4 hover:underline">
        Show as a table
      </summary>
      <section
        aria-label={`Leads and deals by ${period}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys scroll the table on a narrow phone
        tabIndex={0}
        className="mt-2 overflow-x-auto rounded-lg border border-line"
      >
        <table className="w-full border-collapse text-right text-[0.8125rem] tabular-nums">
          <caption className="sr-only">Leads and deals by {period}, the newest first</caption>
          <thead>
            <tr className="border-b border-line text-xs text-muted">
              <th scope="col" className="px-3 py-2 text-left font-medium">
                {period === 'week' ? 'Week' : 'Month'}
              </th>
              {METRIC_NAMES.map((name) => (
                <th key={name} scope="col" className="px-2 py-2 font-medium sm:px-3">
                  {METRICS[name].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map((point) => (
              <tr key={point.start} className="border-b border-line last:border-0">
                <th scope="row" className="px-3 py-1.5 text-left font-medium whitespace-nowrap">
                  {periodMark(period, point.start)}
                </th>
                {METRIC_NAMES.map((name) => (
                  <td key={name} className="px-2 py-1.5 sm:px-3">
                    {METRICS[name].figure(point[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
