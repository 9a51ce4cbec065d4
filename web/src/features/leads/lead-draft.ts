import type { NewLeadForm } from '@portal/contract/leads.ts'

/** In memory alone, and for one partner alone: it is an applicant's data. */
let kept: { partnerId: string; values: NewLeadForm } | null = null

/** What had been typed when a session ended under the form. */
export function keepDraft(partnerId: string, values: NewLeadForm) {
  kept = { partnerId, values }
}

export function readDraft(partnerId: string | undefined): NewLeadForm | null {
  return kept !== null && kept.partnerId === partnerId ? kept.values : null
}

/** It was submitted or given up. */
export function dropDraft() {
  kept = null
}
