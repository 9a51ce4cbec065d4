import { tellNews } from '../features/mails/tell-news.job.ts'
import type { TestPortal } from './start-portal.ts'
import { waitFor } from './wait-for.ts'

/** Runs the job that the clock starts every minute, and waits until every due mail has been sent. */
export async function tellNewsNow({ deps }: TestPortal): Promise<void> {
  await tellNews.run(deps, {}, new AbortController().signal)
  await waitFor('every mail to be sent', async () => (await deps.db.selectFrom('mails').execute()).length === 0)
}

/** Moves the clock three minutes ahead, because news becomes due only after two minutes, and sends the due mails. */
export async function tellNewsSoon(portal: TestPortal): Promise<void> {
  portal.advance(3 * 60_000)
  await tellNewsNow(portal)
}
