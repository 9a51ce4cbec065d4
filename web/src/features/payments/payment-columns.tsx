import { formatCents } from '@portal/contract/money.ts'
import type { Payment } from '@portal/contract/payments.ts'
import { MessageCircleQuestion } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { dealTitle } from '../../format/record-title.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { Button } from '../../ui/button.tsx'
import { DayCell, flexibleClass, NameCell, TextCell } from '../../ui/cells.tsx'
import type { TableColumn } from '../../ui/table.tsx'
import { PaymentBadge } from './payment-badge.tsx'

/** The widths are shares of the page, so that the tables of all months line up. */
export function paymentColumns(onAsk: (payment: Payment) => void): TableColumn<Payment>[] {
  return [
    {
      key: 'deal_name',
      header: 'Deal',
      card: 'title',
      // On a tablet the name has the room of two columns.
      className: `${flexibleClass} wide:w-[43%] sm:max-wide:col-span-2`,
      cell: (payment) => (
        <NameCell title={dealTitle(payment)} detail={payment.loid}>
          <Link {...paths.deal(payment.loid)} className="rounded-sm py-1 hover:underline">
            {dealTitle(payment)}
          </Link>
        </NameCell>
      ),
    },
    {
      key: 'amount',
      header: 'Commission',
      align: 'right',
      card: 'value',
      className: 'wide:w-[11%]',
      cell: ({ amount }) => <span className="text-sm font-medium tabular-nums">{formatCents(amount)}</span>,
    },
    {
      key: 'status',
      header: 'Status',
      card: 'kind',
      className: 'wide:w-[12%]',
      cell: (payment) => (payment.status === null ? '—' : <PaymentBadge payment={payment} />),
    },
    {
      key: 'paid_on',
      header: 'Paid On',
      card: 'date',
      className: 'wide:w-[11%]',
      cell: ({ paid_on }) => <DayCell day={formatDate(paid_on)} />,
    },
    {
      key: 'note',
      header: 'Note',
      card: 'wide',
      className: `${flexibleClass} wide:w-[18%]`,
      cell: ({ note }) => note && <TextCell>{note}</TextCell>,
    },
    {
      key: 'ask',
      header: 'Ask about this payment',
      headerHidden: true,
      card: 'corner',
      className: 'wide:w-[5%]',
      cell: (payment) => (
        <May least="member">
          <Button
            variant="ghost"
            size="icon"
            className="size-8!"
            aria-label={`Ask about this payment: ${dealTitle(payment)}`}
            title="Ask about this payment"
            icon={<MessageCircleQuestion aria-hidden />}
            onClick={() => onAsk(payment)}
          />
        </May>
      ),
    },
  ]
}
