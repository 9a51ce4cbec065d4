import { tellNews } from '../features/mails/tell-news.job.ts'
import type { TestPortal } from './start-portal.ts'
import { waitFor } from './wait-for.ts'

/** What the clock does every minute, until every mail that is due was sent. */
export async function tellNewsNow({ deps }: TestPortal): Promise<void> {
  await tellNews.run(deps, {}, new AbortController().signal)
  await waitFor('every mail to be sent', async () => (await deps.db.selectFrom('mails').execute()).length === 0)
}

/** Three minutes later: what is told at once is told by then. */
export async function tellNewsSoon(portal: TestPortal): Promise<void> {
  portal.advance(3 * 60_000)
  await tellNewsNow(portal)
}
