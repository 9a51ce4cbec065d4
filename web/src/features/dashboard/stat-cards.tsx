import type { Stats } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { useQuery } from '@tanstack/react-query'
import { CircleDollarSign, Handshake, TrendingUp, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureDetail } from '../../api/failure.ts'
import { formatPercent } from '../../format/percent.ts'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { statsQuery } from './dashboard.queries.ts'

export function StatCards() {
  const stats = useQuery(statsQuery())
  if (stats.isPending) return <WaitingCards />
  if (stats.isError) {
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

function Cards({ stats }: { stats: Stats }) {
  return (
    <section aria-label="Key figures" className={GRID}>
      <StatCard
        label="Total Leads"
        value={String(stats.total_leads)}
        note={`${stats.active_leads} active`}
        icon={<Users />}
      />
      <StatCard
        label="Total Deals"
        value={String(stats.total_deals)}
        note={`${stats.won_deals} won`}
        icon={<Handshake />}
      />
      <StatCard
        label="Deal Value"
        value={formatMoney(stats.total_deal_value)}
        note={`Avg ${formatMoney(stats.avg_deal_size)}`}
        icon={<CircleDollarSign />}
      />
      <StatCard
        label="Conversion Rate"
        value={formatPercent(stats.conversion_rate)}
        note="Leads to deals"
        icon={<TrendingUp />}
      />
    </section>
  )
}

interface StatCardProps {
  label: string
  value: string
  note: string
  icon: ReactNode
}

function StatCard({ label, value, note, icon }: StatCardProps) {
  return (
    <div className="panel h-31 p-4 sm:p-5">
      <div className="flex items-center justify-between gap-2">
        <h2 className="truncate text-[0.8125rem] font-medium text-muted">{label}</h2>
        <span aria-hidden className="text-faint [&_svg]:size-4.5 [&_svg]:stroke-[1.75]">
          {icon}
        </span>
      </div>
      <p className="mt-2 truncate text-[1.375rem]/8 font-semibold tracking-tight tabular-nums sm:text-[1.75rem]/9">
        {value}
      </p>
      <p className="mt-1 truncate text-[0.8125rem] text-muted tabular-nums">{note}</p>
    </div>
  )
}

/** As high as the cards, so that nothing below moves. */
function WaitingCards() {
  return (
    <div className="relative">
      <div className={GRID}>
        {['leads', 'deals', 'value', 'rate'].map((card) => (
          <div key={card} className="panel h-31 p-4 sm:p-5">
            <Skeleton className="h-3.5 w-24" />
            <Skeleton className="mt-4 h-7 w-20" />
          </div>
        ))}
      </div>
      <div className="sr-only">
        <Spinner label="Loading stats" />
      </div>
    </div>
  )
}
