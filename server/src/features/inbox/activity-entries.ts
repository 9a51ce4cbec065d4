import type { ActivityEntry } from '@portal/contract/activity.ts'
import { personName } from '@portal/contract/person-name.ts'
import { submitterName } from '@portal/contract/submitted-by.ts'
import { activityOf } from '../../records/events/activity.ts'
import type { ActivityRow } from './activity.queries.ts'

export function activityEntries(rows: readonly ActivityRow[], unseen: ReadonlySet<string>): ActivityEntry[] {
  return rows.map((row) => ({ ...activityOf(row), by: nameOf(row), is_new: unseen.has(row.id) }))
}

/**
 * The name of the event's author: 'The lender', a person's current name, or the name of an API key as stored in the
 * event. Null if an old event does not name its author.
 */
function nameOf({ actor, data, first_name, last_name, email }: ActivityRow): string | null {
  if (actor === null) return null
  if (actor === 'lender') return 'The lender'
  const remembered = typeof data['submitted_by'] === 'string' ? submitterName(data['submitted_by']) : null
  return email === null ? remembered : personName({ first_name, last_name, email })
}
