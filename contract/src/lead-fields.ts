import * as z from 'zod/mini'
import { INDUSTRIES, ISO_COUNTRIES, LOAN_TERMS, LOAN_TYPES, STATES, TIMES_IN_BUSINESS } from './choices.ts'
import { cleanText } from './clean-text.ts'
import {
  ADDITIONAL_INFO_LENGTH_MAX,
  BUSINESS_NAME_LENGTH_MAX,
  BUSINESS_NUMBER_LENGTH_MAX,
  LOAN_PURPOSE_LENGTH_MAX,
  NAME_LENGTH_MAX,
  PHONE_LENGTH_MAX,
} from './limits.ts'
import { optionalMoney } from './money-field.ts'
import { INVALID_PHONE, readPhone } from './phone.ts'
import { describeFields, type TypedName } from './record-fields.ts'
import { Email, lengthAtMost, optionalChoice, optionalText, requiredText, storable } from './text.ts'

const Text = z.nullable(z.string())
const PERSONAL_TEXT = { value: Text, isPersonal: true, isShared: true } as const
const WORD = { value: Text, isPersonal: false, isShared: true } as const
const AMOUNT = { value: z.nullable(z.number()), isPersonal: false, isShared: true } as const

export const BUSINESS_NAME_MISSING = 'Business name is required'

/**
 * The fields of a lead that portal and CRM share, first those that partners enter, in the form's order. The partner API
 * demands fewer of them.
 */
export const LEAD_RECORD = describeFields({
  first_name: { ...PERSONAL_TEXT, typed: { name: 'firstName', rule: requiredText('First name', NAME_LENGTH_MAX) } },
  last_name: { ...PERSONAL_TEXT, typed: { name: 'lastName', rule: requiredText('Last name', NAME_LENGTH_MAX) } },
  email: { ...PERSONAL_TEXT, typed: { name: 'email', rule: Email } },
  phone: {
    ...PERSONAL_TEXT,
    typed: {
      name: 'phone',
      rule: requiredText('Phone number', PHONE_LENGTH_MAX).check(
        z.refine((phone) => phone === '' || readPhone(phone) !== null, INVALID_PHONE),
      ),
    },
  },
  partner_iso: { ...WORD, typed: { name: 'iso', rule: optionalChoice('ISO', ISO_COUNTRIES) } },
  state: { ...WORD, typed: { name: 'state', rule: optionalChoice('State', STATES) } },
  business_name: {
    ...PERSONAL_TEXT,
    // Blanks stay, because the form lets them pass, and the applicant's name replaces them.
    typed: {
      name: 'businessName',
      rule: z
        .string({ error: BUSINESS_NAME_MISSING })
        .check(
          z.overwrite(cleanText),
          lengthAtMost('Business name', BUSINESS_NAME_LENGTH_MAX),
          storable('Business name'),
        ),
    },
  },
  business_industry: { ...WORD, typed: { name: 'businessIndustry', rule: optionalChoice('Industry', INDUSTRIES) } },
  time_in_business: {
    ...WORD,
    typed: { name: 'timeInBusiness', rule: optionalChoice('Time in business', TIMES_IN_BUSINESS) },
  },
  business_abn: {
    ...PERSONAL_TEXT,
    typed: { name: 'businessAbn', rule: optionalText('ABN', BUSINESS_NUMBER_LENGTH_MAX) },
  },
  sales_monthly: { ...AMOUNT, typed: { name: 'monthlyTurnover', rule: optionalMoney('Monthly turnover') } },
  loan_amount: { ...AMOUNT, typed: { name: 'loanAmount', rule: optionalMoney('Loan amount') } },
  loan_type: { ...WORD, typed: { name: 'loanType', rule: optionalChoice('Loan type', LOAN_TYPES) } },
  loan_purpose: {
    ...PERSONAL_TEXT,
    typed: { name: 'loanPurpose', rule: optionalText('Loan purpose', LOAN_PURPOSE_LENGTH_MAX) },
  },
  loan_term: { ...WORD, typed: { name: 'loanTerm', rule: optionalChoice('Loan term', LOAN_TERMS) } },
  owns_property: {
    value: z.boolean(),
    isPersonal: false,
    isShared: true,
    typed: { name: 'ownsProperty', rule: z.nullish(z.boolean({ error: 'Owns property must be true or false' })) },
  },
  property_value: { ...AMOUNT, typed: { name: 'propertyValue', rule: optionalMoney('Property value') } },
  property_debt: { ...AMOUNT, typed: { name: 'propertyDebt', rule: optionalMoney('Property debt') } },
  description: {
    ...PERSONAL_TEXT,
    typed: { name: 'additionalInfo', rule: optionalText('Additional information', ADDITIONAL_INFO_LENGTH_MAX) },
  },
  lead_status: { value: z.string(), isPersonal: false, isShared: true },
  lead_source: WORD,
  brand: { value: Text, isPersonal: false, isShared: false },
  permit_link: { value: Text, isPersonal: true, isShared: false },
})

/** What the lender says of a lead (D112). All are null where the lender's CRM lacks the fields. */
export const LEAD_VERDICT = describeFields({
  partner_verdict: WORD,
  verdict_reason: PERSONAL_TEXT,
  /** The last day, YYYY-MM-DD, on which the lead counts as this partner's. */
  protected_until: WORD,
})

/** What the API documentation says of each field that partners enter. */
export const LEAD_TEXTS: Record<TypedName<typeof LEAD_RECORD>, string> = {
  firstName: 'First name of the applicant',
  lastName: 'Last name of the applicant',
  email: 'Email address of the applicant; an email address or a phone number is required',
  phone: 'Australian or New Zealand phone number of the applicant; stored with +61 or +64',
  iso: 'Country that a phone number without +61 or +64 belongs to (also: `partner_iso`)',
  state: 'Australian state or territory',
  businessName: 'Name of the applicant’s business',
  businessIndustry: 'Industry (also: `industry`)',
  timeInBusiness: 'How long the business has existed',
  businessAbn: 'ABN, or NZBN in New Zealand (also: `business_uin`)',
  monthlyTurnover: 'Monthly turnover in AUD',
  loanAmount: 'Amount wanted in AUD (also: `amount`)',
  loanType: 'Kind of loan',
  loanPurpose: 'What the loan is for',
  loanTerm: 'Term wanted',
  ownsProperty: 'Whether the applicant owns property',
  propertyValue: 'Value of the property in AUD; kept only with `owns_property`',
  propertyDebt: 'Debt on the property in AUD; kept only with `owns_property`',
  additionalInfo: 'Anything else (also: `description`)',
}
