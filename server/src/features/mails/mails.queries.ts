import type { HistoryKind } from '@portal/contract/meanings.ts'
import { type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import type { Db, Tx } from '../../platform/db/database.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { DealRow } from '../../platform/db/tables.ts'
import { dataNow } from '../../records/events/data-now.ts'
import { isKnownNews } from '../../records/events/known-types.ts'
import type { MailNews } from '../../records/events/mail-news.ts'
import { PASSED_TURN, type PassedTurn } from '../../records/histories/answered-turns.queries.ts'
import { SEES_MONEY } from '../../records/partners/sees-money.ts'

/**
 * Finds news that is not assigned to people yet, the oldest first. Locks the rows until the transaction ends, and skips
 * rows that another process has locked.
 */
export async function lockNewsToFanOutOfAllPartners(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('mail_news')
    .select('id')
    .where('to_fan_out', '=', true)
    .where(isKnownNews('mail_news'))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Writes a row for each person who gets the news. These people can sign in, have confirmed their address, had an
 * account when the news was recorded, and did not cause the news themselves. Only owners get news of the webhook, and only
 * people who see money get news of payments.
 */
export async function insertNewsForPeople(tx: Tx, newsIds: readonly string[], windowMs: number): Promise<void> {
  await sql`
    insert into mail_news_for_people (person_id, news_id, due_at)
    select people.id, news.id, news.created_at + ${windowMs} * interval '1 millisecond'
      from mail_news news
      join partners on partners.id = news.partner_id and partners.is_active and partners.access <> 'suspended'
      join people on people.partner_id = news.partner_id and people.is_active and people.email_verified
     where news.id = any(${newsIds}::uuid[])
       and people.created_at <= news.created_at
       and people.id is distinct from news.person_id
       and (news.kind <> 'webhook' or people.role = 'owner')
       and (news.kind <> 'payment' or ${sql.raw(SEES_MONEY)})
    on conflict do nothing`.execute(tx)
}

export async function markNewsFannedOut(tx: Tx, newsIds: readonly string[]): Promise<void> {
  await tx.updateTable('mail_news').set({ to_fan_out: false }).where('id', 'in', newsIds).execute()
}

/** People with due news, ordered by id. The list starts with the first id after `after`. */
export async function findPeopleWithDueNewsOfAllPartners(
  db: Db,
  now: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('mail_news_for_people')
    .innerJoin('mail_news as news', 'news.id', 'mail_news_for_people.news_id')
    .select('mail_news_for_people.person_id')
    .distinct()
    .where(isKnownNews('news'))
    .where('mail_id', 'is', null)
    .where('due_at', '<=', now)
    .$if(after !== undefined, (query) => query.where('mail_news_for_people.person_id', '>', after ?? ''))
    .orderBy('mail_news_for_people.person_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.person_id)
}

/**
 * Finds the person's news that is not in a mail yet, the earliest due first. Locks the rows until the transaction ends,
 * and skips rows that another process has locked. `is_own` says whether the person submitted the lead or deal.
 */
export function lockWaitingNews(tx: Tx, personId: string, limit: number) {
  return tx
    .selectFrom('mail_news_for_people as told')
    .innerJoin('mail_news as news', 'news.id', 'told.news_id')
    .select(['told.news_id', 'told.due_at', 'news.kind', 'news.loid', 'news.created_at'])
    .select(({ or, exists, selectFrom }) =>
      or(
        (['leads', 'deals'] as const).map((table) =>
          exists(
            selectFrom(table)
              .select('id')
              .whereRef('partner_id', '=', 'news.partner_id')
              .whereRef('loid', '=', 'news.loid')
              .where('submitter_id', '=', personId),
          ),
        ),
      ).as('is_own'),
    )
    .where('told.person_id', '=', personId)
    .where('told.mail_id', 'is', null)
    .where(isKnownNews('news'))
    .orderBy('told.due_at')
    .orderBy('told.news_id')
    .limit(limit)
    .forUpdate('told')
    .skipLocked()
    .execute()
}

export async function removeNewsForPerson(tx: Tx, personId: string, newsIds: readonly string[]): Promise<void> {
  if (newsIds.length === 0) return
  await tx
    .deleteFrom('mail_news_for_people')
    .where('person_id', '=', personId)
    .where((eb) => eb('news_id', '=', eb.fn.any(eb.val(newsIds))))
    .execute()
}

export async function putOffNews(tx: Tx, personId: string, dueAt: ReadonlyMap<string, string>): Promise<void> {
  if (dueAt.size === 0) return
  await sql`
    update mail_news_for_people told set due_at = put_off.due_at
      from unnest(${[...dueAt.keys()]}::uuid[], ${[...dueAt.values()]}::timestamptz[]) as put_off (news_id, due_at)
     where told.person_id = ${personId} and told.news_id = put_off.news_id`.execute(tx)
}

/** Makes waiting news due now, so that the person's changed settings apply to it. */
export async function lookAgainAtWaitingNews(tx: Tx, personId: string, now: string): Promise<void> {
  await tx
    .updateTable('mail_news_for_people')
    .set({ due_at: now })
    .where('person_id', '=', personId)
    .where('mail_id', 'is', null)
    .where('due_at', '>', now)
    .execute()
}

export async function insertMail(
  tx: Tx,
  mail: { id: string; partner_id: string; person_id: string; is_digest: boolean; created_at: string },
  newsIds: readonly string[],
): Promise<void> {
  await tx.insertInto('mails').values(mail).execute()
  await tx
    .updateTable('mail_news_for_people')
    .set({ mail_id: mail.id })
    .where('person_id', '=', mail.person_id)
    .where((eb) => eb('news_id', '=', eb.fn.any(eb.val(newsIds))))
    .execute()
}

export function findMail(db: Db, partnerId: string, mailId: string) {
  return db
    .selectFrom('mails')
    .select(['id', 'person_id', 'is_digest', 'created_at'])
    .where('partner_id', '=', partnerId)
    .where('id', '=', mailId)
    .executeTakeFirst()
}

/** Finds the news in the mail, the oldest first. Leaves out news that only a newer version can tell. */
export async function findNewsOfMail(db: Db, mailId: string): Promise<MailNews[]> {
  const rows = await db
    .selectFrom('mail_news_for_people as told')
    .innerJoin('mail_news as news', 'news.id', 'told.news_id')
    .select(['news.id', 'news.partner_id as partnerId', 'news.kind', 'news.type', 'news.loid'])
    .select(sql.raw(dataNow('news.data', 'news.partner_id')).as('data'))
    .select(['news.person_id as personId', 'news.created_at as at'])
    .where('told.mail_id', '=', mailId)
    .where(isKnownNews('news'))
    .orderBy('news.created_at')
    .orderBy('news.id')
    .execute()
  // oxlint-disable-next-line typescript/consistent-type-assertions -- recordMailNews wrote types and data that fit
  return rows as MailNews[]
}

/** What a mail says about a lead or deal besides the changes. */
export interface ReferralFacts extends PassedTurn {
  loid: string
  amount: number | null
  submitted_by: string | null
  /** The present status or stage. */
  kind: HistoryKind
  value: string
}

/** Finds the facts of the partner's leads and deals with these LOIDs. A deal replaces the lead that became the deal. */
export async function findReferralFacts(
  pool: pg.Pool,
  partnerId: string,
  loids: readonly string[],
): Promise<ReadonlyMap<string, ReferralFacts>> {
  const rows = await sendNamed<ReferralFacts>(pool, {
    sql: `
      select loid, loan_amount as amount, submitted_by, 'lead-status' as kind, lead_status as value, ${PASSED_TURN.leads}
        from leads where partner_id = $1 and loid = any($2)
      union all
      select loid, amount, coalesce(submitted_by, (select submitted_by from leads where partner_id = $1 and loid = deals.loid)),
             'deal-stage', stage, ${PASSED_TURN.deals}
        from deals where partner_id = $1 and loid = any($2)`,
    parameters: [partnerId, loids],
  })
  return new Map(rows.map((row) => [row.loid, row]))
}

type Commission = Pick<DealRow, 'loid' | 'partner_commission' | 'commission_status' | 'commission_paid_on'>

/** The commissions of the partner's deals with these LOIDs. Only people who see money are told them (D111). */
export async function findCommissions(
  db: Db,
  partnerId: string,
  loids: readonly string[],
): Promise<ReadonlyMap<string, Commission>> {
  const { rows } = await sql<Commission>`
    select loid, partner_commission, commission_status, commission_paid_on from deals
     where partner_id = ${partnerId} and loid = any(${loids}) and archived_at is null`.execute(db)
  return new Map(rows.map((row) => [row.loid, row]))
}

/** Whether the push of the lead or deal with this LOID, or of a note on it, is still marked as failed. */
export async function hasFailedPush(db: Db, partnerId: string, what: 'lead' | 'deal' | 'note', loid: string) {
  const row = await db
    .selectFrom(`${what}s`)
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'failed')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Removes the mail, and the person's rows for its news. */
export async function removeMail(db: Db, partnerId: string, mailId: string): Promise<void> {
  await db.deleteFrom('mails').where('partner_id', '=', partnerId).where('id', '=', mailId).execute()
}

export async function keepMailProblem(
  db: Db,
  partnerId: string,
  mailId: string,
  change: { problem: string } | { given_up_at: string },
): Promise<void> {
  await db.updateTable('mails').set(change).where('partner_id', '=', partnerId).where('id', '=', mailId).execute()
}

/** Mails with a failed attempt, including given-up mails, the newest first. */
export function findMailsInTroubleOfAllPartners(db: Db, limit: number) {
  return db
    .selectFrom('mails')
    .innerJoin('partners', 'partners.id', 'mails.partner_id')
    .innerJoin('people', 'people.id', 'mails.person_id')
    .select(['mails.id', 'mails.created_at', 'mails.problem', 'mails.given_up_at'])
    .select(['partners.business_name', 'people.email'])
    .where('mails.problem', 'is not', null)
    .orderBy('mails.created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Removes the given-up mark from the mail with this id, from all mails to this address, or from all mails. */
export async function reviveMailsOfAllPartners(tx: Tx, idOrEmail: string | undefined) {
  const { rows } = await sql<{ id: string; partner_id: string }>`
    update mails set given_up_at = null
      from people
     where people.id = mails.person_id and given_up_at is not null
       and (${idOrEmail ?? null}::text is null or mails.id::text = ${idOrEmail ?? null} or people.email = ${idOrEmail ?? null})
    returning mails.id, mails.partner_id`.execute(tx)
  return rows
}

export function removeMailsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'mails', key: ['id'], time: 'created_at' }, before, rowsMax)
}

/** Removes news that no longer waits to be mailed to anybody. */
export async function removeToldNewsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const isWaiting = sql<SqlBool>`exists (select from mail_news_for_people told where told.news_id = mail_news.id)`
  const removal = await db
    .deleteFrom('mail_news')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail_news')
        .select('id')
        .where('created_at', '<', before)
        .where('to_fan_out', '=', false)
        .where((inner) => inner.not(isWaiting))
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
