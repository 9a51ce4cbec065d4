import type { NewLeadForm } from '@portal/contract/leads.ts'
import { keepTabDraft, readTabDraft } from '../../session/tab-drafts.ts'
import { LEAD_FIELD_NAMES } from './new-lead-form.ts'

const NAME = 'lead'

/**
 * The draft of a session that ended. It contains an applicant's data, so it is kept only in memory and only for the
 * same person.
 */
let left: { personId: string; values: NewLeadForm } | null = null

/** Keeps the values of the form in this tab. */
export function keepDraft(values: NewLeadForm) {
  keepTabDraft(NAME, JSON.stringify(values))
}

/** Keeps the values that a person had entered when the session ended. */
export function keepDraftOfEndedSession(personId: string, values: NewLeadForm) {
  left = { personId, values }
}

export function readDraft(personId: string | null): NewLeadForm | null {
  if (left !== null && left.personId === personId) return left.values
  const text = readTabDraft(NAME)
  const kept: unknown = text === '' ? null : JSON.parse(text)
  return isLead(kept) ? kept : null
}

/** Call this when the draft has been submitted or discarded. */
export function dropDraft() {
  left = null
  keepTabDraft(NAME, '')
}

/** A stored draft may come from another version of the portal, whose form had other fields. */
function isLead(kept: unknown): kept is NewLeadForm {
  return typeof kept === 'object' && kept !== null && LEAD_FIELD_NAMES.every((name) => name in kept)
}
