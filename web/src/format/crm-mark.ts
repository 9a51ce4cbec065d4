import type { CrmState } from '@portal/contract/leads.ts'
import type { Colour } from '@portal/contract/meanings.ts'

/** The mark of a record with a waiting or failed push (D23). Returns null if the CRM has the record. */
export function crmMark(state: CrmState): { text: string; colour: Colour } | null {
  if (state === 'pending') return { text: 'Waiting for CRM', colour: 'warning' }
  if (state === 'failed') return { text: 'Not sent', colour: 'error' }
  return null
}
