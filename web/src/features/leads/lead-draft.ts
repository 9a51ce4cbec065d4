import { CONSENT_VERSION, type NewLeadForm } from '@portal/contract/lead-form.ts'
import { readPersonId } from '../../api/token.ts'
import { keepTabAttempt, keepTabDraft, readTabAttempt, readTabDraft } from '../../session/tab-drafts.ts'
import { LEAD_FIELD_NAMES } from './new-lead-form.ts'

const NAME = 'lead'

interface Draft {
  values: NewLeadForm
  /** The last attempt to submit the draft, for `useIdempotencyKey`. Blank if there was none. */
  attempt: string
}

/**
 * The draft of each person whose session ended in this tab, by the person's id. A draft contains an applicant's data,
 * so after the session it is kept only in memory and only for the same person.
 */
const left = new Map<string, Draft>()

/** Keeps the values of the form in this tab. */
export function keepDraft(values: NewLeadForm) {
  keepTabDraft(NAME, JSON.stringify(values))
}

export function keepAttempt(attempt: string) {
  keepTabAttempt(NAME, attempt)
}

/** Keeps the draft that a person had when the session ended. */
export function keepDraftOfEndedSession(personId: string, draft: Draft) {
  left.set(personId, draft)
}

export function readDraft(personId: string | null): Draft | null {
  const leftByPerson = left.get(personId ?? '')
  if (leftByPerson) return leftByPerson
  const text = readTabDraft(NAME)
  const kept: unknown = text === '' ? null : JSON.parse(text)
  if (!isLead(kept)) return null
  // The person will agree to the text that the form shows now.
  return { values: { ...kept, consentVersion: CONSENT_VERSION }, attempt: readTabAttempt(NAME) }
}

/** Call this when the person has submitted or discarded the draft. Other people's drafts stay. */
export function dropDraft() {
  left.delete(readPersonId() ?? '')
  keepTabDraft(NAME, '')
}

export function dropDraftsOfEndedSessions() {
  left.clear()
}

/** A stored draft may come from another version of the portal, whose form had other fields. */
function isLead(kept: unknown): kept is NewLeadForm {
  return typeof kept === 'object' && kept !== null && LEAD_FIELD_NAMES.every((name) => name in kept)
}
