import type { CrmHistoryEntry } from '../crm-records.ts'

/** An entry that the portal already has. */
export interface KnownEntry {
  value: string
  changed_time: string
  origin: 'submitted' | 'crm' | 'observed'
  crm_entry_id: string | null
}

export interface PlannedEntry extends KnownEntry {
  origin: 'crm' | 'observed'
  changed_by: string | null
  description: string | null
}

/** The entries to add to a record's history, and the changes that they show (D26, D32a). */
export interface HistoryPlan {
  entries: PlannedEntry[]
  /**
   * Whether new entries from the CRM replace the observed entries. Without new entries, the observed entries keep their
   * times.
   */
  replacesObserved: boolean
  /**
   * The changes that the partner has not seen, each with the previous value and the CRM's time. Each becomes one event,
   * unless the record has just come back to the partner.
   */
  changes: { value: string; previous: string; changed_time: string }[]
}

interface Present {
  /** The current status or stage of the CRM's record. `modified_time` says when the record last changed. */
  value: string
  modified_time: string
  /** The value and the `modified_time` that the portal had for the record until now. Undefined for a new record. */
  before: { value: string; modified_time: string | null } | undefined
}

const OBSERVED = 'Observed by the portal; the CRM does not say when the value changed'

/**
 * Adopts the CRM's entries, oldest first, including values that came and went between two pulls. If the history then
 * does not end with the present value, the portal adds an entry which says that it observed the value.
 */
export function planHistory(
  known: readonly KnownEntry[],
  told: readonly CrmHistoryEntry[],
  present: Present,
): HistoryPlan {
  const submitted = known.find((entry) => entry.origin === 'submitted')
  const history = untilPresent(told, present)
  // The submission is the first entry, so the CRM's own first entry with the same value would be a duplicate.
  const ofCrm = submitted && history[0]?.value === submitted.value ? history.slice(1) : history
  const knownIds = new Set(known.map((entry) => entry.crm_entry_id))
  let last = known.findLast((entry) => entry.origin !== 'observed')?.changed_time
  // Zoho gives whole seconds, and its clock may be behind. So a change can seem to come before the submission. Such
  // changes follow the submission in the CRM's order.
  const notBefore = (time: string) => {
    if (!submitted || last === undefined || time > submitted.changed_time) return time
    last = new Date(Date.parse(last) + 1).toISOString()
    return last
  }
  const added = ofCrm
    .filter((entry) => !knownIds.has(entry.entry_id))
    .map(({ entry_id, ...entry }): PlannedEntry => {
      const changed_time = notBefore(entry.changed_time)
      return { ...entry, changed_time, crm_entry_id: entry_id, origin: 'crm', description: null }
    })
  const replacesObserved = added.length > 0
  const latest = known.at(-1)
  const shown = latest?.origin === 'observed' && !replacesObserved ? latest : (ofCrm.at(-1) ?? latest)
  const seen: PlannedEntry = {
    crm_entry_id: null,
    value: present.value,
    changed_time: notBefore(present.modified_time),
    changed_by: null,
    origin: 'observed',
    description: OBSERVED,
  }
  return {
    entries: shown?.value === present.value ? added : [...added, seen],
    replacesObserved,
    changes: changesSince(known, added, present),
  }
}

/**
 * The record may have changed after it was read and before its history was read. This function cuts off these later
 * changes, and the next pull reports them.
 */
function untilPresent(told: readonly CrmHistoryEntry[], { value, modified_time }: Present): readonly CrmHistoryEntry[] {
  let end = told.length
  while (end > 0 && told[end - 1]?.value !== value && (told[end - 1]?.changed_time ?? '') >= modified_time) end--
  return end > 0 && told[end - 1]?.value === value
    ? told.slice(0, end)
    : told.filter((entry) => entry.changed_time <= modified_time)
}

/** The partner has seen the value that the portal showed, so earlier changes are not news. */
function changesSince(
  known: readonly KnownEntry[],
  added: readonly PlannedEntry[],
  { value, modified_time, before }: Present,
) {
  if (!before) return []
  const observed = known.filter((entry) => entry.origin === 'observed').map((entry) => entry.changed_time)
  const toldUntil = [...observed, before.modified_time ?? ''].toSorted().at(-1) ?? ''
  const news = added.filter((entry) => entry.changed_time > toldUntil)
  const changes: HistoryPlan['changes'] = []
  let previous = before.value
  for (const { value: next, changed_time } of [...news, { value, changed_time: modified_time }]) {
    if (next !== previous) changes.push({ value: next, previous, changed_time })
    previous = next
  }
  return changes
}
