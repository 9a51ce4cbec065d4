import * as z from 'zod/mini'
import { SUBMITTED_STAGE } from './choices.ts'
import { optionalDate } from './dates.ts'
import { BUSINESS_NAME_MISSING, LEAD_TEXTS } from './lead-fields.ts'
import { CONSENT_VERSION, LEAD_FIELDS, readyPhone, readyToStore } from './lead-form.ts'
import { BUSINESS_NAME_LENGTH_MAX, CHOICE_LENGTH_MAX, NAME_LENGTH_MAX } from './limits.ts'
import { optionalMoney } from './money-field.ts'
import { inAnySpelling } from './spelling.ts'
import { optionalText, orNothing } from './text.ts'

/** The form's fields. Only a business name, and an email address or a phone number, are required (D38). */
const LEAD_SHAPE = {
  ...LEAD_FIELDS,
  firstName: optionalText('First name', NAME_LENGTH_MAX),
  lastName: optionalText('Last name', NAME_LENGTH_MAX),
  email: orNothing(LEAD_FIELDS.email),
  phone: orNothing(LEAD_FIELDS.phone),
}

/** Other names under which integrators know a lead's fields. */
export const LEAD_ALIASES = {
  industry: 'businessIndustry',
  businessUin: 'businessAbn',
  abn: 'businessAbn',
  salesMonthly: 'monthlyTurnover',
  amount: 'loanAmount',
  partnerIso: 'iso',
  description: 'additionalInfo',
} as const

const CONTACTS = ['email', 'phone'] as const

const NO_NAME = { error: BUSINESS_NAME_MISSING, path: ['businessName'] }

/** A lead as another system submits it. The result has the form's fields, but more of them may be null. */
export const LeadSubmission = inAnySpelling(
  z.pipe(z.strictObject(LEAD_SHAPE).check(z.refine(isNamed, NO_NAME)), z.transform(readyToStore)),
  {
    shape: LEAD_SHAPE,
    oneOf: CONTACTS,
    aliases: LEAD_ALIASES,
    fields: {
      ...LEAD_TEXTS,
      leadSource: 'Accepted but ignored: the source of every lead is Partner Portal',
      consentVersion: `Version of the consent text that the applicant agreed to (currently ${CONSENT_VERSION}). Without it, no consent is recorded`,
    },
  },
)
export type LeadSubmission = z.output<typeof LeadSubmission>

/** A field that is accepted with any value and ignored. */
const NOT_USED = z.optional(z.unknown())

const DEAL_SHAPE = {
  dealName: optionalText('Deal name', CHOICE_LENGTH_MAX),
  businessName: LEAD_FIELDS.businessName,
  contactName: optionalText('Contact name', BUSINESS_NAME_LENGTH_MAX),
  firstName: LEAD_SHAPE.firstName,
  lastName: LEAD_SHAPE.lastName,
  email: LEAD_SHAPE.email,
  phone: LEAD_SHAPE.phone,
  amount: optionalMoney('Amount'),
  loanType: LEAD_FIELDS.loanType,
  loanPurpose: LEAD_FIELDS.loanPurpose,
  loanTerm: LEAD_FIELDS.loanTerm,
  closingDate: optionalDate('Closing date'),
  description: LEAD_FIELDS.additionalInfo,
  iso: LEAD_FIELDS.iso,
  stage: optionalText('Stage', CHOICE_LENGTH_MAX),
  leadSource: LEAD_FIELDS.leadSource,
  // The next fields let a caller send back a deal that it has read (D46).
  id: NOT_USED,
  loid: NOT_USED,
  probability: NOT_USED,
  createdAt: NOT_USED,
}

/** A deal as another system submits it. */
export const DealSubmission = inAnySpelling(
  z.pipe(
    z.strictObject(DEAL_SHAPE).check(z.refine(isNamed, NO_NAME)),
    z.transform((form) => {
      const applicant = [form.firstName, form.lastName].filter(Boolean).join(' ')
      const businessName = form.businessName.trim() || applicant
      return {
        ...form,
        ...readyPhone(form),
        businessName,
        dealName: form.dealName ?? businessName,
        contactName: form.contactName ?? (applicant || null),
      }
    }),
  ),
  {
    shape: DEAL_SHAPE,
    oneOf: CONTACTS,
    aliases: {
      loanAmount: 'amount',
      contactPerson: 'contactName',
      additionalInfo: 'description',
      partnerIso: 'iso',
    },
    fields: {
      businessName: 'Name of the applicant’s business',
      email: 'Email address of the applicant; an email address or a phone number is required',
      phone: 'Australian or New Zealand phone number of the applicant; stored with +61 or +64',
      dealName: 'Name of the deal; by default the business’s name',
      contactName: 'The person to call (also: `first_name` and `last_name`)',
      firstName: 'First name of the contact, if `contact_name` is not given',
      lastName: 'Last name of the contact, if `contact_name` is not given',
      amount: 'Amount in AUD (also: `loan_amount`)',
      loanType: 'Kind of loan',
      loanPurpose: 'What the loan is for',
      loanTerm: 'Term of the loan',
      closingDate: 'Day on which the deal is expected to close, in the form YYYY-MM-DD',
      description: 'Anything else (also: `additional_info`)',
      iso: 'Country that a phone number without +61 or +64 belongs to (also: `partner_iso`)',
      stage: `Accepted but ignored: a new deal begins as ${SUBMITTED_STAGE}, or in the lender’s first stage if the lender has no such stage. Only the lender moves the deal to another stage`,
      leadSource: 'Accepted but ignored: the source of every deal is Partner Portal',
      id: 'Accepted but ignored: the portal gives every deal its id',
      loid: 'Accepted but ignored: the portal gives every deal its LOID',
      probability: 'Accepted but ignored: only the lender estimates the probability',
      createdAt: 'Accepted but ignored: a deal is created when it arrives',
    },
  },
)
export type DealSubmission = z.output<typeof DealSubmission>

/** Whether there is a business name, or an applicant's name that can replace it (D48). */
function isNamed(form: { businessName: string; firstName: string | null; lastName: string | null }): boolean {
  return form.businessName.trim() !== '' || form.firstName !== null || form.lastName !== null
}
