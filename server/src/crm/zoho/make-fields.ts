import type { FieldGroup } from '@portal/contract/field-groups.ts'
import type { FieldMap } from './field-map.ts'
import { fieldsOf, type Making, PARTNER_LOOKUP } from './fields.ts'

/** The settings from which Zoho makes a custom field. */
export interface FieldToMake extends Making {
  module: string
  /** The field's name in the field map. Zoho makes the API name from the label. */
  api_name: string
  field_label: string
}

/** The settings of each field that the portal can make, by `Module.Field`. Optional fields only of the named groups. */
export function fieldsToMake(fieldMap: FieldMap, groups: readonly FieldGroup[]): Map<string, FieldToMake> {
  const lookup = { module: { api_name: fieldMap.partners.module } }
  const all = (['partners', 'leads', 'deals'] as const).flatMap((kind) => {
    const { module, fields }: { module: string; fields: Record<string, string> } = fieldMap[kind]
    return fieldsOf(kind).flatMap(([key, field]): FieldToMake[] => {
      const api_name = fields[key]
      const isWanted = !('group' in field) || groups.includes(field.group)
      if (!field.making || !api_name || !isWanted) return []
      const making = field.making === PARTNER_LOOKUP ? { ...field.making, lookup } : field.making
      return [{ module, api_name, field_label: api_name.replaceAll('_', ' '), ...making }]
    })
  })
  return new Map(all.map((field) => [`${field.module}.${field.api_name}`, field]))
}
