import * as z from 'zod/mini'
import { PERSON_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { filterText } from './text.ts'

/**
 * Who entered a lead, deal or note in the portal (D64). Both fields are null for records that were created in the CRM.
 */
export const SubmittedBy = {
  /** The person; null if a system used the API key. */
  submitter_id: z.nullable(z.string()),
  /** The person's name when the record was entered; for a system, 'API key' and the key's first characters. */
  submitted_by: z.nullable(z.string()),
}

/** The value of the filter `person` that means the caller. */
export const MINE = 'me'

/** A person's id, or `me`. */
export function filterPerson() {
  return filterText('person', PERSON_LENGTH_MAX)
}

export const listSubmitters = defineRoute({
  method: 'GET',
  path: '/dashboard/submitters',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ people: z.array(z.object({ id: z.string(), name: z.string() })) }),
  summary: 'The partner’s people by name, for filtering what they submitted.',
})
