import type { Deal } from '@portal/contract/deals.ts'
import { meaningOf } from '@portal/contract/meanings.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { clsx } from 'clsx'
import { formatPercent } from '../../format/percent.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

/** On a phone all figures shrink if one is longer, so that it fits into its cell. */
const LONG_VALUE = 8

/** Figures of the loaded page only (section 2). Without `deals` the outline of the strip is shown. */
export function DealSummaryCards({ deals }: { deals: readonly Deal[] | undefined }) {
  const summary = deals && summarise(deals)
  const isLong = [summary?.value, summary?.average].some((value = '') => value.length > LONG_VALUE)
  return (
    <dl
      aria-label="Deals on this page"
      className="frame grid grid-cols-4 gap-px bg-line! *:min-w-0 *:bg-surface *:px-1.5 *:py-2 sm:*:px-5"
    >
      <Figure term="Total Deals" value={summary?.count} detail="on this page" isLong={isLong} />
      <Figure term="Won Deals" value={summary?.won} detail={summary?.winRate} isLong={isLong} />
      <Figure term="Total Value" value={summary?.value} detail="on this page" isLong={isLong} />
      <Figure term="Avg Deal Size" value={summary?.average} detail="per deal" isLong={isLong} />
    </dl>
  )
}

interface FigureProps {
  term: string
  value: string | undefined
  detail: string | undefined
  isLong: boolean
}

function Figure({ term, value, detail, isLong }: FigureProps) {
  return (
    <div className="@container">
      <dt className="truncate text-xs text-muted max-sm:text-2xs">{term}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted max-sm:text-2xs/4 max-sm:tracking-tight">
        {value === undefined ? (
          <Skeleton className="my-1 h-4 w-16 max-sm:mb-5" />
        ) : (
          <>
            <span
              className={clsx(
                'text-base/6 font-semibold text-ink tabular-nums wrap-anywhere max-sm:w-full',
                isLong ? 'max-sm:text-[min(0.8125rem,15cqi)]/5' : 'max-sm:text-[0.8125rem]/5',
              )}
            >
              {value}
            </span>{' '}
            {detail}
          </>
        )}
      </dd>
    </div>
  )
}

function summarise(deals: readonly Deal[]) {
  const amounts = deals.flatMap(({ amount }) => amount ?? [])
  const value = amounts.reduce((total, amount) => total + amount, 0)
  const won = deals.filter(({ stage }) => meaningOf('deal-stage', stage).outcome === 'funded').length
  return {
    count: String(deals.length),
    won: String(won),
    winRate: `${formatPercent(deals.length > 0 ? won / deals.length : 0)} win rate`,
    value: formatMoney(value),
    average: formatMoney(amounts.length > 0 ? value / amounts.length : 0),
  }
}
