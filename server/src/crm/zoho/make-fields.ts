import { INDUSTRIES, ISO_COUNTRIES, LOAN_TERMS, LOAN_TYPES, TIMES_IN_BUSINESS } from '@portal/contract/choices.ts'
import type { DealFields, FieldMap, LeadFields } from './field-map.ts'

/** The settings from which Zoho makes a custom field. */
export interface FieldToMake {
  module: string
  /** The field's name in the field map. Zoho makes the API name from the label. */
  api_name: string
  field_label: string
  data_type: string
  [setting: string]: unknown
}

type Making = { data_type: string; [setting: string]: unknown }

const amount: Making = {
  data_type: 'currency',
  length: 16,
  decimal_place: 2,
  currency: { rounding_option: 'normal', precision: '2' },
}
const flag: Making = { data_type: 'boolean' }
const link: Making = { data_type: 'website', length: 450 }
const email: Making = { data_type: 'email', length: 100 }
const phone: Making = { data_type: 'phone', length: 30 }
const purpose: Making = { data_type: 'textarea', length: 2_000, textarea: { type: 'small' } }
const loid: Making = { ...text(20), unique: { case_sensitive: false } }

/**
 * The fields that the portal can make, besides the lookup to the partner. Except for a lead's industry, no organisation
 * has them from the start (D42). All other fields are Zoho's own, which nobody can make.
 */
const PARTNERS: Partial<Record<keyof FieldMap['partners']['fields'], Making>> = {
  email,
  first_name: text(100),
  last_name: text(100),
  phone,
}
const LEADS: Partial<Record<keyof LeadFields, Making>> = {
  loid,
  loan_amount: amount,
  loan_type: choice(LOAN_TYPES),
  loan_purpose: purpose,
  loan_term: choice(LOAN_TERMS),
  sales_monthly: amount,
  brand: text(120),
  permit_link: link,
  business_industry: choice(INDUSTRIES),
  time_in_business: choice(TIMES_IN_BUSINESS),
  business_abn: text(30),
  partner_iso: choice(ISO_COUNTRIES),
  owns_property: flag,
  property_value: amount,
  property_debt: amount,
  referral_consent: text(255),
  submitted_by: text(255),
}
const DEALS: Partial<Record<keyof DealFields, Making>> = {
  loid,
  business_name: text(255),
  email,
  phone,
  loan_type: choice(LOAN_TYPES),
  loan_purpose: purpose,
  loan_term: choice(LOAN_TERMS),
  partner_iso: choice(ISO_COUNTRIES),
  submitted_by: text(255),
}

/** The settings of each field that the portal can make, by `Module.Field`. */
export function fieldsToMake({ partners, leads, deals }: FieldMap): Map<string, FieldToMake> {
  const partner: Making = { data_type: 'lookup', lookup: { module: { api_name: partners.module } } }
  const all = [
    ...named(partners.module, partners.fields, PARTNERS),
    ...named(leads.module, leads.fields, { ...LEADS, partner }),
    ...named(deals.module, deals.fields, { ...DEALS, partner }),
  ]
  return new Map(all.map((field) => [`${field.module}.${field.api_name}`, field]))
}

function named(module: string, names: Record<string, string>, makings: Record<string, Making>): FieldToMake[] {
  return Object.entries(makings).flatMap(([ours, making]) => {
    const api_name = names[ours]
    return api_name ? [{ module, api_name, field_label: api_name.replaceAll('_', ' '), ...making }] : []
  })
}

function text(length: number): Making {
  return { data_type: 'text', length }
}

function choice(choices: readonly string[]): Making {
  const pick_list_values = choices.map((word) => ({ display_value: word, actual_value: word }))
  return { data_type: 'picklist', pick_list_values }
}
