import { type Lead, NO_DEAL_YET } from '@portal/contract/leads.ts'
import type { FoundDeal } from '@portal/contract/search.ts'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { dealTitle, leadTitle } from '../../format/record-title.ts'
import { Link } from '../../router/link.tsx'
import { DayCell, flexibleClass, NameCell, StateCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import {
  AmountText,
  CONTACT_COLUMN,
  CREATED_COLUMN,
  LOAN_TYPE_COLUMN,
  LOID_COLUMN,
} from '../referral/record-columns.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'

/** Without the person who submitted the record. */
const FOUND_CREATED = {
  ...CREATED_COLUMN,
  cell: ({ created_at }: { created_at: string }) => <DayCell day={formatDate(created_at)} />,
}

export const FOUND_LEAD_COLUMNS: readonly TableColumn<Lead>[] = [
  {
    key: 'business_name',
    header: 'Business Name',
    card: 'title',
    className: `${flexibleClass} wide:w-[30%]`,
    cell: (lead) => <Title link={paths.lead(lead.loid)} text={leadTitle(lead)} detail={lead.lead_name} />,
  },
  LOID_COLUMN,
  { ...CONTACT_COLUMN, className: `${flexibleClass} wide:w-[26%]` },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    align: 'right',
    card: 'value',
    cell: (lead) => <AmountText amount={lead.loan_amount} />,
  },
  { ...LOAN_TYPE_COLUMN, className: 'wide:max-w-40' },
  {
    key: 'lead_status',
    header: 'Status',
    card: 'state',
    cell: (lead) => (
      <StateCell
        badge={<StateBadge kind="lead-status" name={lead.lead_status} />}
        detail={lead.side && <TurnText side={lead.side} text={lead.awaits_deal_since ? NO_DEAL_YET : undefined} />}
      />
    ),
  },
  FOUND_CREATED,
]

export const FOUND_DEAL_COLUMNS: readonly TableColumn<FoundDeal>[] = [
  {
    key: 'deal_name',
    header: 'Deal Name',
    card: 'title',
    className: `${flexibleClass} wide:w-[30%]`,
    cell: (deal) => (
      <Title
        link={paths.deal(deal.loid)}
        text={dealTitle(deal)}
        detail={deal.contact_person}
        detailClass="one-line:min-w-14"
      />
    ),
  },
  LOID_COLUMN,
  { ...CONTACT_COLUMN, className: `${flexibleClass} wide:w-[26%]` },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    card: 'value',
    cell: (deal) => <AmountText amount={deal.amount} />,
  },
  { ...LOAN_TYPE_COLUMN, className: 'wide:max-w-40' },
  {
    key: 'stage',
    header: 'Stage',
    card: 'state',
    cell: (deal) => (
      <StateCell
        badge={<StateBadge kind="deal-stage" name={deal.stage} />}
        detail={deal.side && <TurnText side={deal.side} />}
      />
    ),
  },
  FOUND_CREATED,
]

interface TitleProps {
  link: ReturnType<typeof paths.lead> | ReturnType<typeof paths.deal>
  text: string
  detail: string | null
  detailClass?: string
}

function Title({ link, text, detail, detailClass }: TitleProps) {
  return (
    <NameCell title={[text, detail].filter(Boolean).join(', ')} detail={detail} detailClass={detailClass}>
      <Link {...link} className="rounded-sm hover:underline">
        {text}
      </Link>
    </NameCell>
  )
}
