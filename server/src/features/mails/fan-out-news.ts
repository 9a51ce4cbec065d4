import type { Deps } from '../../deps.ts'
import { insertNewsForPeople, lockNewsToFanOutOfAllPartners, markNewsFannedOut } from './mails.queries.ts'

const BATCH = 200
/** For so long, further changes of the same lead or deal join the mail. 'At once' is within five minutes (D73). */
const WINDOW_MS = 2 * 60_000

/**
 * Notes for each person what there is to tell, in one transaction: everybody is told once, whichever processes are at it and
 * whenever one is killed. True when there may be more.
 */
export async function fanOutNews({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const newsIds = await lockNewsToFanOutOfAllPartners(tx, BATCH)
    if (newsIds.length === 0) return false
    await insertNewsForPeople(tx, newsIds, WINDOW_MS)
    await markNewsFannedOut(tx, newsIds)
    return newsIds.length === BATCH
  })
}
