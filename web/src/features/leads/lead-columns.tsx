import { type Lead, type LeadSortColumn, NO_DEAL_YET } from '@portal/contract/leads.ts'
import { verdictText } from '@portal/contract/verdict.ts'
import { paths } from '../../app/paths.ts'
import { leadTitle } from '../../format/record-title.ts'
import { Link } from '../../router/link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { flexibleClass, NameCell, StateCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { RecordCrmMark } from '../referral/crm-mark.tsx'
import {
  AmountText,
  CONTACT_COLUMN,
  CREATED_COLUMN,
  LOAN_TYPE_COLUMN,
  LOID_COLUMN,
  viewColumn,
} from '../referral/record-columns.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'
import { VerdictMark, VerdictText } from '../referral/verdict.tsx'

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
  { ...LOID_COLUMN, sortable: true },
  { ...CONTACT_COLUMN, className: `${flexibleClass} wide:w-[22%]` },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    sortable: true,
    align: 'right',
    card: 'value',
    cell: (lead) => <AmountText amount={lead.loan_amount} />,
  },
  { ...LOAN_TYPE_COLUMN, className: 'wide:max-w-32' },
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
            <span className="flex items-center gap-1 one-line:*:py-0">
              <StateBadge kind="lead-status" name={lead.lead_status} />
              <VerdictMark verdict={lead} />
            </span>
          }
          extra={verdictText(lead) !== null && <VerdictText verdict={lead} className="text-2xs/3 text-ink" />}
          mark={isPending && <RecordCrmMark kind="lead" record={lead} />}
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
  { ...CREATED_COLUMN, sortable: true },
  viewColumn('lead', leadTitle),
]

export function leadSortValue(lead: Lead, column: LeadSortColumn): string | number | null {
  return column === 'created_at' || column === 'modified_time' ? Date.parse(lead[column]) : lead[column]
}
