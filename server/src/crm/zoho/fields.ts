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
import type * as z from 'zod/mini'
import {
  AccessWord,
  Amount,
  Choice,
  Fact,
  GstWord,
  ifThere,
  Line,
  LoidText,
  LongText,
  Lookup,
  Percent,
  PlainDate,
  Url,
  YesNo,
} from './wire-values.ts'

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
  /** Reads the value from a record. Absent for a field that the portal only writes. */
  read?: z.ZodMiniType
}

/** A kind of value: how it is read, and Zoho's settings of a field for it. */
interface Kind<Read extends z.ZodMiniType> {
  read: Read
  making: Making
}

/** A field that an organisation may lack. Such a field is neither asked for nor shown where it is missing. */
interface OptionalField extends Field {
  making: Making
  group: FieldGroup
}

const amount = {
  read: Amount,
  making: {
    data_type: 'currency',
    length: 16,
    decimal_place: 2,
    currency: { rounding_option: 'normal', precision: '2' },
  },
}
const wholeNumber: Making = { data_type: 'integer', length: 9 }
/** How long a problem of a partner may be in the CRM. */
export const PORTAL_PROBLEM_LENGTH = 255
const flag = { read: YesNo, making: { data_type: 'boolean' } }
const date = { read: PlainDate, making: { data_type: 'date' } }
const link = { read: Url, making: { data_type: 'website', length: 450 } }
const email = { read: Line, making: { data_type: 'email', length: 100 } }
const phone = { read: Line, making: { data_type: 'phone', length: 30 } }
const purpose = { read: LongText, making: { data_type: 'textarea', length: 2_000, textarea: { type: 'small' } } }
const loid = { read: LoidText, making: { ...text(20).making, unique: { case_sensitive: false } } }
/** The module that it names depends on the field map. */
export const PARTNER_LOOKUP: Making = { data_type: 'lookup' }
const partner = { read: Lookup, making: PARTNER_LOOKUP }

/**
 * The fields that the portal reads and writes, by the portal's own names (D42). This is their only description: the field
 * map, the reading, `crm setup` and `crm check` follow it. Except for a lead's industry, no organisation has the fields
 * with settings from the start.
 */
export const FIELDS = {
  partners: {
    module: 'Partners',
    fields: {
      business_name: own('Name', Fact),
      email: made('Email', fact(email)),
      first_name: made('First_Name', fact(text(100))),
      last_name: made('Last_Name', fact(text(100))),
      phone: made('Phone', fact(phone)),
      manager_name: optional('manager', 'Partner_Manager_Name', fact(text(120))),
      manager_phone: optional('manager', 'Partner_Manager_Phone', fact(phone)),
      manager_email: optional('manager', 'Partner_Manager_Email', fact(email)),
      portal_access: optional('access', 'Portal_Access', { ...choice(PORTAL_ACCESS), read: AccessWord }),
      portal_access_reason: optional('access', 'Portal_Access_Reason', fact(text(255))),
      portal_people: written('facts', 'Portal_People', wholeNumber),
      portal_last_seen: written('facts', 'Portal_Last_Seen', date.making),
      portal_leads_90_days: written('facts', 'Portal_Leads_90_Days', wholeNumber),
      portal_won_90_days: written('facts', 'Portal_Won_90_Days', wholeNumber),
      portal_waiting: written('facts', 'Portal_Waiting', wholeNumber),
      portal_problem: written('facts', 'Portal_Problem', text(PORTAL_PROBLEM_LENGTH).making),
      agreement_version: written('agreement', 'Agreement_Version', text(50).making),
      agreed_on: written('agreement', 'Agreed_On', date.making),
      abn: optional('tax', 'ABN', fact(text(BUSINESS_NUMBER_LENGTH_MAX))),
      gst_registered: optional('tax', 'GST_Registered', { ...choice(GST_REGISTERED), read: GstWord }),
    },
  },
  leads: {
    module: 'Leads',
    fields: {
      loid: made('LOID', loid),
      partner: made('Partner', partner),
      business_name: own('Company', Line),
      first_name: own('First_Name', Line),
      last_name: own('Last_Name', Line),
      email: own('Email', Line),
      phone: own('Phone', Line),
      state: own('State', Line),
      loan_amount: made('Loan_Amount', amount),
      loan_type: made('Loan_Type', choice(LOAN_TYPES)),
      loan_purpose: made('Loan_Purpose', purpose),
      loan_term: made('Loan_Term', choice(LOAN_TERMS)),
      sales_monthly: made('Sales_Monthly', amount),
      lead_status: own('Lead_Status', Choice),
      lead_source: own('Lead_Source', Choice),
      brand: made('Brand', text(120)),
      description: own('Description', LongText),
      permit_link: made('Permit_Link', link),
      business_industry: made('Industry', choice(INDUSTRIES)),
      time_in_business: made('Time_in_Business', choice(TIMES_IN_BUSINESS)),
      business_abn: made('Business_ABN', text(30)),
      partner_iso: made('Partner_ISO', choice(ISO_COUNTRIES)),
      owns_property: made('Owns_Property', flag),
      property_value: made('Property_Value', amount),
      property_debt: made('Property_Debt', amount),
      referral_consent: { name: 'Referral_Consent', making: text(255).making },
      submitted_by: { name: 'Submitted_By', making: text(255).making },
      partner_verdict: optional('verdict', 'Partner_Verdict', text(120)),
      verdict_reason: optional('verdict', 'Verdict_Reason', text(255)),
      protected_until: optional('verdict', 'Protected_Until', date),
    },
  },
  deals: {
    module: 'Deals',
    fields: {
      loid: made('LOID', loid),
      partner: made('Partner', partner),
      deal_name: own('Deal_Name', Line),
      business_name: made('Business_Name', text(255)),
      account: own('Account_Name', Lookup),
      contact: own('Contact_Name', Lookup),
      email: made('Email', email),
      phone: made('Phone', phone),
      amount: own('Amount', Amount),
      loan_type: made('Loan_Type', choice(LOAN_TYPES)),
      loan_purpose: made('Loan_Purpose', purpose),
      loan_term: made('Loan_Term', choice(LOAN_TERMS)),
      stage: own('Stage', Choice),
      lead_source: own('Lead_Source', Choice),
      closing_date: own('Closing_Date', PlainDate),
      probability: own('Probability', Percent),
      description: own('Description', LongText),
      partner_iso: made('Partner_ISO', choice(ISO_COUNTRIES)),
      submitted_by: { name: 'Submitted_By', making: text(255).making },
      partner_commission: optional('payments', 'Partner_Commission', amount),
      commission_status: optional('payments', 'Commission_Status', { ...choice(COMMISSION_STATUSES), read: Choice }),
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

type ReadersOf<Fields> = {
  [Key in keyof Fields as Fields[Key] extends { read: z.ZodMiniType } ? Key : never]: Fields[Key] extends {
    read: infer Read
  }
    ? Read
    : never
}

/** The reader of each field that the portal reads. */
export function readersOf<Module extends keyof typeof FIELDS>(module: Module): ReadersOf<OwnFields<Module>> {
  const readers = fieldsOf(module).flatMap(([key, { read }]) => (read ? [[key, read]] : []))
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the filter is what the type says
  return Object.fromEntries(readers) as ReadersOf<OwnFields<Module>>
}

/** The CRM's names of the fields that the portal reads. */
export function readNames(module: keyof typeof FIELDS, map: Record<string, string>): string[] {
  return fieldsOf(module).flatMap(([key, { read }]) => (read && map[key] !== undefined ? map[key] : []))
}

/** One of Zoho's own fields. */
function own<Read extends z.ZodMiniType>(name: string, read: Read) {
  return { name, read }
}

function made<Read extends z.ZodMiniType>(name: string, { read, making }: Kind<Read>) {
  return { name, read, making }
}

function optional<Read extends z.ZodMiniType>(group: FieldGroup, name: string, { read, making }: Kind<Read>) {
  return { name, read: ifThere(read), making, group }
}

/** An optional field that the portal never reads. */
function written(group: FieldGroup, name: string, making: Making) {
  return { name, making, group }
}

/** A value of a partner that does not hide the others if it cannot be read. */
function fact({ making }: { making: Making }) {
  return { read: Fact, making }
}

function text(length: number) {
  return { read: Line, making: { data_type: 'text', length } }
}

function choice(choices: readonly string[]) {
  const pick_list_values = choices.map((word) => ({ display_value: word, actual_value: word }))
  return { read: Line, making: { data_type: 'picklist', pick_list_values } }
}
