import type { FieldGroup } from '@portal/contract/field-groups.ts'
import type { CrmOrganisation, MadeFields } from '../../records/crm-records.ts'
import { readResults, writtenId } from './answers.ts'
import { CrmRefused } from './errors.ts'
import { fieldsOf } from './fields.ts'
import type { GroupFields } from './fields-there.ts'
import { fieldsToMake } from './make-fields.ts'
import { usedChoices } from './metadata.ts'
import type { ZohoParts } from './parts.ts'
import { readText } from './wire.ts'

export interface Organisation {
  /** The CRM's own list, in the CRM's order (D22). */
  leadStatuses(signal?: AbortSignal): Promise<string[]>
  dealStages(signal?: AbortSignal): Promise<string[]>
  organisation(signal?: AbortSignal): Promise<CrmOrganisation>
  /** The fields that the map names and the organisation lacks, without optional fields, each as `Module.Field`. */
  missingFields(signal?: AbortSignal): Promise<string[]>
  /** Says which modules that the map names are missing, and what to do; undefined if all are there. */
  missingModules(signal?: AbortSignal): Promise<string | undefined>
  /** The groups of optional fields that are on, with their fields. */
  fieldGroups(signal?: AbortSignal): Promise<Map<FieldGroup, GroupFields>>
  /**
   * Makes the custom fields that the organisation lacks, and the optional fields of these groups. A repeated call makes
   * the fields that are still missing.
   */
  makeMissingFields(groups: readonly FieldGroup[], signal?: AbortSignal): Promise<MadeFields>
}

const MADE_UNDER_ANOTHER_NAME =
  'it was made under another API name, because its own name was taken: change the name in Zoho or in CRM_FIELD_MAP'

export function openOrganisation({ api, metadata, fieldMap, fieldsThere }: ZohoParts): Organisation {
  const { leads, deals } = fieldMap

  async function choicesOf(module: string, field: string, signal?: AbortSignal): Promise<string[]> {
    return usedChoices((await metadata.fieldsOf(module, signal))?.get(field))
  }

  async function missingModules(signal?: AbortSignal): Promise<string | undefined> {
    const found = await Promise.all(
      [fieldMap.partners, leads, deals].map(async ({ module }) => {
        return (await metadata.fieldsOf(module, signal)) ? [] : [module]
      }),
    )
    const missing = found.flat().join(' and ')
    if (missing === '') return undefined
    return `${missing} is missing. Make a module with this API name in the CRM's settings (Modules and Fields), or name yours in CRM_FIELD_MAP`
  }

  async function missingFields(signal?: AbortSignal): Promise<string[]> {
    return missingOf([], signal)
  }

  async function missingOf(groups: readonly FieldGroup[], signal?: AbortSignal): Promise<string[]> {
    const missing = await Promise.all(
      (['partners', 'leads', 'deals'] as const).map(async (kind) => {
        const { module, fields }: { module: string; fields: Record<string, string> } = fieldMap[kind]
        const there = await metadata.fieldsOf(module, signal)
        return fieldsOf(kind).flatMap(([key, field]) => {
          const name = fields[key]
          const isWanted = !('group' in field) || groups.includes(field.group)
          return name && isWanted && !there?.has(name) ? [`${module}.${name}`] : []
        })
      }),
    )
    return missing.flat()
  }

  async function makeMissingFields(groups: readonly FieldGroup[], signal?: AbortSignal): Promise<MadeFields> {
    const makings = fieldsToMake(fieldMap, groups)
    const reasons = new Map<string, string>()
    metadata.forget()
    const missing = await missingOf(groups, signal)
    // One field per call, because it could not be confirmed whether one refused field stops the others.
    for (const name of missing) {
      const making = makings.get(name)
      if (!making) {
        reasons.set(name, 'it is one of Zoho’s own fields and cannot be made; give your field’s name in CRM_FIELD_MAP')
        continue
      }
      const { module, api_name: _, ...field } = making
      const call = { method: 'POST', path: 'settings/fields', query: { module }, isRepeatable: false, signal } as const
      const answer = await api.write({ ...call, body: { fields: [field] } })
      try {
        writtenId(readResults(answer, 'fields')[0])
      } catch (error) {
        if (!(error instanceof CrmRefused)) throw error
        reasons.set(name, error.message)
      }
    }
    metadata.forget()
    const stillMissing = await missingOf(groups, signal)
    return {
      made: missing.filter((name) => !stillMissing.includes(name)),
      problems: stillMissing.map((field) => ({ field, reason: reasons.get(field) ?? MADE_UNDER_ANOTHER_NAME })),
    }
  }

  return {
    leadStatuses: (signal) => choicesOf(leads.module, leads.fields.lead_status, signal),
    dealStages: (signal) => choicesOf(deals.module, deals.fields.stage, signal),
    async organisation(signal) {
      const [org] = await api.items('org', {}, { signal, key: 'org' })
      return {
        id: readText(org, 'id'),
        name: readText(org, 'company_name'),
        timezone: readText(org, 'time_zone'),
        currency: readText(org, 'iso_code'),
      }
    },
    missingFields,
    missingModules,
    fieldGroups: fieldsThere.groups,
    makeMissingFields,
  }
}
