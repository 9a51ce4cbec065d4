import type { CrmState } from '@portal/contract/leads.ts'
import type { BadgeColour } from './badge-colour.ts'

/** The mark of a record whose push waits or was given up (D23). Returns null if the CRM has the record. */
export function crmMark(state: CrmState): { text: string; colour: BadgeColour } | null {
  if (state === 'pending') return { text: 'Waiting for CRM', colour: 'warning' }
  if (state === 'failed') return { text: 'Not sent', colour: 'error' }
  return null
}
