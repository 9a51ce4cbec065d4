import type { Lead } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import type { FoundDeal } from '@portal/contract/search.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { badgeColour } from '../../format/badge-colour.ts'
import { formatDate } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import type { TableColumn } from '../../ui/table.tsx'

export const FOUND_LEAD_COLUMNS: readonly TableColumn<Lead>[] = [
  {
    key: 'business_name',
    header: 'Business Name',
    card: 'title',
    className: 'wide:w-1/4',
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
    className: 'wide:max-w-56',
    cell: (lead) => <Contact email={lead.email} phone={lead.phone} />,
  },
  {
    key: 'loan_amount',
    header: 'Loan Amount',
    align: 'right',
    card: 'value',
    cell: (lead) => <span className="text-sm font-medium">{formatMoney(lead.loan_amount)}</span>,
  },
  { key: 'loan_type', header: 'Loan Type', card: 'kind', cell: (lead) => lead.loan_type ?? '—' },
  { key: 'lead_status', header: 'Status', card: 'state', cell: (lead) => <StateBadge name={lead.lead_status} /> },
  { key: 'created_at', header: 'Created', card: 'date', cell: (lead) => <DayText date={lead.created_at} /> },
]

export const FOUND_DEAL_COLUMNS: readonly TableColumn<FoundDeal>[] = [
  {
    key: 'deal_name',
    header: 'Deal Name',
    card: 'title',
    className: 'wide:w-1/4',
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
    className: 'wide:max-w-56',
    cell: (deal) => <Contact email={deal.email} phone={deal.phone} />,
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    card: 'value',
    cell: (deal) => <span className="text-sm font-medium">{formatMoney(deal.amount)}</span>,
  },
  { key: 'loan_type', header: 'Loan Type', card: 'kind', cell: (deal) => deal.loan_type ?? '—' },
  {
    key: 'stage',
    header: 'Stage',
    card: 'state',
    className: 'max-sm:col-span-full',
    cell: (deal) => <StateBadge name={deal.stage} />,
  },
  { key: 'created_at', header: 'Created', card: 'date', cell: (deal) => <DayText date={deal.created_at} /> },
]

interface TitleProps {
  link: ReturnType<typeof paths.lead> | ReturnType<typeof paths.deal>
  text: string
  detail: ReactNode
}

function Title({ link, text, detail }: TitleProps) {
  return (
    <>
      <Link {...link} className="rounded-sm text-sm font-medium break-words hover:underline">
        {text}
      </Link>
      {detail && <span className="block break-words text-muted">{detail}</span>}
    </>
  )
}

function Contact({ email, phone }: { email: string | null; phone: string | null }) {
  return (
    <>
      <span className="block truncate" title={email ?? undefined}>
        {email ?? '—'}
      </span>
      <span className="block whitespace-nowrap text-muted tabular-nums">{formatPhone(phone) || '—'}</span>
    </>
  )
}

function LoidText({ loid }: { loid: string }) {
  return <span className="font-mono text-xs whitespace-nowrap">{loid}</span>
}

function StateBadge({ name }: { name: string }) {
  return (
    <Badge variant={badgeColour(name)} dot>
      {name}
    </Badge>
  )
}

function DayText({ date }: { date: string }) {
  return <span className="whitespace-nowrap">{formatDate(date)}</span>
}
