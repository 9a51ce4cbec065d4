import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { getPerson } from '../accounts/people.queries.ts'
import { digestAfter } from './digest-time.ts'
import { insertMail, lockWaitingNews, putOffNews, removeNewsForPerson } from './mails.queries.ts'
import { concerns, defaultTiming } from './notifications.ts'
import { sendNewsMail } from './send-news-mail.job.ts'
import { findSettings } from './settings.queries.ts'

/** A mail covers at most this many news items. The next mail covers further items. */
const NEWS_MAX = 10_000
/** If more leads and deals than this changed at once, as after an import, one mail covers all of them. */
const MAILS_AT_ONCE_MAX = 5

type Waiting = Awaited<ReturnType<typeof lockWaitingNews>>[number]

/**
 * Writes a person's due mails according to the current settings, and queues the jobs that send the mails. One
 * transaction does all of this, so that each change belongs to one mail. News for the digest waits until the digest is
 * due.
 */
export async function composeMails(
  { db, jobs, clock, config }: Pick<Deps, 'db' | 'jobs' | 'clock' | 'config'>,
  personId: string,
): Promise<void> {
  const now = clock.now()
  const at = now.toISOString()
  await db.transaction().execute(async (tx) => {
    const waiting = await lockWaitingNews(tx, personId, NEWS_MAX)
    if (waiting.length === 0) return
    const person = await getPerson(tx, personId)
    const settings = await findSettings(tx, personId)
    const timeZone = settings?.time_zone ?? config.timezone
    const timingOf = ({ kind, is_own }: Waiting) =>
      concerns(kind, person) ? (settings?.choices[kind] ?? defaultTiming(kind, person.role, Boolean(is_own))) : 'never'
    const isDue = (one: Waiting) => one.due_at <= at

    const unwanted = waiting.filter((one) => timingOf(one) === 'never')
    const atOnce = Map.groupBy(
      waiting.filter((one) => timingOf(one) === 'at-once'),
      (one) => one.loid ?? one.news_id,
    )
    const dueAtOnce = [...atOnce.values()].filter((changes) => changes.some(isDue))
    const digest: Waiting[] = []
    const putOff = new Map<string, string>()
    // The news that is due earliest comes first. Once the digest has an item, it also takes news from just before 8:00,
    // although that news becomes due only after 8:00.
    for (const one of waiting.filter((each) => timingOf(each) === 'digest')) {
      if (!isDue(one) && digest.length === 0) break
      const digestAt = await digestAfter(one.created_at, timeZone)
      if (digestAt <= at) digest.push(one)
      else if (isDue(one)) putOff.set(one.news_id, digestAt)
    }

    await removeNewsForPerson(tx, personId, unwanted.map(idOf))
    await putOffNews(tx, personId, putOff)
    const many = dueAtOnce.length > MAILS_AT_ONCE_MAX
    for (const changes of many ? [dueAtOnce.flat()] : dueAtOnce) await compose(changes, false)
    if (digest.length > 0) await compose(digest, true)

    async function compose(changes: readonly Waiting[], isDigest: boolean): Promise<void> {
      const { partner_id } = person
      const mail = { id: newId(now), partner_id, person_id: personId, is_digest: isDigest, created_at: at }
      await insertMail(tx, mail, changes.map(idOf))
      await jobs.enqueue(tx, sendNewsMail, { partnerId: partner_id, mailId: mail.id })
    }
  })
}

function idOf({ news_id }: Waiting): string {
  return news_id
}
