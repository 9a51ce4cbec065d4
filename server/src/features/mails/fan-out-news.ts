import type { Deps } from '../../deps.ts'
import { insertNewsForPeople, lockNewsToFanOutOfAllPartners, markNewsFannedOut } from './mails.queries.ts'

const BATCH = 200
/** During this time, further changes of the same lead or deal join the mail. 'At once' is within five minutes (D73). */
const WINDOW_MS = 2 * 60_000

/**
 * Writes a row of news for each person, in one transaction. So each person is told once, whichever processes run this
 * and whenever one is killed. True if there may be more.
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
