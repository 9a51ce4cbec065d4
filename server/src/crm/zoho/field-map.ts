import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'
import type { CrmModule } from '../../records/crm-records.ts'
import { FIELDS, type Names, type NamesThere, type OwnFields } from './fields.ts'

export interface FieldMap {
  partners: { module: string; fields: Names<OwnFields<'partners'>> }
  leads: { module: string; fields: Names<OwnFields<'leads'>> }
  deals: { module: string; fields: Names<OwnFields<'deals'>> }
  /** The statuses of a task whose answer is sent, and of one whose answer is accepted. Any other counts as asked (D105). */
  tasks: { statuses: { sent: string; accepted: string } }
}
/** The fields of an organisation that may lack optional ones. */
export type PartnerFields = NamesThere<OwnFields<'partners'>>
export type LeadFields = NamesThere<OwnFields<'leads'>>
export type DealFields = NamesThere<OwnFields<'deals'>>

/** Zoho's own status, under which the portal keeps what an organisation may have renamed. */
export const TASK_IN_PROGRESS = 'In Progress'

export const DEFAULT_FIELD_MAP: FieldMap = {
  partners: { module: FIELDS.partners.module, fields: namesOf(FIELDS.partners.fields) },
  leads: { module: FIELDS.leads.module, fields: namesOf(FIELDS.leads.fields) },
  deals: { module: FIELDS.deals.module, fields: namesOf(FIELDS.deals.fields) },
  tasks: { statuses: { sent: TASK_IN_PROGRESS, accepted: 'Completed' } },
}

export function moduleName({ partners, leads, deals }: FieldMap, module: CrmModule | 'Partners'): string {
  return { Partners: partners, Leads: leads, Deals: deals }[module].module
}

/** Names become part of addresses and queries, so only Zoho API names are allowed. */
const ApiName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, 'must be a Zoho API name such as Loan_Amount'))

const Status = z.string().check(z.trim(), z.minLength(1), z.maxLength(120))

const Overrides = z.strictObject({
  partners: z.optional(moduleOverrides(DEFAULT_FIELD_MAP.partners.fields)),
  leads: z.optional(moduleOverrides(DEFAULT_FIELD_MAP.leads.fields)),
  deals: z.optional(moduleOverrides(DEFAULT_FIELD_MAP.deals.fields)),
  tasks: z.optional(
    z.strictObject({ statuses: z.strictObject({ sent: z.optional(Status), accepted: z.optional(Status) }) }),
  ),
})

/**
 * Returns the built-in map, in which the names from `json` replace the built-in names, as in
 * `{"leads":{"fields":{"loan_amount":"Loan_Amount1"}},"tasks":{"statuses":{"accepted":"Done"}}}`. If the file is wrong, throws an error that says where.
 */
export function parseFieldMap(json: string): FieldMap {
  // `zod/mini` has no error messages of its own.
  const parsed = Overrides.safeParse(parseJson(json), { error: en().localeError })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the file'
    throw new Error(`CRM_FIELD_MAP: ${where}: ${issue?.message ?? 'is not valid'}`)
  }
  const { partners, leads, deals, tasks } = parsed.data
  const map: FieldMap = {
    partners: overridden('partners', DEFAULT_FIELD_MAP.partners, partners),
    leads: overridden('leads', DEFAULT_FIELD_MAP.leads, leads),
    deals: overridden('deals', DEFAULT_FIELD_MAP.deals, deals),
    tasks: { statuses: { ...DEFAULT_FIELD_MAP.tasks.statuses, ...tasks?.statuses } },
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

function namesOf<Fields extends Record<string, { name: string }>>(fields: Fields): Names<Fields> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the keys stay the same
  return Object.fromEntries(Object.entries(fields).map(([key, { name }]) => [key, name])) as Names<Fields>
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new Error(`CRM_FIELD_MAP: the file is not JSON: ${String(error)}`)
  }
}
