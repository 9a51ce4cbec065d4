import * as z from 'zod/mini'
import { Loid } from './loid.ts'
import { defineRoute } from './route.ts'

const Text = z.nullable(z.string())

/** What a commission is to the partner: paid, still to come, or cancelled by the lender. */
export const PAYMENT_STATES = ['paid', 'coming', 'cancelled'] as const
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
