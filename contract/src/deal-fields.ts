import * as z from 'zod/mini'
import { describeFields } from './record-fields.ts'

const Text = z.nullable(z.string())
const PERSONAL_TEXT = { value: Text, isPersonal: true, isShared: true } as const
const WORD = { value: Text, isPersonal: false, isShared: true } as const
const AMOUNT = { value: z.nullable(z.number()), isPersonal: false, isShared: true } as const

/** The fields of a deal that portal and CRM share. */
export const DEAL_RECORD = describeFields({
  deal_name: PERSONAL_TEXT,
  business_name: PERSONAL_TEXT,
  contact_name: PERSONAL_TEXT,
  email: PERSONAL_TEXT,
  phone: PERSONAL_TEXT,
  amount: AMOUNT,
  loan_type: WORD,
  loan_purpose: PERSONAL_TEXT,
  loan_term: WORD,
  stage: { value: z.string(), isPersonal: false, isShared: true },
  lead_source: WORD,
  /** YYYY-MM-DD */
  closing_date: WORD,
  probability: AMOUNT,
  description: PERSONAL_TEXT,
  partner_iso: WORD,
})

/** What the lender pays for a deal (D110), which only people who see money are told (D111). */
export const DEAL_COMMISSION = describeFields({
  partner_commission: { ...AMOUNT, isShared: false },
  commission_status: { ...WORD, isShared: false },
  /** YYYY-MM-DD */
  commission_paid_on: { ...WORD, isShared: false },
  commission_note: { ...PERSONAL_TEXT, isShared: false },
})
