import { type Lead, NO_DEAL_YET } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import type { FoundDeal } from '@portal/contract/search.ts'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { ContactCell, DayCell, flexibleClass, NameCell, StateCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnText } from '../referral/turn-text.tsx'

export const FOUND_LEAD_COLUMNS: readonly TableColumn<Lead>[] = [
  {
    key: 'business_name',
    header: 'Business Name',
    card: 'title',
    className: `${flexibleClass} wide:w-[30%]`,
    cell: (lead) => (
      <Title
        link={paths.lead(lead.loid)}
        text={lead.business_name ?? lead.lead_name ?? lead.loid}
        detail={lead.lead_name}
      />
    ),
  },
  { key: 'loid', header: 'LOID', card: 'code', cell: (lead) => <LoidText loid={lead.loid} /> },
  {
    key: 'contact',
    header: 'Contact',
    card: 'wide',
    className: `${flexibleClass} wide:w-[26%]`,
    cell: (lead) => <ContactCell email={lead.email} phone={formatPhone(lead.phone)} />,
  },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    align: 'right',
    card: 'value',
    cell: (lead) => <span className="text-sm font-medium">{formatMoney(lead.loan_amount)}</span>,
  },
  {
    key: 'loan_type',
    header: 'Loan Type',
    card: 'kind',
    className: 'wide:max-w-40',
    cell: (lead) => <TextCell>{lead.loan_type}</TextCell>,
  },
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
  { key: 'created_at', header: 'Created', card: 'date', cell: (lead) => <DayCell day={formatDate(lead.created_at)} /> },
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
        text={deal.deal_name ?? deal.business_name ?? deal.loid}
        detail={deal.contact_person}
      />
    ),
  },
  { key: 'loid', header: 'LOID', card: 'code', cell: (deal) => <LoidText loid={deal.loid} /> },
  {
    key: 'contact',
    header: 'Contact',
    card: 'wide',
    className: `${flexibleClass} wide:w-[26%]`,
    cell: (deal) => <ContactCell email={deal.email} phone={formatPhone(deal.phone)} />,
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    card: 'value',
    cell: (deal) => <span className="text-sm font-medium">{formatMoney(deal.amount)}</span>,
  },
  {
    key: 'loan_type',
    header: 'Loan Type',
    card: 'kind',
    className: 'wide:max-w-40',
    cell: (deal) => <TextCell>{deal.loan_type}</TextCell>,
  },
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
  { key: 'created_at', header: 'Created', card: 'date', cell: (deal) => <DayCell day={formatDate(deal.created_at)} /> },
]

interface TitleProps {
  link: ReturnType<typeof paths.lead> | ReturnType<typeof paths.deal>
  text: string
  detail: string | null
}

function Title({ link, text, detail }: TitleProps) {
  return (
    <NameCell title={[text, detail].filter(Boolean).join(', ')} detail={detail}>
      <Link {...link} className="rounded-sm hover:underline">
        {text}
      </Link>
    </NameCell>
  )
}

function LoidText({ loid }: { loid: string }) {
  return <span className="font-mono text-xs whitespace-nowrap">{loid}</span>
}
