import { DEAL_COMMISSION } from '@portal/contract/deal-fields.ts'
import type { PaymentState } from '@portal/contract/payments.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import { type RawBuilder, sql } from 'kysely'
import type { DealRow } from '../../platform/db/tables.ts'

/** The columns of a deal that only people who see money are told (D111). */
export const PAYMENT_COLUMNS = keysOf(DEAL_COMMISSION)

/**
 * SQL: what a commission is to the partner on this day, by the columns `status` and `paid_on`. The lender may use its own
 * words, but the words that `crm setup` makes decide; otherwise the day of payment does.
 */
export function paymentStateSql(day: string): RawBuilder<PaymentState> {
  return sql`case when lower(status) like 'cancel%' then 'cancelled'
                  when lower(status) = 'paid' or paid_on <= ${day}::date then 'paid'
                  else 'coming' end`
}

/** The same, of the columns of a row. */
export function paymentState(
  { commission_status, commission_paid_on }: Pick<DealRow, 'commission_status' | 'commission_paid_on'>,
  day: string,
): PaymentState {
  const status = commission_status?.toLowerCase() ?? ''
  if (status.startsWith('cancel')) return 'cancelled'
  const isDue = commission_paid_on !== null && commission_paid_on <= day
  return status === 'paid' || isDue ? 'paid' : 'coming'
}

type PaymentRow = Parameters<typeof paymentState>[0]

/** The first place on Earth is this far ahead of UTC, so a day that has begun anywhere has begun for the lender. */
const DAY_AHEAD_MS = 14 * 3_600_000
/** A payment that staff enter later than this is no news. */
const NEWS_MS = 31 * 24 * 3_600_000

/** Whether a commission is paid that was not, as of this instant. */
export function isNewlyPaid(row: PaymentRow, before: PaymentRow, at: string): boolean {
  const isOld = row.commission_paid_on !== null && row.commission_paid_on < dayOf(Date.parse(at) - NEWS_MS)
  return !isOld && isPaid(row, at) && !isPaid(before, at)
}

/** Whether a commission is paid as of this instant. */
export function isPaid(row: PaymentRow, at: string): boolean {
  return paymentState(row, dayOf(Date.parse(at) + DAY_AHEAD_MS)) === 'paid'
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function isOfPayment(column: keyof DealRow): boolean {
  return PAYMENT_COLUMNS.some((one) => one === column)
}
