import * as z from 'zod/mini'
import type { CrmHistoryEntry } from '../../records/crm-records.ts'
import { type Displayed, Person, personName } from './wire.ts'
import { Line, ZohoInstant } from './wire-values.ts'

const TimelineEntry = z.object({
  id: z.string().check(z.minLength(1)),
  action: z.string(),
  audited_time: ZohoInstant,
  done_by: z.catch(Person, null),
  field_history: z.catch(
    z.nullish(
      z.array(
        z.object({
          api_name: z.string(),
          _value: z.nullish(z.object({ old: z.catch(Line, null), new: z.catch(Line, null) })),
        }),
      ),
    ),
    null,
  ),
})

/**
 * Reads the changes of one field. A record's first value has no entry of its own. It is the old value of the first
 * change or, without a change, the present value. This value began when the record was added.
 */
export function readFieldHistory(
  entries: unknown[],
  field: string,
  current: string | null,
  displayed: Displayed,
): CrmHistoryEntry[] {
  const readable = entries
    .flatMap((entry) => TimelineEntry.safeParse(entry).data ?? [])
    .sort((a, b) => compareText(a.audited_time, b.audited_time) || compareIds(a.id, b.id))
  const changes = readable.flatMap((entry) => {
    const value = entry.field_history?.find((one) => one.api_name === field)?._value
    return value ? [{ entry, old: value.old, new: value.new }] : []
  })
  const history = changes.flatMap(({ entry, new: value }) => toHistory(entry, value))
  const added = readable.find((entry) => entry.action === 'added')
  const first = changes[0] ? changes[0].old : current
  // Zoho writes an empty old value as null or as the word 'blank'.
  if (added && first && first !== 'blank') history.unshift(...toHistory(added, first))
  return collapse(history)

  function toHistory(entry: z.output<typeof TimelineEntry>, value: string | null): CrmHistoryEntry[] {
    const shown = value && displayed(field, value)
    if (!shown) return []
    const changedBy = personName(entry.done_by)
    return [{ entry_id: entry.id, value: shown, changed_time: entry.audited_time, changed_by: changedBy }]
  }
}

const StageRow = z.pipe(
  z.object({
    id: z.string().check(z.minLength(1)),
    Stage: Line,
    Modified_Time: z.nullish(ZohoInstant),
    Last_Modified_Time: z.nullish(ZohoInstant),
    Modified_By: z.catch(Person, null),
  }),
  z.transform((row) => ({ ...row, time: row.Modified_Time ?? row.Last_Modified_Time ?? null })),
)

export const STAGE_HISTORY_FIELDS = 'Stage,Moved_To__s,Modified_Time,Last_Modified_Time,Modified_By'

/**
 * Reads a deal's stages. It could not be confirmed whether a row's time is when the deal entered the stage or when it
 * left. If rows show the time of leaving, the last two rows have the same time, and the first row's time is later than
 * the deal's creation. In that case each stage began when the stage before it ended, and the first stage began when the
 * deal was added.
 */
export function readStageHistory(rows: unknown[], createdAt: string, stageField: string, displayed: Displayed) {
  const readable = rows
    .flatMap((row) => StageRow.safeParse(row).data ?? [])
    .flatMap(({ Stage, time, ...row }) => (Stage === null || time === null ? [] : [{ ...row, stage: Stage, time }]))
    .sort((a, b) => compareText(a.time, b.time) || compareIds(a.id, b.id))
  const [first] = readable
  const showsLeaving =
    readable.length > 1 &&
    readable.at(-1)?.time === readable.at(-2)?.time &&
    first !== undefined &&
    first.time > createdAt
  const history = readable.map((row, index): CrmHistoryEntry => {
    const entered = showsLeaving ? (readable[index - 1]?.time ?? createdAt) : row.time
    return {
      entry_id: row.id,
      value: displayed(stageField, row.stage),
      changed_time: entered,
      changed_by: personName(row.Modified_By),
    }
  })
  return collapse(history)
}

/**
 * Removes repeated values. An edit of the amount can add a row with the same stage, but the stage began with its first
 * row.
 */
function collapse(history: CrmHistoryEntry[]): CrmHistoryEntry[] {
  return history.filter((entry, index) => entry.value !== history[index - 1]?.value)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}
