import {
  COMMISSION_STATUSES,
  GST_REGISTERED,
  INDUSTRIES,
  ISO_COUNTRIES,
  LOAN_TERMS,
  LOAN_TYPES,
  PORTAL_ACCESS,
  TIMES_IN_BUSINESS,
} from '@portal/contract/choices.ts'
import type { FieldGroup } from '@portal/contract/field-groups.ts'
import { BUSINESS_NUMBER_LENGTH_MAX } from '@portal/contract/limits.ts'

/** Zoho's settings of a custom field. */
export interface Making {
  data_type: string
  [setting: string]: unknown
}

interface Field {
  /** The CRM's name for the field, unless CRM_FIELD_MAP gives another. */
  name: string
  /** Absent for Zoho's own fields, which nobody can make. */
  making?: Making
}

/** A field that an organisation may lack. Such a field is neither asked for nor shown where it is missing. */
interface OptionalField extends Field {
  making: Making
  group: FieldGroup
}

const amount: Making = {
  data_type: 'currency',
  length: 16,
  decimal_place: 2,
  currency: { rounding_option: 'normal', precision: '2' },
}
const wholeNumber: Making = { data_type: 'integer', length: 9 }
/** How long a problem of a partner may be in the CRM. */
export const PORTAL_PROBLEM_LENGTH = 255
const flag: Making = { data_type: 'boolean' }
const date: Making = { data_type: 'date' }
const link: Making = { data_type: 'website', length: 450 }
const email: Making = { data_type: 'email', length: 100 }
const phone: Making = { data_type: 'phone', length: 30 }
const purpose: Making = { data_type: 'textarea', length: 2_000, textarea: { type: 'small' } }
const loid: Making = { ...text(20), unique: { case_sensitive: false } }
/** The module that it names depends on the field map. */
export const PARTNER_LOOKUP: Making = { data_type: 'lookup' }

/**
 * The fields that the portal reads and writes, by the portal's own names (D42). This is their only description: the field
 * map, the reading, `crm setup` and `crm check` follow it. Except for a lead's industry, no organisation has the fields
 * with settings from the start.
 */
export const FIELDS = {
  partners: {
    module: 'Partners',
    fields: {
      business_name: own('Name'),
      email: made('Email', email),
      first_name: made('First_Name', text(100)),
      last_name: made('Last_Name', text(100)),
      phone: made('Phone', phone),
      manager_name: optional('manager', 'Partner_Manager_Name', text(120)),
      manager_phone: optional('manager', 'Partner_Manager_Phone', phone),
      manager_email: optional('manager', 'Partner_Manager_Email', email),
      portal_access: optional('access', 'Portal_Access', choice(PORTAL_ACCESS)),
      portal_access_reason: optional('access', 'Portal_Access_Reason', text(255)),
      portal_people: optional('facts', 'Portal_People', wholeNumber),
      portal_last_seen: optional('facts', 'Portal_Last_Seen', date),
      portal_leads_90_days: optional('facts', 'Portal_Leads_90_Days', wholeNumber),
      portal_won_90_days: optional('facts', 'Portal_Won_90_Days', wholeNumber),
      portal_waiting: optional('facts', 'Portal_Waiting', wholeNumber),
      portal_problem: optional('facts', 'Portal_Problem', text(PORTAL_PROBLEM_LENGTH)),
      agreement_version: optional('agreement', 'Agreement_Version', text(50)),
      agreed_on: optional('agreement', 'Agreed_On', date),
      abn: optional('tax', 'ABN', text(BUSINESS_NUMBER_LENGTH_MAX)),
      gst_registered: optional('tax', 'GST_Registered', choice(GST_REGISTERED)),
    },
  },
  leads: {
    module: 'Leads',
    fields: {
      loid: made('LOID', loid),
      partner: made('Partner', PARTNER_LOOKUP),
      business_name: own('Company'),
      first_name: own('First_Name'),
      last_name: own('Last_Name'),
      email: own('Email'),
      phone: own('Phone'),
      state: own('State'),
      loan_amount: made('Loan_Amount', amount),
      loan_type: made('Loan_Type', choice(LOAN_TYPES)),
      loan_purpose: made('Loan_Purpose', purpose),
      loan_term: made('Loan_Term', choice(LOAN_TERMS)),
      sales_monthly: made('Sales_Monthly', amount),
      lead_status: own('Lead_Status'),
      lead_source: own('Lead_Source'),
      brand: made('Brand', text(120)),
      description: own('Description'),
      permit_link: made('Permit_Link', link),
      business_industry: made('Industry', choice(INDUSTRIES)),
      time_in_business: made('Time_in_Business', choice(TIMES_IN_BUSINESS)),
      business_abn: made('Business_ABN', text(30)),
      partner_iso: made('Partner_ISO', choice(ISO_COUNTRIES)),
      owns_property: made('Owns_Property', flag),
      property_value: made('Property_Value', amount),
      property_debt: made('Property_Debt', amount),
      referral_consent: made('Referral_Consent', text(255)),
      submitted_by: made('Submitted_By', text(255)),
      partner_verdict: optional('verdict', 'Partner_Verdict', text(120)),
      verdict_reason: optional('verdict', 'Verdict_Reason', text(255)),
      protected_until: optional('verdict', 'Protected_Until', date),
    },
  },
  deals: {
    module: 'Deals',
    fields: {
      loid: made('LOID', loid),
      partner: made('Partner', PARTNER_LOOKUP),
      deal_name: own('Deal_Name'),
      business_name: made('Business_Name', text(255)),
      account: own('Account_Name'),
      contact: own('Contact_Name'),
      email: made('Email', email),
      phone: made('Phone', phone),
      amount: own('Amount'),
      loan_type: made('Loan_Type', choice(LOAN_TYPES)),
      loan_purpose: made('Loan_Purpose', purpose),
      loan_term: made('Loan_Term', choice(LOAN_TERMS)),
      stage: own('Stage'),
      lead_source: own('Lead_Source'),
      closing_date: own('Closing_Date'),
      probability: own('Probability'),
      description: own('Description'),
      partner_iso: made('Partner_ISO', choice(ISO_COUNTRIES)),
      submitted_by: made('Submitted_By', text(255)),
      partner_commission: optional('payments', 'Partner_Commission', amount),
      commission_status: optional('payments', 'Commission_Status', choice(COMMISSION_STATUSES)),
      commission_paid_on: optional('payments', 'Commission_Paid_On', date),
      commission_note: optional('payments', 'Commission_Note', text(255)),
    },
  },
}

/** Adds the type of the names, which `Object.entries` loses. */
export function fieldsOf(module: keyof typeof FIELDS): [string, Field | OptionalField][] {
  return Object.entries(FIELDS[module].fields)
}

export type OwnFields<Module extends keyof typeof FIELDS> = (typeof FIELDS)[Module]['fields']

/** The names of all fields of a module, and of the fields that an organisation has: optional fields may be missing. */
export type Names<Fields> = { [Key in keyof Fields]: string }
export type NamesThere<Fields> = {
  [Key in keyof Fields as Fields[Key] extends OptionalField ? never : Key]: string
} & { [Key in keyof Fields as Fields[Key] extends OptionalField ? Key : never]?: string }

function own(name: string): Field {
  return { name }
}

function made(name: string, making: Making): Field {
  return { name, making }
}

function optional(group: FieldGroup, name: string, making: Making): OptionalField {
  return { name, making, group }
}

function text(length: number): Making {
  return { data_type: 'text', length }
}

function choice(choices: readonly string[]): Making {
  const pick_list_values = choices.map((word) => ({ display_value: word, actual_value: word }))
  return { data_type: 'picklist', pick_list_values }
}
