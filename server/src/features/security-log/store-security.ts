import type { Deps } from '../../deps.ts'
import type { StoreSecurity } from '../../platform/http/security-events.ts'
import { insertSecurityEntry } from './security-log.queries.ts'

/** Writes the server's security events into the partners' logs. */
export function createSecurityStore({ clock }: Pick<Deps, 'clock'>): StoreSecurity {
  return (db, partnerId, { person, subject, ...entry }) =>
    insertSecurityEntry(db, partnerId, {
      ...entry,
      at: clock.now().toISOString(),
      person_id: person,
      subject_id: subject?.id,
      subject_name: subject?.name,
    })
}
