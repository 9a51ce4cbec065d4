import type { PaymentState } from '@portal/contract/payments.ts'
import { type RawBuilder, sql } from 'kysely'
import type { DealRow } from '../../platform/db/tables.ts'

/** The columns of a deal that only people who see money are told (D111). */
export const PAYMENT_COLUMNS = [
  'partner_commission',
  'commission_status',
  'commission_paid_on',
  'commission_note',
] as const

/**
 * SQL: what a commission is to the partner on this day, by the columns `status` and `paid_on`. The lender may use its own
 * words, but the words that `crm setup` makes decide; otherwise the day of payment does.
 */
export function paymentStateSql(day: string): RawBuilder<PaymentState> {
  return sql`case when lower(status) like 'cancel%' then 'cancelled'
                  when lower(status) = 'paid' or paid_on <= ${day}::date then 'paid'
                  else 'coming' end`
}

export function isOfPayment(column: keyof DealRow): boolean {
  return PAYMENT_COLUMNS.some((one) => one === column)
}
