import * as z from 'zod/mini'
import type { Clock } from '../../platform/clock.ts'
import { readItems, type ZohoApi } from './api.ts'
import type { Displayed } from './wire.ts'

/** What the organisation's settings say about one field. */
export interface FieldSettings {
  lengthMax: number | null
  choices: Choice[]
  isUnique: boolean
  /** For a lookup: the module whose records it names. */
  namesModule: string | null
  /** For a lead's field: the deal's field that gets the value when the lead is converted. */
  dealField: string | null
}

interface Choice {
  displayed: string
  actual: string
  isUsed: boolean
}

export type ModuleSettings = ReadonlyMap<string, FieldSettings>

export interface Metadata {
  /** Undefined if the organisation has no such module. */
  fieldsOf(module: string, signal?: AbortSignal): Promise<ModuleSettings | undefined>
  displayedOf(module: string, signal?: AbortSignal): Promise<Displayed>
  /** The fields that any layout of the module demands. */
  mandatoryOf(module: string, signal?: AbortSignal): Promise<string[]>
  /** Call this after the settings have changed. */
  forget(): void
}

export const METADATA_KEPT_MS = 10 * 60_000

/** Field settings change rarely, but every batch needs them, so they are kept for ten minutes. */
export function openMetadata(api: ZohoApi, clock: Clock): Metadata {
  const kept = new Map<string, { settings: ModuleSettings; displayed: Displayed; untilMs: number }>()

  async function find(module: string, signal?: AbortSignal) {
    const known = kept.get(module)
    if (known && known.untilMs > clock.now().getTime()) return known
    const answer = await api.get('settings/fields', { module, type: 'all' }, { signal })
    if (answer.status === 400 || answer.status === 404) return undefined
    const settings = readFields(readItems(answer, 'fields').items)
    const found = { settings, displayed: displayedIn(settings), untilMs: clock.now().getTime() + METADATA_KEPT_MS }
    kept.set(module, found)
    return found
  }

  return {
    fieldsOf: async (module, signal) => (await find(module, signal))?.settings,
    displayedOf: async (module, signal) => (await find(module, signal))?.displayed ?? ((_, value) => value),
    async mandatoryOf(module, signal) {
      const items = await api.items('settings/layouts', { module }, { signal, key: 'layouts' })
      const layouts = items.flatMap((layout) => WireLayout.safeParse(layout).data ?? [])
      const fields = layouts.flatMap((layout) => layout.sections.flatMap((section) => section.fields))
      return [...new Set(fields.filter((field) => field.required).map((field) => field.api_name))]
    },
    forget: () => kept.clear(),
  }
}

/**
 * Returns a function that finds the displayed name of a picklist value. Records, timelines and queries can contain
 * either the displayed name of a value or its original name. A value that is not in the picklist stays unchanged.
 */
export function displayedIn(settings: ReadonlyMap<string, Pick<FieldSettings, 'choices'>>): Displayed {
  const fields = [...settings].filter(([, { choices }]) => choices.length > 0)
  const namesOf = new Map(fields.map(([field, { choices }]) => [field, displayedNames(choices)]))
  return (field, value) => {
    const names = namesOf.get(field)
    return names?.get(comparable(value)) ?? value
  }
}

/** If two values share a name, the first value wins. Displayed names take precedence over original names. */
function displayedNames(choices: readonly Choice[]): Map<string, string> {
  const reversed = choices.toReversed()
  return new Map([
    ...reversed.map(({ actual, displayed }): [string, string] => [comparable(actual), displayed]),
    ...reversed.map(({ displayed }): [string, string] => [comparable(displayed), displayed]),
    [comparable(NONE), ''],
  ])
}

/** A field's choices in the order of the CRM's own list, without `-None-` and the values that are no longer in use. */
export function usedChoices(settings: FieldSettings | undefined): string[] {
  return (settings?.choices ?? []).filter((one) => one.isUsed && one.displayed !== NONE).map((one) => one.displayed)
}

const NONE = '-None-'

function comparable(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}

const NameOfObject = z.pipe(
  z.object({ api_name: z.string() }),
  z.transform((one) => one.api_name),
)

const WireField = z.object({
  api_name: z.string(),
  length: z.catch(z.nullish(z.number()), null),
  pick_list_values: z.catch(
    z.nullish(
      z.array(
        z.object({
          display_value: z.string(),
          actual_value: z.nullish(z.string()),
          sequence_number: z.nullish(z.number()),
          type: z.nullish(z.string()),
        }),
      ),
    ),
    null,
  ),
  // An empty object means that the field is not unique.
  unique: z.catch(z.nullish(z.record(z.string(), z.unknown())), null),
  lookup: z.catch(z.nullish(z.object({ module: z.object({ api_name: z.string() }) })), null),
  convert_mapping: z.catch(z.nullish(z.object({ Deals: z.nullish(z.union([z.string(), NameOfObject])) })), null),
})

const WireLayout = z.object({
  sections: z.array(
    z.object({ fields: z.array(z.object({ api_name: z.string(), required: z.catch(z.boolean(), false) })) }),
  ),
})

function readFields(fields: unknown[]): ModuleSettings {
  const readable = fields.flatMap((field) => WireField.safeParse(field).data ?? [])
  return new Map(
    readable.map((field) => {
      const values = [...(field.pick_list_values ?? [])].sort(
        (a, b) => (a.sequence_number ?? Infinity) - (b.sequence_number ?? Infinity),
      )
      const choices = values.map((value) => ({
        displayed: value.display_value.trim(),
        actual: value.actual_value ?? value.display_value,
        isUsed: value.type !== 'unused',
      }))
      const settings = {
        lengthMax: field.length ?? null,
        choices,
        isUnique: Object.keys(field.unique ?? {}).length > 0,
        namesModule: field.lookup?.module.api_name ?? null,
        dealField: field.convert_mapping?.Deals ?? null,
      }
      return [field.api_name, settings]
    }),
  )
}
