import { FIELD_GROUPS, type FieldGroup } from '@portal/contract/field-groups.ts'
import type { DealFields, FieldMap, LeadFields, PartnerFields } from './field-map.ts'
import { fieldsOf, type Names, type NamesThere, type OwnFields } from './fields.ts'
import type { Metadata, ModuleSettings } from './metadata.ts'

/** The fields that the organisation has, by the portal's names. Metadata is kept for ten minutes. */
export interface FieldsThere {
  partners(signal?: AbortSignal): Promise<PartnerFields>
  leads(signal?: AbortSignal): Promise<LeadFields>
  deals(signal?: AbortSignal): Promise<DealFields>
  /** The groups that are on, each with the portal's names of its fields that the organisation has, and those it lacks. */
  groups(signal?: AbortSignal): Promise<Map<FieldGroup, GroupFields>>
}

export interface GroupFields {
  there: string[]
  /** As `Module.Field`. */
  missing: string[]
}

export function openFieldsThere(metadata: Metadata, fieldMap: FieldMap): FieldsThere {
  async function named<Kind extends Exclude<keyof FieldMap, 'tasks'>>(kind: Kind, signal?: AbortSignal) {
    const { module, fields } = fieldMap[kind]
    return withoutMissing(kind, fields, await metadata.fieldsOf(module, signal))
  }

  async function groups(signal?: AbortSignal): Promise<Map<FieldGroup, GroupFields>> {
    const all = await Promise.all(
      (['partners', 'leads', 'deals'] as const).map(async (kind) => {
        const { module, fields }: { module: string; fields: Record<string, string> } = fieldMap[kind]
        const there = await metadata.fieldsOf(module, signal)
        return fieldsOf(kind).flatMap(([key, field]) => {
          const name = fields[key]
          return 'group' in field && name ? [{ key, group: field.group, name, module, isThere: there?.has(name) }] : []
        })
      }),
    )
    const byGroup = Map.groupBy(all.flat(), (field) => field.group)
    const on = FIELD_GROUPS.flatMap((group) => {
      const fields = byGroup.get(group) ?? []
      if (!fields[0]?.isThere) return []
      const there = fields.filter((field) => field.isThere).map((field) => field.key)
      const missing = fields.filter((field) => !field.isThere).map(({ module, name }) => `${module}.${name}`)
      return [[group, { there, missing }] as const]
    })
    return new Map(on)
  }

  return {
    partners: (signal) => named('partners', signal),
    leads: (signal) => named('leads', signal),
    deals: (signal) => named('deals', signal),
    groups,
  }
}

/** The names without those of optional fields that the organisation lacks. */
function withoutMissing<Kind extends Exclude<keyof FieldMap, 'tasks'>>(
  kind: Kind,
  fields: Names<OwnFields<Kind>>,
  there: ModuleSettings | undefined,
): NamesThere<OwnFields<Kind>> {
  const optional = new Set(fieldsOf(kind).flatMap(([key, field]) => ('group' in field ? [key] : [])))
  const entries = Object.entries<string>(fields).filter(([key, name]) => !optional.has(key) || there?.has(name))
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the filter removes only optional names
  return Object.fromEntries(entries) as NamesThere<OwnFields<Kind>>
}
