import type { NewLeadForm } from '@portal/contract/leads.ts'

/** In memory alone, and for one person alone: it is an applicant's data. */
let kept: { personId: string; values: NewLeadForm } | null = null

/** What had been typed when a session ended under the form. */
export function keepDraft(personId: string, values: NewLeadForm) {
  kept = { personId, values }
}

export function readDraft(personId: string | undefined): NewLeadForm | null {
  return kept !== null && kept.personId === personId ? kept.values : null
}

/** It was submitted or given up. */
export function dropDraft() {
  kept = null
}
