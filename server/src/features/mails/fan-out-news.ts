import type { Deps } from '../../deps.ts'
import { insertNewsForPeople, lockNewsToFanOutOfAllPartners, markNewsFannedOut } from './mails.queries.ts'

const BATCH = 200
/** Further changes to a lead or deal within this time join the same mail. 'At once' means within five minutes (D73). */
const WINDOW_MS = 2 * 60_000

/**
 * Assigns waiting news to the people concerned, in one transaction. So each person gets each news item once, even if
 * several processes run this function or one of them is killed. Returns true if more news may be waiting.
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
