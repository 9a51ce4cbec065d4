import * as z from 'zod/mini'
import { PERSON_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { filterText } from './text.ts'

/** The name of the system that uses the partner's API key. */
export const KEY_NAME = 'API key'

/** The name of a system that uses an API key with a name. */
export function namedSystem(name: string): string {
  return `${name} (${KEY_NAME})`
}

/** Stands for one of the business's people whose data was erased (D134). */
export const FORMER_COLLEAGUE = 'a former colleague'

/** Older records name the system by the key's first characters too, which say nothing to people (D127). */
export function submitterName(name: string): string {
  return name.startsWith(`${KEY_NAME} `) ? KEY_NAME : name
}

/**
 * Who entered a lead, deal or note in the portal (D64). Both fields are null for records that were created in the CRM.
 */
export const SubmittedBy = {
  /** The person; null if a system used the API key. */
  submitter_id: z.nullable(z.string()),
  /** The person's name when the record was entered; for a system, 'API key', or its key's name with 'API key' after it. */
  submitted_by: z.nullable(z.string().check(z.overwrite(submitterName))),
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
