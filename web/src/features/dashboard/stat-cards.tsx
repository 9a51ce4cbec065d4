import type { Comparison, Stats, TrendPoint } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import {
  ArrowDownRight,
  ArrowRight,
  ArrowUpRight,
  CircleDollarSign,
  Handshake,
  LoaderCircle,
  Minus,
  TrendingUp,
  Users,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { failureDetail } from '../../api/failure.ts'
import { formatPercent } from '../../format/percent.ts'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Change, changeOf, rateChangeOf } from './change.ts'
import { statsQuery, trendsQuery } from './dashboard.queries.ts'
import { Sparkline } from './sparkline.tsx'

export function StatCards() {
  const stats = useQuery(statsQuery())
  if (stats.isPending) return <WaitingCards />
  if (!stats.data) {
    return (
      <div className="panel">
        <Failure
          text="Failed to fetch dashboard stats"
          detail={failureDetail(stats.error)}
          onRetry={() => void stats.refetch()}
        />
      </div>
    )
  }
  return <Cards stats={stats.data} />
}

const GRID = 'grid grid-cols-2 gap-3 sm:gap-5 xl:grid-cols-4'
/** The length of `$1,291,000`, which fits at full size. A longer figure shrinks to the width of the card. */
const LONG_VALUE = 10
const CARD = 'panel @container flex min-h-45 flex-col p-4 sm:min-h-47 sm:p-5'

function Cards({ stats }: { stats: Stats }) {
  const trends = useQuery(trendsQuery('week'))
  const comparison = trends.data?.comparison
  const isWaiting = trends.isPending

  function trendOf(pick: (point: TrendPoint) => number, change: Change | undefined): Trend {
    return { values: trends.data?.points.map(pick), change, isWaiting }
  }
  const counted = (compared: Comparison) =>
    changeOf(compared, {
      amount: (count) => `${formatNumber(count)} new`,
      less: 'fewer',
      same: 'as many as',
    })
  const valued = (compared: Comparison) =>
    changeOf(compared, { amount: (amount) => `${formatMoney(amount)} new`, less: 'less', same: 'as much as' })

  return (
    <section aria-label="Key figures" className={GRID}>
      <StatCard
        label="Total Leads"
        value={formatNumber(stats.total_leads)}
        note={`${formatNumber(stats.active_leads)} active`}
        icon={<Users />}
        trend={trendOf((point) => point.leads, comparison && counted(comparison.leads))}
      />
      <StatCard
        label="Total Deals"
        value={formatNumber(stats.total_deals)}
        note={`${formatNumber(stats.won_deals)} won`}
        icon={<Handshake />}
        trend={trendOf((point) => point.deals, comparison && counted(comparison.deals))}
      />
      <StatCard
        label="Deal Value"
        value={formatMoney(stats.total_deal_value)}
        note={`Avg ${formatMoney(stats.avg_deal_size)}`}
        icon={<CircleDollarSign />}
        trend={trendOf((point) => point.deal_value, comparison && valued(comparison.deal_value))}
      />
      <StatCard
        label="Conversion Rate"
        value={formatPercent(stats.conversion_rate)}
        note="Leads to deals"
        icon={<TrendingUp />}
        trend={trendOf((point) => point.conversions, comparison && rateChangeOf(comparison.conversion_rate))}
      />
    </section>
  )
}

interface Trend {
  values: number[] | undefined
  change: Change | undefined
  isWaiting: boolean
}

interface StatCardProps {
  label: string
  value: string
  note: string
  icon: ReactNode
  trend: Trend
}

function StatCard({ label, value, note, icon, trend }: StatCardProps) {
  return (
    <div className={CARD}>
      <div className="flex items-center justify-between gap-2">
        <h2 className="truncate text-[0.8125rem] font-medium text-muted">{label}</h2>
        <span aria-hidden className="text-faint [&_svg]:size-4.5 [&_svg]:stroke-[1.75]">
          {icon}
        </span>
      </div>
      <p
        className={clsx(
          'mt-2 truncate font-semibold tracking-tight tabular-nums',
          value.length > LONG_VALUE
            ? 'text-[min(1.75rem,12cqi)]/8 sm:leading-9'
            : 'text-[1.375rem]/8 sm:text-[1.75rem]/9',
        )}
      >
        {value}
      </p>
      <div className="mt-1 flex items-center justify-between gap-3">
        <p className="text-[0.8125rem] whitespace-nowrap text-muted tabular-nums">{note}</p>
        <span className="-my-0.5 h-6 min-w-0 max-sm:hidden">
          {trend.values?.some((value) => value > 0) && <Sparkline values={trend.values} />}
        </span>
      </div>
      <div className="mt-auto pt-3">
        {trend.isWaiting && (
          <div className="h-12 sm:h-8">
            <Skeleton className="h-3.5 w-4/5" />
          </div>
        )}
        {trend.change && <ChangeLine change={trend.change} />}
      </div>
    </div>
  )
}

const DIRECTIONS = {
  up: { Icon: ArrowUpRight, className: 'bg-success-tint text-success-ink' },
  down: { Icon: ArrowDownRight, className: 'bg-error-tint text-error-ink' },
  level: { Icon: ArrowRight, className: 'bg-hover text-muted' },
  unknown: { Icon: Minus, className: 'bg-hover text-muted' },
}

function ChangeLine({ change: { direction, text } }: { change: Change }) {
  const { Icon, className } = DIRECTIONS[direction]
  return (
    <p className="flex min-h-12 items-start gap-2 text-xs text-muted tabular-nums sm:min-h-8">
      <span
        aria-hidden
        className={clsx('mt-px flex size-4 shrink-0 items-center justify-center rounded-sm', className)}
      >
        <Icon className="size-3.5" />
      </span>
      <span>{text}</span>
    </p>
  )
}

/** Has the height of the cards, so that nothing below moves. */
function WaitingCards() {
  return (
    <div role="status" aria-label="Loading stats" className={GRID}>
      {['leads', 'deals', 'value', 'rate'].map((card) => (
        <div key={card} className={CARD}>
          <div className="flex items-center justify-between">
            <Skeleton className="h-3.5 w-24" />
            <LoaderCircle aria-hidden className="size-4.5 animate-spin text-faint" />
          </div>
          <Skeleton className="mt-4 h-7 w-20" />
        </div>
      ))}
    </div>
  )
}
