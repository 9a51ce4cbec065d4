import type { Deps } from '../../deps.ts'
import type { RequestRow } from '../../platform/db/tables.ts'
import type { MailNews } from '../../records/events/mail-news.ts'
import { findRequestOwnersOfAllPartners, findRequestsOfAnyPartner } from '../../records/requests/requests.queries.ts'
import { findSettledNotes } from '../inbox/attention.queries.ts'
import { findLoidsOf } from '../inbox/news.queries.ts'
import { findCommissions, findReferralFacts } from './mails.queries.ts'

/** What a mail's news is about, as it is when the mail is written. */
export interface Present {
  /** By LOID. A record that is gone has none. */
  facts: Awaited<ReturnType<typeof findReferralFacts>>
  /** The commissions of the deals that were paid, by LOID. */
  commissions: Awaited<ReturnType<typeof findCommissions>>
  /** By id, with all LOIDs of its record. Requests about other partners' records are left out. */
  requests: ReadonlyMap<string, RequestRow & { loids: readonly string[] }>
  /** The ids of the news of notes that wait for no answer any more. */
  settledNotes: ReadonlySet<string>
}

export async function findPresent(
  { db, pool }: Pick<Deps, 'db' | 'pool'>,
  partnerId: string,
  news: readonly MailNews[],
): Promise<Present> {
  const loidsOf = (some: readonly MailNews[]) => [...new Set(some.flatMap((one) => one.loid ?? []))]
  const paid = news.filter((one) => one.type === 'deal.paid')
  const notes = news.filter((one) => one.type === 'note.added')
  return {
    facts: await findReferralFacts(pool, partnerId, loidsOf(news)),
    commissions: await findCommissions(db, partnerId, loidsOf(paid)),
    requests: await findRequestsOf(db, partnerId, news),
    settledNotes: await findSettledNotes(
      pool,
      partnerId,
      notes.map((note) => note.id),
    ),
  }
}

async function findRequestsOf(
  db: Deps['db'],
  partnerId: string,
  news: readonly MailNews[],
): Promise<Present['requests']> {
  const ids = news.flatMap(({ data }) => ('request_id' in data ? (data.request_id ?? []) : []))
  const rows = await findRequestsOfAnyPartner(db, ids)
  const owners = await findRequestOwnersOfAllPartners(
    db,
    rows.map((row) => row.record_zoho_id),
  )
  const requests = new Map<string, RequestRow & { loids: readonly string[] }>()
  for (const row of rows) {
    const owner = owners.find((one) => one.partner_id === partnerId && one.record_zoho_id === row.record_zoho_id)
    if (owner) requests.set(row.id, { ...row, loids: await findLoidsOf(db, partnerId, owner.loid) })
  }
  return requests
}
