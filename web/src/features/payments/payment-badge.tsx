import type { Payment, PaymentState } from '@portal/contract/payments.ts'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'

const VARIANTS: Record<PaymentState, BadgeVariant> = { paid: 'success', coming: 'primary', cancelled: 'secondary' }

/** The lender's word for where a payment stands. */
export function PaymentBadge({ payment: { status, state } }: { payment: Pick<Payment, 'status' | 'state'> }) {
  return status === null ? null : <Badge variant={VARIANTS[state]}>{status}</Badge>
}
