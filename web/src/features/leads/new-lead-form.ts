import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { CONSENT_VERSION, type NewLead, type NewLeadForm } from '@portal/contract/lead-form.ts'
import { LARGE_LOAN_AMOUNT } from '@portal/contract/limits.ts'
import { readTypedMoney } from '@portal/contract/money.ts'
import { eachOf, keysOf, rulesOf } from '@portal/contract/record-fields.ts'
import type { UseFormReturn } from 'react-hook-form'
import { Failure } from '../../api/failure.ts'

export type LeadForm = UseFormReturn<NewLeadForm, unknown, NewLead>

/** The names are in the same order as the fields on the page, because the first field in error gets the focus. */
export const EMPTY_LEAD: Required<NewLeadForm> = {
  ...eachOf(keysOf(rulesOf(LEAD_RECORD)), ''),
  iso: null,
  ownsProperty: false,
  leadSource: null,
  consentVersion: CONSENT_VERSION,
}

export type LeadFieldName = keyof NewLeadForm
export const LEAD_FIELD_NAMES = Object.keys(EMPTY_LEAD).filter(isLeadFieldName)

function isLeadFieldName(name: string): name is LeadFieldName {
  return name in EMPTY_LEAD
}

/** Whether any field has been filled in. This also works after the form has been removed from the page. */
export function hasEntries(form: LeadForm): boolean {
  const values = form.getValues()
  return LEAD_FIELD_NAMES.some((name) => values[name] !== EMPTY_LEAD[name])
}

export const NO_PROPERTY_VALUE = 'Property value is recommended when using property as security'
export const LARGE_LOAN = 'Large loan amounts may require additional documentation'

const MONEY_NAMES = ['monthlyTurnover', 'loanAmount', 'propertyValue', 'propertyDebt'] as const
export type MoneyName = (typeof MONEY_NAMES)[number]

type Amount = NewLeadForm['loanAmount']

/** The field's value when the person leaves it. */
export function amountAsTyped(value: Amount): number | '' {
  return (typeof value === 'number' ? value : readTypedMoney(value ?? '')) ?? ''
}

/**
 * Formats the amounts on submission, so that the form shows what is submitted. A field formats its own amount only when
 * it loses the focus, and neither Enter nor a click on the submit button moves the focus out of the field.
 */
export function settleAmounts(form: LeadForm) {
  for (const name of MONEY_NAMES) form.setValue(name, amountAsTyped(form.getValues(name)))
}

export function lacksPropertyValue(ownsProperty: boolean | null | undefined, value: Amount): boolean {
  return ownsProperty === true && !(amountOf(value) > 0)
}

export function isLargeLoan(amount: Amount): boolean {
  return amountOf(amount) > LARGE_LOAN_AMOUNT
}

/** The warnings of section 5. They do not stop the submission. */
export function softWarnings({ ownsProperty, propertyValue, loanAmount }: NewLead): string[] {
  return [
    ...(lacksPropertyValue(ownsProperty, propertyValue) ? [NO_PROPERTY_VALUE] : []),
    ...(isLargeLoan(loanAmount) ? [LARGE_LOAN] : []),
  ]
}

function amountOf(amount: Amount): number {
  return (typeof amount === 'string' ? readTypedMoney(amount) : amount) ?? 0
}

/** Shows each field message from the server on its field. The first field with a message gets the focus. */
export function showFieldErrors(form: LeadForm, error: unknown) {
  if (!(error instanceof Failure)) return
  const named = LEAD_FIELD_NAMES.filter((name) => error.fields[name] !== undefined)
  for (const [position, name] of named.entries()) {
    form.setError(name, { type: 'server', message: error.fields[name] }, { shouldFocus: position === 0 })
  }
}
