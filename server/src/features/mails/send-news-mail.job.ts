import { needsAnswer } from '@portal/contract/requests.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob, GiveUp } from '../../platform/jobs/define-job.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { isPaid } from '../../records/deals/payments.ts'
import type { MailNews } from '../../records/events/mail-news.ts'
import { findManager } from '../../records/partners/partner-facts.queries.ts'
import { findPerson, type Person } from '../accounts/people.queries.ts'
import { hashToken } from '../accounts/tokens.ts'
import { findUnseenIds } from '../inbox/news.queries.ts'
import { findEndpoint } from '../webhooks/endpoints.queries.ts'
import { findMail, findNewsOfMail, hasFailedPush, keepMailProblem, removeMail } from './mails.queries.ts'
import { newsMail, outcomeOf, standingAfter } from './news-mail.ts'
import { concerns } from './notifications.ts'
import { findPresent, type Present } from './present.ts'
import { findSettings } from './settings.queries.ts'
import { keepUnsubscribeToken } from './unsubscribe-tokens.queries.ts'

/**
 * Sends a mail, unless all of its news is now unwanted, seen or out of date, or the person has lost access. Every attempt has
 * the same Message-ID. Once a mail is accepted or need not be sent any more, its row is removed. The row of a given-up
 * mail stays for the operator.
 */
export const sendNewsMail = defineJob({
  name: 'send-news-mail',
  payload: z.object({ partnerId: z.string(), mailId: z.string() }),
  retry: { firstDelaySeconds: 30, delaySecondsMax: 1_800, giveUpAfterDays: 3 },
  async run(deps, { partnerId, mailId }) {
    const { db } = deps
    const row = await findMail(db, partnerId, mailId)
    if (!row) return
    const person = await findPerson(db, row.person_id)
    const mail = person && mayBeTold(person) ? await writeMail(deps, row, person) : undefined
    if (mail) await deps.mail.send(mail).catch(keepProblem)
    await removeMail(db, partnerId, mailId)

    async function keepProblem(error: unknown): Promise<never> {
      const problem = error instanceof Error ? error.message : String(error)
      await keepMailProblem(db, partnerId, mailId, { problem })
      if (isRefused(error)) throw new GiveUp(problem, { cause: error })
      throw error
    }
  },
  async giveUp({ db, clock }, { partnerId, mailId }) {
    await keepMailProblem(db, partnerId, mailId, { given_up_at: clock.now().toISOString() })
  },
})

function mayBeTold({ is_active, is_partner_active, access, email_verified }: Person): boolean {
  return is_active && is_partner_active && access !== 'suspended' && email_verified
}

/**
 * Returns undefined if all of the news is now unwanted, seen or out of date. Every attempt has the same unsubscribe link,
 * because any of the attempts may be the one that arrived.
 */
async function writeMail(
  deps: Deps,
  { id, is_digest, created_at }: NonNullable<Awaited<ReturnType<typeof findMail>>>,
  person: Person,
): Promise<Mail | undefined> {
  const { db, pool, clock, publicUrl, config, secrets, statusMeanings } = deps
  const settings = await findSettings(db, person.id)
  const isWanted = ({ kind }: MailNews) => concerns(kind, person) && settings?.choices[kind] !== 'never'
  const news: MailNews[] = []
  const all = await findNewsOfMail(db, id)
  if (all.length === 0) throw new Error('Only a newer version of the portal can tell this news')
  const unseen = await findUnseenNews(pool, person, all)
  const present = await findPresent(deps, person.partner_id, all)
  for (const one of all) {
    if (isWanted(one) && unseen.has(one.id) && (await isStillTrue(db, one, present, created_at))) news.push(one)
  }
  if (news.length === 0) return undefined
  const kinds = [...new Set(news.map((one) => one.kind))]
  const token = secrets.derive(`unsubscribe ${id}`)
  await keepUnsubscribeToken(db, {
    hash: hashToken(token),
    personId: person.id,
    kinds,
    at: clock.now().toISOString(),
  })
  const timeZone = settings?.time_zone ?? config.timezone
  const manager = await findManager(pool, person.partner_id)
  const about = { isDigest: is_digest, at: created_at, timeZone, publicUrl, token, ...present, manager, statusMeanings }
  return { id, ...newsMail(person, news, about) }
}

/**
 * The ids of the news that the person has not seen in the portal yet (D129). A given-up push and a disabled webhook are
 * no events, so nobody can have seen them as news.
 */
async function findUnseenNews(
  pool: Deps['pool'],
  { id, partner_id }: Person,
  news: readonly MailNews[],
): Promise<Set<string>> {
  const [events, others] = [news.filter(isEvent), news.filter((one) => !isEvent(one))].map((some) =>
    some.map((one) => one.id),
  )
  const unseen = await findUnseenIds(pool, partner_id, id, events ?? [])
  return new Set([...unseen, ...(others ?? [])])
}

function isEvent({ type }: MailNews): boolean {
  return type !== 'push.given-up' && type !== 'endpoint.disabled'
}

/**
 * Returns false for news that the lender has taken back, such as an outcome that is no longer the record's, and for news
 * that no longer needs the reader to act: the request waits for no answer any more, the push is no longer marked as
 * failed, or the webhook URL has since been enabled or removed. An outcome of a record that has left the partner stays
 * true.
 */
async function isStillTrue(
  db: Deps['db'],
  news: MailNews,
  { facts, commissions, requests }: Present,
  at: string,
): Promise<boolean> {
  switch (news.type) {
    case 'lead.status_changed':
    case 'deal.stage_changed': {
      const now = facts.get(news.loid ?? '')
      const told = standingAfter(news)
      return news.kind !== 'outcome' || !now || outcomeOf(now) === outcomeOf(told)
    }
    case 'deal.paid': {
      const commission = commissions.get(news.loid ?? '')
      return !commission || isPaid(commission, at)
    }
    case 'request.opened':
    case 'request.reopened': {
      const request = requests.get(news.data.request_id)
      return request !== undefined && needsAnswer(request) && request.loids.includes(news.loid ?? '')
    }
    case 'push.given-up':
      return news.loid !== null && hasFailedPush(db, news.partnerId, news.data.what, news.loid)
    case 'endpoint.disabled':
      return Boolean((await findEndpoint(db, news.partnerId))?.disabled_reason)
    default:
      return true
  }
}

/**
 * Whether the mail server has refused the recipient for good. A refused sender does not count, because an operator can
 * correct the sender's address.
 */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('command' in error && 'responseCode' in error)) return false
  return error.command === 'RCPT TO' && typeof error.responseCode === 'number' && error.responseCode >= 500
}
