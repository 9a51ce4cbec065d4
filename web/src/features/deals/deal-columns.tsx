import type { Deal, DealSortColumn } from '@portal/contract/deals.ts'
import { paths } from '../../app/paths.ts'
import { dealTitle } from '../../format/record-title.ts'
import { Link } from '../../router/link.tsx'
import { flexibleClass, NameCell, StateCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { RecordCrmMark } from '../referral/crm-mark.tsx'
import { AmountText, CREATED_COLUMN, LOAN_TYPE_COLUMN, LOID_COLUMN, viewColumn } from '../referral/record-columns.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'

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
  { ...LOID_COLUMN, sortable: true },
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
    cell: (deal) => <AmountText amount={deal.amount} />,
  },
  { ...LOAN_TYPE_COLUMN, className: 'wide:max-w-36' },
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
          mark={isPending && <RecordCrmMark kind="deal" record={deal} />}
          detail={!isPending && <TurnText side={deal.side} changed={deal.modified_time} />}
        />
      )
    },
  },
  { ...CREATED_COLUMN, sortable: true },
  viewColumn('deal', dealTitle),
]

export function dealSortValue(deal: Deal, column: DealSortColumn): string | number | null {
  return column === 'created_at' || column === 'modified_time' ? Date.parse(deal[column]) : deal[column]
}
