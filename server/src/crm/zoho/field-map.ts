import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'
import type { CrmModule } from '../../records/crm-records.ts'

/** The CRM's names for the fields that the portal reads and writes (D42). */
const BUILT_IN = {
  partners: {
    module: 'Partners',
    fields: {
      business_name: 'Name',
      email: 'Email',
      first_name: 'First_Name',
      last_name: 'Last_Name',
      phone: 'Phone',
    },
  },
  leads: {
    module: 'Leads',
    fields: {
      loid: 'LOID',
      partner: 'Partner',
      business_name: 'Company',
      first_name: 'First_Name',
      last_name: 'Last_Name',
      email: 'Email',
      phone: 'Phone',
      state: 'State',
      loan_amount: 'Loan_Amount',
      loan_type: 'Loan_Type',
      loan_purpose: 'Loan_Purpose',
      loan_term: 'Loan_Term',
      sales_monthly: 'Sales_Monthly',
      lead_status: 'Lead_Status',
      lead_source: 'Lead_Source',
      brand: 'Brand',
      description: 'Description',
      permit_link: 'Permit_Link',
      business_industry: 'Industry',
      time_in_business: 'Time_in_Business',
      business_abn: 'Business_ABN',
      partner_iso: 'Partner_ISO',
      owns_property: 'Owns_Property',
      property_value: 'Property_Value',
      property_debt: 'Property_Debt',
      referral_consent: 'Referral_Consent',
      submitted_by: 'Submitted_By',
    },
  },
  deals: {
    module: 'Deals',
    fields: {
      loid: 'LOID',
      partner: 'Partner',
      deal_name: 'Deal_Name',
      business_name: 'Business_Name',
      account: 'Account_Name',
      contact: 'Contact_Name',
      email: 'Email',
      phone: 'Phone',
      amount: 'Amount',
      loan_type: 'Loan_Type',
      loan_purpose: 'Loan_Purpose',
      loan_term: 'Loan_Term',
      stage: 'Stage',
      lead_source: 'Lead_Source',
      closing_date: 'Closing_Date',
      probability: 'Probability',
      description: 'Description',
      partner_iso: 'Partner_ISO',
      submitted_by: 'Submitted_By',
    },
  },
}

export type FieldMap = typeof BUILT_IN
export type LeadFields = FieldMap['leads']['fields']
export type DealFields = FieldMap['deals']['fields']

export const DEFAULT_FIELD_MAP: FieldMap = BUILT_IN

export function moduleName({ leads, deals }: FieldMap, module: CrmModule): string {
  return module === 'Leads' ? leads.module : deals.module
}

/** Names become part of addresses and queries, so only Zoho API names are allowed. */
const ApiName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, 'must be a Zoho API name such as Loan_Amount'))

const Overrides = z.strictObject({
  partners: z.optional(moduleOverrides(BUILT_IN.partners.fields)),
  leads: z.optional(moduleOverrides(BUILT_IN.leads.fields)),
  deals: z.optional(moduleOverrides(BUILT_IN.deals.fields)),
})

/**
 * Returns the built-in map, in which the names from `json` replace the built-in names, as in
 * `{"leads":{"fields":{"loan_amount":"Loan_Amount1"}}}`. If the file is wrong, throws an error that says where.
 */
export function parseFieldMap(json: string): FieldMap {
  // `zod/mini` has no error messages of its own.
  const parsed = Overrides.safeParse(parseJson(json), { error: en().localeError })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the file'
    throw new Error(`CRM_FIELD_MAP: ${where}: ${issue?.message ?? 'is not valid'}`)
  }
  const { partners, leads, deals } = parsed.data
  const map: FieldMap = {
    partners: overridden('partners', BUILT_IN.partners, partners),
    leads: overridden('leads', BUILT_IN.leads, leads),
    deals: overridden('deals', BUILT_IN.deals, deals),
  }
  return map
}

function moduleOverrides<Fields extends Record<string, string>>(fields: Fields) {
  const names: (keyof Fields & string)[] = Object.keys(fields)
  return z.strictObject({
    module: z.optional(ApiName),
    fields: z.optional(z.partialRecord(z.enum(names), ApiName)),
  })
}

function overridden<Fields extends Record<string, string>>(
  name: string,
  builtIn: { module: string; fields: Fields },
  given: { module?: string | undefined; fields?: Partial<Record<keyof Fields, string>> | undefined } | undefined,
): { module: string; fields: Fields } {
  const fields: Fields = { ...builtIn.fields, ...given?.fields }
  const names = Object.values(fields)
  const twice = names.find((field, index) => names.indexOf(field) !== index)
  if (twice !== undefined) throw new Error(`CRM_FIELD_MAP: ${name}.fields: ${twice} is named twice`)
  return { module: given?.module ?? builtIn.module, fields }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new Error(`CRM_FIELD_MAP: the file is not JSON: ${String(error)}`)
  }
}
