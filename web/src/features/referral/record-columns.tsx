import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { ArrowRight } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ContactCell, DayCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import type { RecordKind } from './referral.queries.ts'

// The columns that lists of leads and lists of deals have alike.

export const LOID_COLUMN = {
  key: 'loid',
  header: 'LOID',
  card: 'code',
  cell: ({ loid }) => <span className="font-mono text-xs whitespace-nowrap">{loid}</span>,
} as const satisfies TableColumn<{ loid: string }>

export const CONTACT_COLUMN = {
  key: 'contact',
  header: 'Contact',
  card: 'wide',
  cell: ({ email, phone }) => <ContactCell email={email} phone={formatPhone(phone)} />,
} as const satisfies TableColumn<{ email: string | null; phone: string | null }>

export const LOAN_TYPE_COLUMN = {
  key: 'loan_type',
  header: 'Loan Type',
  card: 'kind',
  cell: ({ loan_type }) => <TextCell>{loan_type}</TextCell>,
} as const satisfies TableColumn<{ loan_type: string | null }>

export const CREATED_COLUMN = {
  key: 'created_at',
  header: 'Created',
  card: 'date',
  cell: ({ created_at, submitted_by }) => <DayCell day={formatDate(created_at)} by={submitted_by} />,
} as const satisfies TableColumn<{ created_at: string; submitted_by?: string | null }>

export function AmountText({ amount }: { amount: number | null }) {
  return <span className="text-sm font-medium">{formatMoney(amount)}</span>
}

/** The last column, whose link opens the record. */
export function viewColumn<Row extends { loid: string }>(kind: RecordKind, titleOf: (row: Row) => string) {
  return {
    key: 'view',
    header: 'View',
    headerHidden: true,
    card: 'corner',
    cell: (row) => (
      <Link
        {...paths[kind](row.loid)}
        aria-label={`View ${titleOf(row)}`}
        className={buttonClass('ghost', 'icon', 'size-8!')}
      >
        <ArrowRight aria-hidden />
      </Link>
    ),
  } as const satisfies TableColumn<Row>
}
