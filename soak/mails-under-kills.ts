import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tellNews } from '../server/src/features/mails/tell-news.job.ts'
import { openDatabase } from '../server/src/platform/db/database.ts'
import { newId } from '../server/src/platform/db/ids.ts'
import { openJobQueue } from '../server/src/platform/jobs/job-queue.ts'
import { openLog } from '../server/src/platform/log.ts'
import { recordEvents } from '../server/src/records/events/events.ts'
import { startKillablePortal } from '../server/src/testing/killable-portal.ts'
import type { Random } from '../server/src/testing/random.ts'

interface Options {
  databaseUrl: string
  /** The folder that holds the outbox. */
  folder: string
  changes: number
  kills: number
  random: Random
}

const STATEMENT_MS_MAX = 5_000
const PEOPLE = 3
/** With so few deals, a person gets a separate mail for each deal. */
const DEALS = 4
/** How long ago the changes happened: longer than the time in which changes to one deal share a mail. */
const AGO_MS = 10 * 60_000
const MS_AFTER_START_MAX = 1_500
/** Much longer than it takes until the job of a killed process runs again. */
const SETTLE_MS_MAX = 120_000

/**
 * Records changes to deals, and keeps killing the portal that mails people about these changes. Then counts in the
 * outbox how many mails each person got about each change. `{1 => 600}` means: 600 times, a person got one mail about a
 * change, and no person got none or two.
 */
export async function tellUnderKills({
  databaseUrl,
  folder,
  changes,
  kills,
  random,
}: Options): Promise<Map<number, number>> {
  const { db, close } = openDatabase(databaseUrl, () => undefined)
  const queue = openJobQueue(databaseUrl, openLog('silent', { write: () => undefined }), STATEMENT_MS_MAX, false)
  let told = 0
  let portal = await startKillablePortal({ databaseUrl, folder })
  try {
    await queue.makeQueues([tellNews])
    const partnerId = await insertPeople()
    for (let round = 1; round <= kills; round++) {
      // Each change has its own transaction, so the portal can report some changes before the later ones are recorded.
      const due = Math.round((changes * round) / kills)
      while (told < due) await recordChange(partnerId, told++)
      await sleep(random.below(MS_AFTER_START_MAX))
      await portal.kill()
      portal = await startKillablePortal({ databaseUrl, folder })
    }
    await settle()
    return await count()
  } finally {
    await portal.kill()
    await queue.stop(0)
    await close()
  }

  async function insertPeople(): Promise<string> {
    const id = newId()
    const at = new Date(Date.now() - 2 * AGO_MS).toISOString()
    await db
      .insertInto('partners')
      .values({ id, business_name: 'Killed Broking', created_at: at, modified_time: at })
      .execute()
    const people = Array.from({ length: PEOPLE }, (_, i) => ({
      id: newId(),
      partner_id: id,
      email: addressOf(i),
      first_name: null,
      last_name: null,
      password_hash: 'none',
      role: 'owner' as const,
      email_verified: true,
      created_at: at,
      modified_time: at,
    }))
    await db.insertInto('people').values(people).execute()
    return id
  }

  async function recordChange(partnerId: string, number: number): Promise<void> {
    const at = new Date(Date.now() - AGO_MS).toISOString()
    const content = `Change ${number}.`
    const data = { on: 'deal', business_name: 'Killed Deals', created_by: null, content } as const
    const loid = `LO-${String(number % DEALS).padStart(8, '0')}`
    await db.transaction().execute((tx) => recordEvents(tx, [{ type: 'note.added', partnerId, loid, at, data }]))
  }

  async function settle(): Promise<void> {
    const deadline = Date.now() + SETTLE_MS_MAX
    while (Date.now() < deadline) {
      const waiting = [
        await db.selectFrom('mail_news').select('id').where('to_fan_out', '=', true).limit(1).execute(),
        await db.selectFrom('mail_news_for_people').select('news_id').limit(1).execute(),
        await db.selectFrom('mails').select('id').limit(1).execute(),
      ]
      if (waiting.every((rows) => rows.length === 0)) return
      // The schedule alone would run this job only once a minute.
      await queue.enqueue(db, tellNews, {})
      await sleep(200)
    }
    throw new Error('not all mails were sent in time')
  }

  async function count(): Promise<Map<number, number>> {
    const outbox = join(folder, 'outbox')
    const times = new Map<string, number>()
    for (let i = 0; i < PEOPLE; i++) for (let n = 0; n < changes; n++) times.set(`${addressOf(i)} > Change ${n}.`, 0)
    for (const file of await readdir(outbox)) {
      const [plain = ''] = (await readFile(join(outbox, file), 'utf8')).split('Content-Type: text/html')
      const to = /^To: (\S+)/m.exec(plain)?.[1] ?? ''
      for (const [quote] of plain.matchAll(/^> Change \d+\.$/gm)) {
        const key = `${to} ${quote}`
        times.set(key, (times.get(key) ?? 0) + 1)
      }
    }
    return new Map([...Map.groupBy(times.values(), (one) => one)].map(([one, all]) => [one, all.length]))
  }
}

function addressOf(person: number): string {
  return `killed${person}@example.com`
}
