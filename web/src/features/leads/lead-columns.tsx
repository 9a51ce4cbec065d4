import type { Lead } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
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
import { LeadCrmMark } from './lead-crm-mark.tsx'

export const LEAD_SORT_COLUMNS = [
  'business_name',
  'loid',
  'loan_amount',
  'partner_iso',
  'lead_status',
  'created_at',
] as const
export type LeadSortColumn = (typeof LEAD_SORT_COLUMNS)[number]

export const LEAD_SORT: Sort<LeadSortColumn> = { column: 'created_at', direction: 'descending' }

type LeadColumn = TableColumn<Lead, LeadSortColumn | 'contact' | 'loan_type' | 'view'>

export const LEAD_COLUMNS: readonly LeadColumn[] = [
  {
    key: 'business_name',
    header: 'Business Name',
    sortable: true,
    card: 'title',
    className: 'wide:max-w-72 wide:min-w-48',
    cell: (lead) => (
      <>
        <Link {...paths.lead(lead.loid)} className="rounded-sm text-sm font-medium break-words hover:underline">
          <UnreadMark loid={lead.loid} />
          {leadTitle(lead)}
        </Link>
        {lead.lead_name && <span className="block break-words text-muted">{lead.lead_name}</span>}
      </>
    ),
  },
  {
    key: 'loid',
    header: 'LOID',
    sortable: true,
    card: 'code',
    cell: (lead) => <span className="font-mono text-xs whitespace-nowrap">{lead.loid}</span>,
  },
  {
    key: 'contact',
    header: 'Contact',
    card: 'wide',
    className: 'wide:max-w-48 min-[108rem]:max-w-64',
    cell: (lead) => (
      <>
        <span className="block truncate" title={lead.email ?? undefined}>
          {lead.email ?? '—'}
        </span>
        <span className="block whitespace-nowrap text-muted tabular-nums">{formatPhone(lead.phone) || '—'}</span>
      </>
    ),
  },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    sortable: true,
    align: 'right',
    card: 'value',
    cell: (lead) => <span className="text-sm font-medium">{formatMoney(lead.loan_amount)}</span>,
  },
  { key: 'loan_type', header: 'Loan Type', card: 'kind', cell: (lead) => lead.loan_type ?? '—' },
  {
    key: 'partner_iso',
    header: 'ISO',
    sortable: true,
    card: 'mark',
    cell: (lead) => (
      <Badge variant={lead.partner_iso === 'AU' ? 'success' : 'error'}>{lead.partner_iso ?? 'Other'}</Badge>
    ),
  },
  {
    key: 'lead_status',
    header: 'Status',
    sortable: true,
    card: 'state',
    cell: (lead) => (
      <span className="flex flex-wrap items-center gap-1.5 wide:flex-col wide:items-start">
        <Badge variant={badgeColour(lead.lead_status)} dot>
          {lead.lead_status}
        </Badge>
        <LeadCrmMark lead={lead} />
      </span>
    ),
  },
  {
    key: 'created_at',
    header: 'Created',
    sortable: true,
    card: 'date',
    cell: (lead) => (
      <>
        <span className="whitespace-nowrap">{formatDate(lead.created_at)}</span>
        {lead.submitted_by && (
          <span className="block text-muted max-wide:ml-auto max-wide:max-w-36"> by {lead.submitted_by}</span>
        )}
      </>
    ),
  },
  {
    key: 'view',
    header: 'View',
    headerHidden: true,
    card: 'corner',
    cell: (lead) => (
      <Link
        {...paths.lead(lead.loid)}
        aria-label={`View ${leadTitle(lead)}`}
        className={buttonClass('ghost', 'icon', 'size-8!')}
      >
        <ArrowRight aria-hidden />
      </Link>
    ),
  },
]

export function leadSortValue(lead: Lead, column: LeadSortColumn): string | number | null {
  return column === 'created_at' ? Date.parse(lead.created_at) : lead[column]
}

function leadTitle(lead: Lead): string {
  return lead.business_name ?? lead.lead_name ?? lead.loid
}
