import {
  DEFAULT_LEAD_SOURCE,
  INDUSTRIES,
  ISO_COUNTRIES,
  LOAN_TERMS,
  LOAN_TYPES,
  PORTAL_ACCESS,
  SUBMITTED_STATUS,
  TIMES_IN_BUSINESS,
} from '@portal/contract/choices.ts'
import { FIELD_GROUPS } from '@portal/contract/field-groups.ts'
import { pick } from '@portal/contract/record-fields.ts'
import type { FieldMap } from '../field-map.ts'
import { usedChoices } from '../metadata.ts'
import { PIPELINE_FIELD } from '../write/fields.ts'
import { type Checked, type Trial, Wrong, WrongForAll } from './trial.ts'

/** Zoho's own field, which the field map cannot change. */
const OWNER = 'Owner'
const ALWAYS_SENT = ['loid', 'partner', 'lead_source', 'partner_iso'] as const
/** The fields of a lead that its deal shows, and the deal's own. */
const CONVERTED = [
  ['loid', 'loid'],
  ['partner', 'partner'],
  ['business_name', 'business_name'],
  ['email', 'email'],
  ['phone', 'phone'],
  ['loan_amount', 'amount'],
  ['loan_type', 'loan_type'],
  ['loan_purpose', 'loan_purpose'],
  ['loan_term', 'loan_term'],
  ['partner_iso', 'partner_iso'],
] as const
/** What a trial says about a field that is missing. */
const NOT_KNOWN = 'not known while the field is missing'

type SettingsTrial = Omit<Trial, 'scope'>

const organisation: Trial = {
  name: 'Organisation',
  scope: 'ZohoCRM.org.READ',
  async run(checked, signal) {
    const { name, id, timezone, currency } = await checked.organisation.organisation(signal)
    return `${name ?? 'without a name'} (${[id, timezone, currency].filter(Boolean).join(', ')})`
  },
}

const hasModules: SettingsTrial = {
  name: 'Modules',
  async run({ organisation }, signal) {
    const missing = await organisation.missingModules(signal)
    if (missing === undefined) return 'all there'
    throw new WrongForAll(missing)
  },
}

const hasFields: SettingsTrial = {
  name: 'Fields',
  async run({ organisation }, signal) {
    const missing = await organisation.missingFields(signal)
    if (missing.length === 0) return 'all there'
    throw new Wrong(
      `${missing.length} missing: ${missing.join(', ')}. Run \`npm run portal -- crm setup\` to create them, or name your own fields in CRM_FIELD_MAP`,
    )
  },
}

const optionalFields: SettingsTrial = {
  name: 'Optional fields',
  async run({ organisation }, signal) {
    const on = await organisation.fieldGroups(signal)
    const words = FIELD_GROUPS.map((group) => {
      const fields = on.get(group)
      if (!fields) return `${group} off (\`npm run portal -- crm setup ${group}\` makes its fields)`
      return `${group} on${fields.missing.length > 0 ? ` without ${fields.missing.join(', ')}` : ''}`
    })
    return words.join('; ')
  },
}

const loidIsUnique: SettingsTrial = {
  name: 'LOID',
  async run(parts, signal) {
    const {
      metadata,
      fieldMap: { leads, deals },
    } = parts
    if (await isMissing(parts, 'loid', signal)) return NOT_KNOWN
    const open = await Promise.all(
      [leads, deals].map(async ({ module, fields }) => {
        const field = (await metadata.fieldsOf(module, signal))?.get(fields.loid)
        return field && !field.isUnique ? [`${module}.${fields.loid}`] : []
      }),
    )
    const names = open.flat().join(' and ')
    if (names === '') return 'unique'
    throw new Wrong(
      `Duplicates are allowed in ${names}. Tick 'Do not allow duplicate values' in the settings of each field`,
    )
  },
}

const emailMayRepeat: SettingsTrial = {
  name: 'Email',
  async run({ metadata, fieldMap: { leads } }, signal) {
    const { email } = leads.fields
    if (!(await metadata.fieldsOf(leads.module, signal))?.get(email)?.isUnique) return 'may be that of several leads'
    return `is unique in ${leads.module}, so the email of an applicant's further leads goes into their description. Allow duplicates in the settings of ${leads.module}.${email}`
  },
}

const partnerIsLookup: SettingsTrial = {
  name: 'Partner',
  async run(parts, signal) {
    const {
      metadata,
      fieldMap: { partners, leads, deals },
    } = parts
    if (await isMissing(parts, 'partner', signal)) return NOT_KNOWN
    const wrong = await Promise.all(
      [leads, deals].map(async ({ module, fields }) => {
        const field = (await metadata.fieldsOf(module, signal))?.get(fields.partner)
        return field && field.namesModule !== partners.module ? [`${module}.${fields.partner}`] : []
      }),
    )
    const names = wrong.flat().join(' and ')
    if (names === '') return `names a record of ${partners.module}`
    throw new Wrong(`Not a lookup to ${partners.module}: ${names}. Make a lookup to ${partners.module} instead`)
  },
}

const conversionCopies: SettingsTrial = {
  name: 'Conversion',
  async run(parts, signal) {
    const {
      metadata,
      fieldMap: { leads, deals },
    } = parts
    if ((await isMissing(parts, 'loid', signal)) || (await isMissing(parts, 'partner', signal))) return NOT_KNOWN
    const settings = await metadata.fieldsOf(leads.module, signal)
    const lost = CONVERTED.filter(([lead, deal]) => {
      const field = settings?.get(leads.fields[lead])
      return field && field.dealField !== deals.fields[deal]
    })
    if (lost.length === 0) return 'copies every field that the deal shows'
    const names = lost.map(([lead, deal]) => `${leads.fields[lead]} to ${deals.fields[deal]}`).join(', ')
    throw new Wrong(
      `Not copied when a lead becomes a deal: ${names}. Map them in Zoho's settings: Modules and Fields, Leads, Lead Conversion Mapping`,
    )
  },
}

const mandatoryFields: SettingsTrial = {
  name: 'Mandatory fields',
  async run({ metadata, fieldMap }, signal) {
    const demanded = await Promise.all(
      alwaysSent(fieldMap).map(async ({ module, always }) =>
        (await metadata.mandatoryOf(module, signal))
          .filter((field) => !always.includes(field))
          .map((field) => `${module}.${field}`),
      ),
    )
    const names = demanded.flat().join(', ')
    if (names === '') return 'the portal always sends them'
    throw new Wrong(
      `A layout demands what the portal does not always send: ${names}. Make the field optional in the layout, or leads and deals without it wait`,
    )
  },
}

const picklists: SettingsTrial = {
  name: 'Picklists',
  async run({ metadata, fieldMap }, signal) {
    const lacking = await Promise.all(
      sentChoices(fieldMap).map(async ([module, field, values]) => {
        const settings = (await metadata.fieldsOf(module, signal))?.get(field)
        const choices = usedChoices(settings)
        // A field that is not a picklist accepts any text.
        const missing = choices.length === 0 ? [] : values.filter((value) => !choices.includes(value))
        return missing.length === 0 ? [] : [`${module}.${field} lacks ${missing.join(', ')}`]
      }),
    )
    const names = lacking.flat().join('; ')
    if (names === '') return 'contain every value that the portal sends'
    throw new Wrong(`${names}. Add the values in the settings of the field`)
  },
}

const ofSettings = [
  hasModules,
  hasFields,
  optionalFields,
  loidIsUnique,
  emailMayRepeat,
  partnerIsLookup,
  conversionCopies,
  mandatoryFields,
  picklists,
]

/** What the organisation's settings must have. */
export const SETTINGS_TRIALS: readonly Trial[] = [
  organisation,
  ...ofSettings.map((trial) => ({ ...trial, scope: 'ZohoCRM.settings.ALL' })),
]

/** The values that the portal sends, for each picklist. */
function sentChoices({ partners, leads, deals }: FieldMap): [string, string, readonly string[]][] {
  return [
    [leads.module, leads.fields.lead_status, [SUBMITTED_STATUS]],
    [leads.module, leads.fields.lead_source, [DEFAULT_LEAD_SOURCE]],
    [leads.module, leads.fields.loan_type, LOAN_TYPES],
    [leads.module, leads.fields.loan_term, LOAN_TERMS],
    [leads.module, leads.fields.business_industry, INDUSTRIES],
    [leads.module, leads.fields.time_in_business, TIMES_IN_BUSINESS],
    [leads.module, leads.fields.partner_iso, ISO_COUNTRIES],
    [deals.module, deals.fields.lead_source, [DEFAULT_LEAD_SOURCE]],
    [partners.module, partners.fields.portal_access, PORTAL_ACCESS],
    [deals.module, deals.fields.loan_type, LOAN_TYPES],
    [deals.module, deals.fields.loan_term, LOAN_TERMS],
    [deals.module, deals.fields.partner_iso, ISO_COUNTRIES],
  ]
}

/** The fields that each record has when the portal makes it. Zoho sets the owner. */
function alwaysSent({ partners, leads, deals }: FieldMap): { module: string; always: string[] }[] {
  const ofPartner = pick(partners.fields, ['business_name', 'email'])
  const ofLead = pick(leads.fields, [...ALWAYS_SENT, 'business_name', 'last_name', 'lead_status'])
  const ofDeal = pick(deals.fields, [...ALWAYS_SENT, 'deal_name', 'stage', 'closing_date'])
  return [
    { module: partners.module, always: [...Object.values(ofPartner), OWNER] },
    { module: leads.module, always: [...Object.values(ofLead), OWNER] },
    { module: deals.module, always: [...Object.values(ofDeal), PIPELINE_FIELD, OWNER] },
  ]
}

/** Whether leads or deals lack this field. The trial of the fields says so. */
async function isMissing(
  { metadata, fieldMap: { leads, deals } }: Checked,
  name: 'loid' | 'partner',
  signal?: AbortSignal,
) {
  const found = await Promise.all(
    [leads, deals].map(async ({ module, fields }) => (await metadata.fieldsOf(module, signal))?.has(fields[name])),
  )
  return found.some((isThere) => !isThere)
}
