import type { Deal, DealSortColumn } from '@portal/contract/deals.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { ArrowRight } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { DayCell, flexibleClass, NameCell, StateCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'
import { DealCrmMark } from './deal-crm-mark.tsx'

type DealColumn = TableColumn<Deal, DealSortColumn | 'business_name' | 'loan_type' | 'view'>

export const DEAL_COLUMNS: readonly DealColumn[] = [
  {
    key: 'deal_name',
    header: 'Deal Name',
    sortable: true,
    card: 'title',
    className: `${flexibleClass} wide:w-[32%]`,
    cell: (deal) => (
      <NameCell
        title={[dealTitle(deal), deal.contact_name].filter(Boolean).join(', ')}
        detail={deal.contact_name}
        // The end of most deals' names stands in a column of its own.
        detailClass="one-line:min-w-14"
      >
        <Link {...paths.deal(deal.loid)} className="rounded-sm hover:underline">
          <UnreadMark loid={deal.loid} />
          {dealTitle(deal)}
        </Link>
      </NameCell>
    ),
  },
  {
    key: 'loid',
    header: 'LOID',
    sortable: true,
    card: 'code',
    cell: (deal) => <span className="font-mono text-xs whitespace-nowrap">{deal.loid}</span>,
  },
  {
    key: 'business_name',
    header: 'Business',
    card: 'wide',
    className: `${flexibleClass} wide:w-[16%]`,
    cell: (deal) => <TextCell>{deal.business_name}</TextCell>,
  },
  {
    key: 'amount',
    header: 'Amount',
    sortable: true,
    align: 'right',
    card: 'value',
    cell: (deal) => <span className="text-sm font-medium">{formatMoney(deal.amount)}</span>,
  },
  {
    key: 'loan_type',
    header: 'Loan Type',
    card: 'kind',
    className: 'wide:max-w-36',
    cell: (deal) => <TextCell>{deal.loan_type}</TextCell>,
  },
  {
    key: 'stage',
    header: 'Stage',
    sortable: true,
    card: 'state',
    cell: (deal) => {
      const isPending = deal.crm !== 'synced'
      return (
        <StateCell
          badge={<StateBadge kind="deal-stage" name={deal.stage} />}
          mark={isPending && <DealCrmMark deal={deal} />}
          detail={!isPending && <TurnText side={deal.side} changed={deal.modified_time} />}
        />
      )
    },
  },
  {
    key: 'created_at',
    header: 'Created',
    sortable: true,
    card: 'date',
    cell: (deal) => <DayCell day={formatDate(deal.created_at)} by={deal.submitted_by} />,
  },
  {
    key: 'view',
    header: 'View',
    headerHidden: true,
    card: 'corner',
    cell: (deal) => (
      <Link
        {...paths.deal(deal.loid)}
        aria-label={`View ${dealTitle(deal)}`}
        className={buttonClass('ghost', 'icon', 'size-8!')}
      >
        <ArrowRight aria-hidden />
      </Link>
    ),
  },
]

export function dealSortValue(deal: Deal, column: DealSortColumn): string | number | null {
  return column === 'created_at' || column === 'modified_time' ? Date.parse(deal[column]) : deal[column]
}

export function dealTitle(deal: Deal): string {
  return deal.deal_name ?? deal.business_name ?? deal.loid
}
