import { COMMISSION_STATUSES } from '@portal/contract/choices.ts'
import { PAYMENT_STATES, type Payment, type PaymentSums, type readPayments } from '@portal/contract/payments.ts'
import { type RawBuilder, sql } from 'kysely'
import type * as z from 'zod/mini'
import type { Tx } from '../../platform/db/database.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { PAYMENT_COLUMNS, paymentStateSql } from '../../records/deals/payments.ts'

/** Whose payments, and which day it is for the lender. */
interface Asked {
  partnerId: string
  /** YYYY-MM-DD */
  day: string
}

/** SQL: a column of the payment, or null if the organisation lacks its field, although the rows keep the values. */
function there(column: (typeof PAYMENT_COLUMNS)[number]) {
  return sql`case when ${sql.lit(column)} = any(money.fields) then ${sql.ref(column)} end`
}

/** SQL: the payments of the partner: the deals for which the lender has entered anything about a commission. */
function payments({ partnerId, day }: Asked) {
  const columns = sql.join(PAYMENT_COLUMNS.map((column) => sql.ref(column)))
  return sql<Payment & { id: string; month: string | null }>`
    select *, ${paymentStateSql(day)} as state, to_char(paid_on, 'YYYY-MM') as month from (
      select id, loid, deal_name, business_name, ${there('partner_commission')} as amount,
             ${there('commission_status')} as status, ${there('commission_paid_on')} as paid_on,
             ${there('commission_note')} as note
        from deals, crm_field_groups as money
       where money.name = 'payments' and partner_id = ${partnerId} and archived_at is null
         and num_nonnulls(${columns}) > 0) as payments`
}

/** SQL: the payments without a day come first, then the latest. */
const ORDER = sql`paid_on desc nulls first, id desc`

/** The payment of the deal with this LOID. */
export async function findPayment(sender: Sender, loid: string, asked: Asked): Promise<Payment | undefined> {
  const statement = sql<Payment>`select * from (${payments(asked)}) as all_payments where loid = ${loid}`
  const rows = await sendNamed(sender.pool, statement.compile(sender.db))
  return rows[0]
}

/** SQL: the place of a text in a list; null if it is not there. */
function placeIn(words: readonly string[], text: RawBuilder<unknown>) {
  return sql`array_position(array[${sql.join(words.map((word) => sql.lit(word)))}], ${text})`
}

/** SQL: the lender's own words come after the words that `crm setup` makes. */
const KNOWN = placeIn(
  COMMISSION_STATUSES.map((word) => word.toLowerCase()),
  sql`lower(status)`,
)

/** SQL: the figures over all of the payments `listed`, as JSON. */
function sums(day: string) {
  return sql`json_build_object(
    'by_status', (select coalesce(json_agg(json_build_object('status', status, 'count', count, 'sum', sum) order by way, ${KNOWN}, status), '[]')
                    from (select status, count(*), coalesce(sum(amount), 0) as sum,
                                 min(${placeIn(PAYMENT_STATES, sql`state`)}) as way from listed group by status) as of_status),
    'paid_this_month', (select coalesce(sum(amount), 0) from listed
                         where state = 'paid' and month = to_char(${day}::date, 'YYYY-MM')),
    'coming', (select coalesce(sum(amount), 0) from listed where state = 'coming'))`
}

export async function findPaymentSums(sender: Sender, asked: Asked): Promise<PaymentSums> {
  const statement = sql<{ sums: PaymentSums }>`
    with listed as materialized (${payments(asked)}) select ${sums(asked.day)} as sums`
  const [row] = await sendNamed(sender.pool, statement.compile(sender.db))
  if (!row) throw new Error('an aggregate without a row')
  return row.sums
}

type Page = z.output<(typeof readPayments)['answer']> & { total: number }

/** A page of payments with the sums over all of them: one statement, so that the sums are those of the rows. */
export async function findPayments(
  sender: Sender,
  asked: Asked,
  { page, limit }: { page: number; limit: number },
): Promise<Page> {
  const statement = sql<Page>`
    with listed as materialized (${payments(asked)}),
         shown as (select * from listed order by ${ORDER} limit ${limit} offset ${(page - 1) * limit})
    select (select coalesce(json_agg(shown order by ${ORDER}), '[]') from shown) as payments,
           (select coalesce(json_agg(of_month), '[]') from (
              select month, count(*), coalesce(sum(amount), 0) as sum from listed
               where coalesce(month, '') in (select coalesce(month, '') from shown)
               group by month order by month desc nulls first) as of_month) as months,
           ${sums(asked.day)} as sums,
           (select count(*) from listed) as total`
  const [row] = await sendNamed(sender.pool, statement.compile(sender.db))
  if (!row) throw new Error('an aggregate without a row')
  return row
}

/** The statement of all payments, in the order of their pages. */
export function everyPayment(asked: Asked) {
  return sql<Payment>`select * from (${payments(asked)}) as all_payments order by ${ORDER}`
}

/**
 * Locks deals whose commission became paid on one of these days because its date came, without a change by the lender,
 * and that nobody was told about. A payment is told at the earliest when its day begins anywhere on Earth.
 */
export async function lockDueOfAllPartners(
  tx: Tx,
  { from, to }: { from: string; to: string },
  limit: number,
): Promise<{ partner_id: string; loid: string; deal_name: string | null; business_name: string | null }[]> {
  const { rows } = await sql<{
    partner_id: string
    loid: string
    deal_name: string | null
    business_name: string | null
  }>`
    select partner_id, loid, deal_name, business_name from deals
     where commission_paid_on between ${from}::date and ${to}::date and archived_at is null
       and coalesce(lower(commission_status) <> 'paid' and lower(commission_status) not like 'cancel%', true)
       and exists (select from crm_field_groups where name = 'payments')
       and not exists (select from events
                        where events.partner_id = deals.partner_id and events.loid = deals.loid and type = 'deal.paid'
                          and events.created_at >= (commission_paid_on::timestamp at time zone 'UTC') - interval '14 hours')
     order by id
     limit ${limit}
       for no key update`.execute(tx)
  return rows
}
