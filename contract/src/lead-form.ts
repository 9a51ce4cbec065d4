import * as z from 'zod/mini'
import { normalizeBusinessNumber } from './abn.ts'
import { DEFAULT_LEAD_SOURCE, type IsoCountry } from './choices.ts'
import { BUSINESS_NAME_MISSING, LEAD_RECORD } from './lead-fields.ts'
import { CHOICE_LENGTH_MAX, NAME_LENGTH_MAX } from './limits.ts'
import { typedMoney } from './money-field.ts'
import { isUndecided, readPhone } from './phone.ts'
import { rulesOf } from './record-fields.ts'
import { optionalText } from './text.ts'

/** The version of the consent text above the form's Submit button (D18a). A new text gets a new version. */
export const CONSENT_VERSION = '2026-11'
export const CONSENT_TEXT =
  'By submitting, you confirm that the applicant has agreed to be referred and to be contacted about this application.'

export const REQUIRED_LEAD_FIELDS = {
  firstName: 'First Name',
  lastName: 'Last Name',
  email: 'Email',
  phone: 'Phone',
  businessName: 'Business Name',
} as const

/** The message of section 5, for example `Please fill in all required fields: First Name, Phone`. */
export function missingFieldsText(missing: (keyof typeof REQUIRED_LEAD_FIELDS)[]): string {
  return `Please fill in all required fields: ${missing.map((name) => REQUIRED_LEAD_FIELDS[name]).join(', ')}`
}

/** The form's fields (section 3). The partner API requires fewer of them. A call, which the bundler can remove. */
export const LEAD_FIELDS = Object.assign(rulesOf(LEAD_RECORD), {
  leadSource: optionalText('Lead source', CHOICE_LENGTH_MAX),
  consentVersion: optionalText('Consent version', NAME_LENGTH_MAX),
})

/**
 * A lead in a request to the server. The parsed lead is ready to store: the phone number in E.164, `iso` set from the
 * phone number, amounts as numbers, and null or a default for each absent field. The applicant's name replaces a
 * blank or absent business name (D48). The lead source is always the portal.
 */
export const NewLead = z.pipe(
  z.object({
    ...LEAD_FIELDS,
    businessName: z.pipe(
      z.nullish(LEAD_FIELDS.businessName),
      z.transform((name) => name ?? ''),
    ),
  }),
  z.transform(readyToStore),
)
export type NewLead = z.output<typeof NewLead>

/**
 * A lead on the form, which also requires a business name. An amount that is not one amount is read as section 5 says,
 * and the form shows the result (D141).
 */
export const NewLeadOnForm = z.pipe(
  z.object({
    ...LEAD_FIELDS,
    businessName: LEAD_FIELDS.businessName.check(z.minLength(1, BUSINESS_NAME_MISSING)),
    monthlyTurnover: typedMoney('Monthly turnover'),
    loanAmount: typedMoney('Loan amount'),
    propertyValue: typedMoney('Property value'),
    propertyDebt: typedMoney('Property debt'),
  }),
  z.transform(readyToStore),
)
export type NewLeadForm = z.input<typeof NewLeadOnForm>

interface CheckedForm {
  firstName: string | null
  lastName: string | null
  phone: string | null
  businessName: string
  businessAbn: string | null
  ownsProperty?: boolean | null | undefined
  propertyValue: number | null
  propertyDebt: number | null
  iso: IsoCountry | null
  state?: string | null
}

export function readyToStore<Form extends CheckedForm>(form: Form) {
  return {
    ...form,
    ...readyPhone(form),
    businessName: form.businessName.trim() || [form.firstName, form.lastName].filter(Boolean).join(' '),
    businessAbn: form.businessAbn && normalizeBusinessNumber(form.businessAbn),
    leadSource: DEFAULT_LEAD_SOURCE,
    ownsProperty: form.ownsProperty ?? false,
    propertyValue: form.ownsProperty ? form.propertyValue : null,
    propertyDebt: form.ownsProperty ? form.propertyDebt : null,
  }
}

/**
 * The phone number in E.164, and its country. Without a number, the country is the chosen one, or Australia. If nothing
 * in the form decides between two countries, `phoneInNewZealand` is the number's other reading (D120).
 */
export function readyPhone<Phone extends string | null>(form: {
  phone: Phone
  iso: IsoCountry | null
  state?: string | null
}) {
  const reading = form.phone === null ? null : readPhone(form.phone, form.iso)
  const isOpen = form.phone !== null && !form.iso && !form.state && isUndecided(form.phone)
  return {
    phone: reading?.e164 ?? form.phone,
    iso: reading?.country ?? form.iso ?? ('AU' as const),
    phoneInNewZealand: isOpen && form.phone ? (readPhone(form.phone, 'NZ')?.e164 ?? null) : null,
  }
}

export interface InUsualCountry {
  phone: string | null
  iso: IsoCountry
  phoneInNewZealand: string | null
}

/** The form with its phone number read as that of the country that most of the partner's leads are from (D120). */
export function inUsualCountry<Form extends InUsualCountry>(form: Form, usual: IsoCountry): Form {
  return usual === 'NZ' && form.phoneInNewZealand ? { ...form, phone: form.phoneInNewZealand, iso: 'NZ' } : form
}
