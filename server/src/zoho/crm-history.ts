import type { CrmHistoryEntry } from './crm-records.ts'

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
  /** The value at submission, which has an entry of its own; null for records born in the CRM. */
  submitted: string | null
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
  const told = history[0]?.value === known.submitted ? history.slice(1) : history
  const entries = told.map((entry) => ({ ...entry, origin: 'crm' as const, description: null }))
  const replacesObserved = told.length > 0
  const last = told.at(-1)?.value
  if (replacesObserved ? last === known.current : known.isCurrentKnown) return { entries, replacesObserved }
  const seen = {
    entry_id: null,
    value: known.current,
    changed_time: known.modified_time,
    changed_by: null,
    origin: 'observed' as const,
    description: OBSERVED,
  }
  return { entries: [...entries, seen], replacesObserved }
}
