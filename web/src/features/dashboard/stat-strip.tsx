import type { Comparison, Stats } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowDownRight, ArrowRight, ArrowUpRight, Minus } from 'lucide-react'
import { formatPercent } from '../../format/percent.ts'
import { LoadFailure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Change, changeOf, rateChangeOf } from './change.ts'
import { trendsQuery } from './dashboard.queries.ts'

/** The specification's four cards, as one strip. */
export function StatStrip({ stats }: { stats: UseQueryResult<Stats> }) {
  if (stats.data) return <Figures stats={stats.data} />
  return (
    <div className="panel">
      <LoadFailure text="Failed to fetch dashboard stats" query={stats} />
    </div>
  )
}

const STRIP = 'frame grid grid-cols-2 gap-px bg-line xl:grid-cols-4 *:bg-surface *:px-4 *:py-2.5 sm:*:px-5 sm:*:py-3.5'
/** The length of `$1,291,000`, which fits at full size. A longer figure shrinks to the width of its cell. */
const LONG_VALUE = 10

function Figures({ stats }: { stats: Stats }) {
  const { data: trends } = useQuery(trendsQuery('week'))
  const comparison = trends?.comparison
  const counted = (compared: Comparison) =>
    changeOf(compared, { amount: (count) => `${formatNumber(count)} new`, less: 'fewer', same: 'as many as' })
  const valued = (compared: Comparison) =>
    changeOf(compared, { amount: (amount) => `${formatMoney(amount)} new`, less: 'less', same: 'as much as' })

  return (
    <section aria-label="Key figures" className="max-sm:order-first">
      <dl className={STRIP}>
        <Figure
          label="Total Leads"
          value={formatNumber(stats.total_leads)}
          note={`${formatNumber(stats.active_leads)} active`}
          change={comparison && counted(comparison.leads)}
        />
        <Figure
          label="Total Deals"
          value={formatNumber(stats.total_deals)}
          note={`${formatNumber(stats.won_deals)} won`}
          change={comparison && counted(comparison.deals)}
        />
        <Figure
          label="Deal Value"
          value={formatMoney(stats.total_deal_value)}
          note={`Avg ${formatMoney(stats.avg_deal_size)}`}
          change={comparison && valued(comparison.deal_value)}
        />
        <Figure
          label="Conversion Rate"
          value={formatPercent(stats.conversion_rate)}
          note="Leads to deals"
          change={comparison && rateChangeOf(comparison.conversion_rate)}
        />
      </dl>
    </section>
  )
}

interface FigureProps {
  label: string
  value: string
  note: string
  change: Change | undefined
}

function Figure({ label, value, note, change }: FigureProps) {
  return (
    <div className="@container flex flex-col">
      <dt className="truncate text-[0.8125rem] font-medium text-muted">{label}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2.5">
        <span
          className={clsx(
            'font-semibold tracking-tight tabular-nums',
            value.length > LONG_VALUE ? 'text-[min(1.375rem,12cqi)]/8' : 'text-[1.25rem]/7 sm:text-[1.375rem]/8',
          )}
        >
          {value}
        </span>
        <span className="text-[0.8125rem] whitespace-nowrap text-muted tabular-nums max-[20rem]:whitespace-normal">
          {note}
        </span>
      </dd>
      {/* Has its height while the trends load, which come after the figures. A narrow cell needs two lines. */}
      <dd className="min-h-8 text-xs text-pretty text-muted tabular-nums max-sm:hidden @min-[21rem]:min-h-4">
        {change && <ChangeText change={change} />}
      </dd>
    </div>
  )
}

const DIRECTIONS = {
  up: { Icon: ArrowUpRight, className: 'text-success-ink' },
  down: { Icon: ArrowDownRight, className: 'text-error-ink' },
  level: { Icon: ArrowRight, className: 'text-muted' },
  unknown: { Icon: Minus, className: 'text-muted' },
}

function ChangeText({ change: { direction, text } }: { change: Change }) {
  const { Icon, className } = DIRECTIONS[direction]
  return (
    <span className="flex gap-1">
      <Icon aria-hidden className={clsx('mt-px size-3.5 shrink-0', className)} />
      <span>{text}</span>
    </span>
  )
}

/** Has the height of the figures, so that nothing below moves. */
export function WaitingStats() {
  return (
    <div role="status" aria-label="Loading stats" className={STRIP}>
      {['leads', 'deals', 'value', 'rate'].map((figure) => (
        <div key={figure} className="h-19 sm:h-24">
          <Skeleton className="h-3.5 w-24" />
          <Skeleton className="mt-3 h-6 w-20" />
        </div>
      ))}
    </div>
  )
}
