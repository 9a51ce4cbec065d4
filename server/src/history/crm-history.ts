import type { CrmHistoryEntry } from '../zoho/crm-records.ts'

/** What a lead's or deal's history is to hold of the CRM (D26, D32a). */
export interface HistoryToWrite {
  entries: (Omit<CrmHistoryEntry, 'entry_id'> & {
    entry_id: string | null
    origin: 'crm' | 'observed'
    description: string | null
  })[]
  /** The CRM told what happened, so that what the portal merely saw is no longer needed. */
  replacesObserved: boolean
}

interface Known {
  /** The submission, which has an entry of its own; undefined for records born in the CRM. */
  submitted: { value: string; at: string } | undefined
  current: string
  /** Whether the portal's latest entry says so already. */
  isCurrentKnown: boolean
  /** When the CRM's record changed last. */
  modified_time: string
}

const OBSERVED = 'Observed by the portal; the CRM does not say when it changed'

/** Nothing is invented: where the CRM tells nothing of the present value, the portal says that it saw it. */
export function historyToWrite(history: readonly CrmHistoryEntry[], known: Known): HistoryToWrite {
  // The submission is the first entry; the CRM's own record of the same moment would be a second one.
  const told = known.submitted && history[0]?.value === known.submitted.value ? history.slice(1) : history
  // Zoho tells whole seconds, in which a change may seem to come before the submission.
  const notBefore = (time: string) => (known.submitted && time < known.submitted.at ? known.submitted.at : time)
  const entries = told.map((entry) => ({
    ...entry,
    changed_time: notBefore(entry.changed_time),
    origin: 'crm' as const,
    description: null,
  }))
  const replacesObserved = told.length > 0
  const last = told.at(-1)?.value
  if (replacesObserved ? last === known.current : known.isCurrentKnown) return { entries, replacesObserved }
  const seen = {
    entry_id: null,
    value: known.current,
    changed_time: notBefore(known.modified_time),
    changed_by: null,
    origin: 'observed' as const,
    description: OBSERVED,
  }
  return { entries: [...entries, seen], replacesObserved }
}
