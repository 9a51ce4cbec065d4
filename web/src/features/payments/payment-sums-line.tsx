import { formatCents } from '@portal/contract/money.ts'
import type { PaymentSums } from '@portal/contract/payments.ts'
import { HandCoins } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'

/** What the lender has paid this month and what is coming, in one line of the dashboard (D110). */
export function PaymentSumsLine({ sums: { paid_this_month, coming } }: { sums: PaymentSums }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      <HandCoins aria-hidden className="size-4 shrink-0 text-muted" />
      <span>
        Paid this month <span className="font-semibold tabular-nums">{formatCents(paid_this_month)}</span>, coming{' '}
        <span className="font-semibold tabular-nums">{formatCents(coming)}</span>
      </span>
      <Link {...paths.payments} className="rounded font-medium text-brand-ink underline-offset-4 hover:underline">
        Payments
      </Link>
    </p>
  )
}
