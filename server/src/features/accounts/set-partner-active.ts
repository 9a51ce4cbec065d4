import type { Db } from '../../db/database.ts'
import { updateActive } from './accounts.queries.ts'
import { lockPeople } from './people.queries.ts'
import { removeSessionsOfPartner } from './sessions.queries.ts'

/**
 * An inactive partner has no session and gets none. Other processes may accept one for another second (caller-memory).
 */
export function setPartnerActive(
  db: Db,
  partnerId: string,
  isActive: boolean,
): Promise<{ isChanged: boolean; sessionsEnded: number }> {
  return db.transaction().execute(async (tx) => {
    const isChanged = await updateActive(tx, partnerId, isActive)
    await lockPeople(tx, partnerId)
    const sessionsEnded = isActive ? 0 : await removeSessionsOfPartner(tx, partnerId)
    return { isChanged, sessionsEnded }
  })
}
