import { type Lead, type LeadSortColumn, NO_DEAL_YET } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { verdictText } from '@portal/contract/verdict.ts'
import { ArrowRight } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ContactCell, DayCell, flexibleClass, NameCell, StateCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'
import { VerdictMark, VerdictText } from '../referral/verdict.tsx'
import { LeadCrmMark } from './lead-crm-mark.tsx'

type LeadColumn = TableColumn<Lead, LeadSortColumn | 'contact' | 'loan_type' | 'view'>

export const LEAD_COLUMNS: readonly LeadColumn[] = [
  {
    key: 'business_name',
    header: 'Business Name',
    sortable: true,
    card: 'title',
    className: `${flexibleClass} wide:w-[24%]`,
    cell: (lead) => (
      <NameCell title={[leadTitle(lead), lead.lead_name].filter(Boolean).join(', ')} detail={lead.lead_name}>
        <Link {...paths.lead(lead.loid)} className="rounded-sm hover:underline">
          <UnreadMark loid={lead.loid} />
          {leadTitle(lead)}
        </Link>
      </NameCell>
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
    className: `${flexibleClass} wide:w-[22%]`,
    cell: (lead) => <ContactCell email={lead.email} phone={formatPhone(lead.phone)} />,
  },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    sortable: true,
    align: 'right',
    card: 'value',
    cell: (lead) => <span className="text-sm font-medium">{formatMoney(lead.loan_amount)}</span>,
  },
  {
    key: 'loan_type',
    header: 'Loan Type',
    card: 'kind',
    className: 'wide:max-w-32',
    cell: (lead) => <TextCell>{lead.loan_type}</TextCell>,
  },
  {
    key: 'partner_iso',
    header: 'ISO',
    sortable: true,
    card: 'mark',
    cell: (lead) => (
      <Badge variant={lead.partner_iso === 'AU' ? 'success' : 'error'} className="px-1.5! py-0! text-2xs!">
        {lead.partner_iso ?? 'Other'}
      </Badge>
    ),
  },
  {
    key: 'lead_status',
    header: 'Status',
    sortable: true,
    card: 'state',
    cell: (lead) => {
      const isPending = lead.crm !== 'synced'
      return (
        <StateCell
          badge={
            <span className="flex items-center gap-1">
              <StateBadge kind="lead-status" name={lead.lead_status} />
              <VerdictMark verdict={lead} />
            </span>
          }
          extra={verdictText(lead) !== null && <VerdictText verdict={lead} className="text-2xs/3 text-ink" />}
          mark={isPending && <LeadCrmMark lead={lead} />}
          detail={
            !isPending && (
              <TurnText
                side={lead.side}
                text={lead.awaits_deal_since ? NO_DEAL_YET : undefined}
                changed={lead.modified_time}
              />
            )
          }
        />
      )
    },
  },
  {
    key: 'created_at',
    header: 'Created',
    sortable: true,
    card: 'date',
    cell: (lead) => <DayCell day={formatDate(lead.created_at)} by={lead.submitted_by} />,
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
  return column === 'created_at' || column === 'modified_time' ? Date.parse(lead[column]) : lead[column]
}

function leadTitle(lead: Lead): string {
  return lead.business_name ?? lead.lead_name ?? lead.loid
}
