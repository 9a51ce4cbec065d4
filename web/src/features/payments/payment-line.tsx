import { formatCents } from '@portal/contract/money.ts'
import type { Payment } from '@portal/contract/payments.ts'
import { useQuery } from '@tanstack/react-query'
import { formatDate } from '../../format/dates.ts'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { PaymentBadge } from './payment-badge.tsx'
import { dealPaymentQuery } from './payments.queries.ts'

/** What the lender pays for a deal, in the deal's header. Nothing is shown to people who may not see it (D111). */
export function PaymentLine({ loid }: { loid: string }) {
  const sees = useSeesPayments()
  const { data } = useQuery(dealPaymentQuery(loid, sees))
  if (!sees || !data?.payment) return null
  const { amount, note } = data.payment
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
      <span>
        Commission <span className="font-semibold text-ink tabular-nums">{formatCents(amount)}</span>
      </span>
      <PaymentBadge payment={data.payment} />
      {dayText(data.payment) && <span>{dayText(data.payment)}</span>}
      {note && <span className="wrap-anywhere">{note}</span>}
    </p>
  )
}

function dayText({ state, paid_on }: Payment): string | null {
  if (paid_on === null) return null
  return `${state === 'paid' ? 'paid on' : 'due on'} ${formatDate(paid_on)}`
}
