import * as z from 'zod/mini'
import { pagingQuery } from './answer.ts'
import { Instant } from './dates.ts'
import { Loid } from './loid.ts'
import { Note } from './notes.ts'
import { defineRoute } from './route.ts'

const Text = z.nullable(z.string())

/** What a commission is to the partner: still to come, paid, or cancelled by the lender. */
export const PAYMENT_STATES = ['coming', 'paid', 'cancelled'] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]

/** The commission of one deal, as the lender's CRM has it (D110). The portal computes none. */
export const Payment = z.object({
  loid: Loid,
  deal_name: Text,
  business_name: Text,
  /** In dollars and cents; below zero if the lender takes money back. */
  amount: z.nullable(z.number()),
  /** The lender's own word. */
  status: Text,
  state: z.enum(PAYMENT_STATES),
  /** YYYY-MM-DD */
  paid_on: Text,
  note: Text,
})
export type Payment = z.infer<typeof Payment>

export const readDealPayment = defineRoute({
  method: 'GET',
  path: '/crm/deal/:id/payment',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  answer: z.object({ payment: z.nullable(Payment) }),
  summary: 'The commission of one deal, by LOID or id; null while the lender has entered none.',
})

const Sum = {
  count: z.number(),
  /** Of the amounts that are known. */
  sum: z.number(),
}

/** The figures over all payments. */
export const PaymentSums = z.object({
  /** In the order in which a payment passes through them. Null stands for payments without a status. */
  by_status: z.array(z.object({ status: Text, ...Sum })),
  /** The payments that were paid in the present month, in the lender's time zone. */
  paid_this_month: z.number(),
  coming: z.number(),
})
export type PaymentSums = z.infer<typeof PaymentSums>

export const readPayments = defineRoute({
  method: 'GET',
  path: '/payments',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  query: z.object(pagingQuery()),
  answer: z.object({
    payments: z.array(Payment),
    /** The months (YYYY-MM) of these payments, each with all of its payments; null for payments without a day. */
    months: z.array(z.object({ month: Text, ...Sum })),
    sums: PaymentSums,
  }),
  envelope: 'paged',
  summary: 'What the lender pays for the partner’s deals: first the payments without a day, then the latest.',
})

export const readPaymentSums = defineRoute({
  method: 'GET',
  path: '/payments/sums',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  answer: PaymentSums,
  summary: 'The sums of the payments by status, what was paid this month, and what is coming.',
})

export const exportPayments = defineRoute({
  method: 'GET',
  path: '/payments/export',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  answer: z.string(),
  envelope: 'file',
  summary: 'All payments, in the order of the list, as a CSV file.',
})

/** A statement that the lender attached to the partner's own record (D110). */
export const Statement = z.object({ id: z.string(), name: z.string(), size: z.number(), added_at: Instant })
export type Statement = z.infer<typeof Statement>

export const readStatements = defineRoute({
  method: 'GET',
  path: '/payments/statements',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  answer: z.object({ statements: z.array(Statement) }),
  summary:
    'The lender’s statements, the newest first: files of the partner’s CRM record whose name begins with ‘Statement’.',
})

export const openStatement = defineRoute({
  method: 'GET',
  path: '/payments/statements/:id/content',
  auth: 'session',
  least: 'viewer',
  personRight: 'money',
  answer: z.string(),
  envelope: 'file',
  summary: 'The content of a statement, from the CRM.',
})

/** The note about a payment. It never has an amount, because colleagues without the right read it too (D110). */
export function askText({ loid, deal_name, business_name, paid_on, status }: Payment): string {
  const name = deal_name ?? business_name
  const deal = name === null ? loid : `${name} (${loid})`
  const month = paid_on === null ? 'no date yet' : monthInWords(paid_on)
  return `Question about our payment for ${deal}: ${month}, ${status ?? 'no status'}. Could you tell us where it stands?`
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** For example 'November 2026', for a day or a month. */
export function monthInWords(day: string): string {
  const [year, month] = day.split('-')
  return `${MONTHS[Number(month) - 1]} ${year}`
}

export const askAboutPayment = defineRoute({
  method: 'POST',
  path: '/payments/:id/ask',
  auth: 'session',
  least: 'member',
  personRight: 'money',
  answer: z.object({ note: Note }),
  status: 201,
  creates: true,
  summary: 'Asks the lender about the payment of a deal, by LOID or id, with a note that names deal, month and status.',
})
