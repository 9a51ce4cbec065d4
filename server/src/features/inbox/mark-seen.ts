import { parseLoid } from '@portal/contract/loid.ts'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findLoidsOf, findSnapshot, insertSeen, insertSeenRecords, moveSeen } from './news.queries.ts'

interface Seen {
  until: string
  snapshot?: string | undefined
  loid?: string | undefined
}

/**
 * Marks the news up to `until` as seen: all news, or only the news of the record that the person has opened. A time in
 * the future is treated as now.
 */
export async function markSeen(
  { db, pool, clock }: Pick<Deps, 'db' | 'pool' | 'clock'>,
  { id: partnerId, personId }: SessionCaller,
  { until, snapshot, loid }: Seen,
): Promise<void> {
  const now = clock.now()
  const look = {
    until: (Date.parse(until) < now.getTime() ? new Date(until) : now).toISOString(),
    snapshot: snapshot ?? (await findSnapshot(db)),
  }
  if (loid === undefined) {
    await insertSeen(db, personId, look)
    return
  }
  const key = parseLoid(loid)
  const loids = key === null ? [] : await findLoidsOf(db, partnerId, key)
  if (loids.length === 0) throw new NotFound('Record not found')
  await insertSeenRecords(db, personId, loids, look)
  await moveSeen(pool, partnerId, personId)
}
