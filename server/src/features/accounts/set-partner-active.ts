import type { Db } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { updateActive } from '../../records/partners/partners.queries.ts'
import { lockPeople } from './people.queries.ts'
import { removeSessionsOfPartner } from './sessions.queries.ts'

/**
 * Activates a partner, or deactivates it and ends its sessions. Other processes may accept an ended session for another
 * second (see caller-memory.ts).
 */
export function setPartnerActive(
  db: Db,
  partnerId: string,
  isActive: boolean,
): Promise<{ isChanged: boolean; sessionsEnded: number }> {
  return inTransaction(db, async (tx) => {
    const isChanged = await updateActive(tx, partnerId, isActive)
    await lockPeople(tx, partnerId)
    const sessionsEnded = isActive ? 0 : await removeSessionsOfPartner(tx, partnerId)
    return { isChanged, sessionsEnded }
  })
}
