import type { Payment } from '@portal/contract/payments.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { PAYMENT_COLUMNS, paymentStateSql } from '../../records/deals/payments.ts'

/** SQL: a column of the payment, or null if the organisation lacks its field, although the rows keep the values. */
function there(column: (typeof PAYMENT_COLUMNS)[number]): string {
  return `case when '${column}' = any(money.fields) then ${column} end`
}

/** SQL: the partner's ($1) payments: the deals for which the lender has entered anything about a commission. */
const PAYMENTS = `
  select deals.id, loid, lead_loid, deal_name, business_name, ${there('partner_commission')} as amount,
         ${there('commission_status')} as status, ${there('commission_paid_on')} as paid_on,
         ${there('commission_note')} as note
    from deals, crm_field_groups as money
   where money.name = 'payments' and partner_id = $1 and archived_at is null
     and num_nonnulls(${PAYMENT_COLUMNS.join(', ')}) > 0`

/** The payment of the deal with this LOID on this day. */
export async function findPayment(
  reads: Reads,
  partnerId: string,
  loid: string,
  day: string,
): Promise<Payment | undefined> {
  const rows = await sendNamed<Payment>(reads, {
    sql: `select *, ${paymentStateSql('$3')} as state from (${PAYMENTS} and loid = $2) as payments`,
    parameters: [partnerId, loid, day],
  })
  return rows[0]
}
