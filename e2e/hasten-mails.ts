import path from 'node:path'
import pg from 'pg'
import { findRunningPostgres } from '../server/src/platform/local/embedded-postgres.ts'

const POSTGRES = path.resolve(import.meta.dirname, '../.cache/e2e/postgres')

/**
 * Makes the person's waiting news due now, and starts the mail job. Otherwise news waits for two minutes, and then for
 * the next run of the job.
 */
export async function hastenMails(email: string): Promise<void> {
  const client = new pg.Client(await findRunningPostgres(POSTGRES))
  await client.connect()
  try {
    await client.query(
      'update mail_news_for_people set due_at = now() where person_id = (select id from people where email = $1)',
      [email],
    )
    await client.query(`insert into jobs.job (name, data) values ('tell-news', '{}')`)
  } finally {
    await client.end()
  }
}
