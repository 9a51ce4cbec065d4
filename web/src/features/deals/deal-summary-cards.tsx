import { isWonStage } from '@portal/contract/choices.ts'
import type { Deal } from '@portal/contract/deals.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { CircleDollarSign, Handshake, Scale, Trophy } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatPercent } from '../../format/percent.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

/** Figures of the loaded page only (section 2). Without `deals` the outline of the cards is shown. */
export function DealSummaryCards({ deals }: { deals: readonly Deal[] | undefined }) {
  const summary = deals && summarise(deals)
  return (
    <dl aria-label="Deals on this page" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <SummaryCard icon={<Handshake />} term="Total Deals" value={summary?.count} detail="on this page" />
      <SummaryCard icon={<Trophy />} term="Won Deals" value={summary?.won} detail={summary?.winRate} />
      <SummaryCard icon={<CircleDollarSign />} term="Total Value" value={summary?.value} detail="on this page" />
      <SummaryCard icon={<Scale />} term="Avg Deal Size" value={summary?.average} detail="per deal" />
    </dl>
  )
}

interface SummaryCardProps {
  icon: ReactNode
  term: string
  value: string | undefined
  detail: string | undefined
}

function SummaryCard({ icon, term, value, detail }: SummaryCardProps) {
  return (
    <div className="panel flex min-h-28 flex-col p-4 sm:p-5">
      <dt className="flex items-center justify-between gap-2 text-[0.8125rem] font-medium text-muted [&_svg]:size-4">
        {term}
        <span aria-hidden>{icon}</span>
      </dt>
      <dd className="mt-1.5">
        {value === undefined ? (
          <Skeleton className="my-1 h-6 w-20" />
        ) : (
          <span className="block text-xl/8 font-semibold tabular-nums wrap-anywhere">{value}</span>
        )}
        <span className="block text-[0.8125rem] text-muted">{value === undefined ? '\u00a0' : detail}</span>
      </dd>
    </div>
  )
}

function summarise(deals: readonly Deal[]) {
  const amounts = deals.flatMap(({ amount }) => amount ?? [])
  const value = amounts.reduce((total, amount) => total + amount, 0)
  const won = deals.filter(({ stage }) => isWonStage(stage)).length
  return {
    count: String(deals.length),
    won: String(won),
    winRate: `${formatPercent(deals.length > 0 ? won / deals.length : 0)} win rate`,
    value: formatMoney(value),
    average: formatMoney(amounts.length > 0 ? value / amounts.length : 0),
  }
}
