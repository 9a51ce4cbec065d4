import type { Deal } from '@portal/contract/deals.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { badgeColour } from '../../format/badge-colour.ts'
import { formatDate } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import type { Sort } from '../../ui/sort.ts'
import type { TableColumn } from '../../ui/table.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { DealCrmMark } from './deal-crm-mark.tsx'

export const DEAL_SORT_COLUMNS = ['deal_name', 'loid', 'amount', 'stage', 'created_at'] as const
export type DealSortColumn = (typeof DEAL_SORT_COLUMNS)[number]

export const DEAL_SORT: Sort<DealSortColumn> = { column: 'created_at', direction: 'descending' }

type DealColumn = TableColumn<Deal, DealSortColumn | 'business_name' | 'loan_type' | 'view'>

export const DEAL_COLUMNS: readonly DealColumn[] = [
  {
    key: 'deal_name',
    header: 'Deal Name',
    sortable: true,
    card: 'title',
    className: 'wide:max-w-80 wide:min-w-52 min-[108rem]:max-w-96',
    cell: (deal) => (
      <>
        <Link {...paths.deal(deal.loid)} className="rounded-sm text-sm font-medium break-words hover:underline">
          <UnreadMark loid={deal.loid} />
          {dealTitle(deal)}
        </Link>
        {deal.contact_name && <span className="block break-words text-muted">{deal.contact_name}</span>}
      </>
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
    className: 'wide:max-w-32 min-[108rem]:max-w-60',
    cell: (deal) => (
      <span className="block truncate" title={deal.business_name ?? undefined}>
        {deal.business_name ?? '—'}
      </span>
    ),
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
    className: 'wide:whitespace-nowrap',
    cell: (deal) => deal.loan_type ?? '—',
  },
  {
    key: 'stage',
    header: 'Stage',
    sortable: true,
    card: 'state',
    className: 'max-sm:col-span-full',
    cell: (deal) => (
      <span className="flex flex-wrap items-center gap-1.5 wide:flex-col wide:items-start">
        <Badge variant={badgeColour(deal.stage)} dot>
          {deal.stage}
        </Badge>
        <DealCrmMark deal={deal} />
      </span>
    ),
  },
  {
    key: 'created_at',
    header: 'Created',
    sortable: true,
    card: 'date',
    cell: (deal) => (
      <>
        <span className="whitespace-nowrap">{formatDate(deal.created_at)}</span>
        {deal.submitted_by && (
          <span className="block text-muted max-wide:ml-auto max-wide:max-w-36"> by {deal.submitted_by}</span>
        )}
      </>
    ),
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
  return column === 'created_at' ? Date.parse(deal.created_at) : deal[column]
}

export function dealTitle(deal: Deal): string {
  return deal.deal_name ?? deal.business_name ?? deal.loid
}
