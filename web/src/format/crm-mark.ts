import type { CrmState } from '@portal/contract/leads.ts'
import type { BadgeColour } from './badge-colour.ts'

/** The text about a record that the CRM does not have yet (D23). There is none once it has the record. */
export function crmMark(state: CrmState): { text: string; colour: BadgeColour } | null {
  if (state === 'pending') return { text: 'Waiting for CRM', colour: 'warning' }
  if (state === 'failed') return { text: 'Not sent', colour: 'error' }
  return null
}
