import type { Deal, DealDetail, DealFilters } from '@portal/contract/deals.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { findNewest, searchNewest } from '../../db/find-newest.ts'
import type { Reads } from '../../db/hot-reads.ts'
import { isId } from '../../db/ids.ts'
import { cutPage, offset, type Page } from '../../db/paging.ts'
import { type Sender, sendNamed } from '../../db/send-named.ts'
import { createdFrom, createdUntil } from '../../db/sql-conditions.ts'
import { DEAL_COLUMNS, type DealRow, type NewDealRow } from '../../db/tables.ts'
import { NotFound } from '../../errors.ts'

/**
 * Newest first, without the archived. Reads one row too many, which tells `has_more` without counting. Indexes alone
 * tell which rows; only those of the page are read whole.
 */
export async function findDeals(
  sender: Sender,
  partnerId: string,
  filters: DealFilters,
  timezone: string,
): Promise<Page<Deal>> {
  const ids = await findDealIds(sender, partnerId, filters, timezone)
  const statement = sender.db
    .selectFrom('deals')
    .select(DEAL_COLUMNS)
    .where('partner_id', '=', partnerId)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  const rows = await sendNamed(sender.pool, statement)
  return cutPage(rows, filters)
}

function findDealIds(sender: Sender, partnerId: string, filters: DealFilters, timezone: string): Promise<string[]> {
  const { stage, minAmount, dateFrom, dateTo, search } = filters
  const page = { offset: offset(filters), limit: filters.limit + 1 }
  const among = [sql<SqlBool>`archived_at is null`]
  if (dateFrom) among.push(createdFrom(sql.ref('created_at'), dateFrom, timezone))
  if (dateTo) among.push(createdUntil(sql.ref('created_at'), dateTo, timezone))
  const matching: RawBuilder<SqlBool>[] = []
  if (stage) matching.push(sql`stage = ${stage}`)
  if (minAmount !== null) matching.push(sql`amount >= ${minAmount}`)
  const deals = { table: 'deals', partnerId, among, matching } as const
  return search ? searchNewest(sender, deals, { text: search, scope: 'list' }, page) : findNewest(sender, deals, page)
}

/** By LOID or id. */
export async function getDeal(reads: Reads, partnerId: string, idOrLoid: string): Promise<DealDetail> {
  const key = readKey(idOrLoid)
  if (!key) throw noSuchDeal()
  const rows = await sendNamed<DealDetail>(reads, {
    sql: `select ${DEAL_COLUMNS.join(', ')},
                 case when crm = 'failed' then crm_problem end as crm_problem
            from deals
           where partner_id = $1 and ${key.column} = $2 and archived_at is null`,
    parameters: [partnerId, key.value],
  })
  const [deal] = rows
  if (!deal) throw noSuchDeal()
  return deal
}

/** The LOID of one of the partner's deals, given by LOID or id. */
export async function getDealLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string> {
  const loid = await findDealLoid(db, partnerId, idOrLoid)
  if (loid === undefined) throw noSuchDeal()
  return loid
}

export async function findDealLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string | undefined> {
  const key = readKey(idOrLoid)
  const row =
    key &&
    (await db
      .selectFrom('deals')
      .select('loid')
      .where('partner_id', '=', partnerId)
      .where(key.column, '=', key.value)
      .where('archived_at', 'is', null)
      .executeTakeFirst())
  return row?.loid
}

export function findDealRow(db: Db | Tx, partnerId: string, loid: string): Promise<DealRow | undefined> {
  return db
    .selectFrom('deals')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

export async function insertDeal(tx: Tx, deal: NewDealRow): Promise<void> {
  await tx.insertInto('deals').values(deal).execute()
}

/** The time of the first push stays. */
export async function markDealsSent(db: Db, partnerId: string, loids: readonly string[], at: string): Promise<void> {
  await db
    .updateTable('deals')
    .set({ crm_sent_at: at })
    .where('partner_id', '=', partnerId)
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where('crm_sent_at', 'is', null)
    .execute()
}

export async function markDealPushed(db: Db, partnerId: string, loid: string, zohoId: string): Promise<void> {
  await db
    .updateTable('deals')
    .set({ zoho_id: zohoId, crm: 'synced' })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .execute()
}

/** A deal that reached the CRM meanwhile stays as it is, and one that was given up keeps its reason. */
export async function markDealPushFailed(db: Db, partnerId: string, loid: string, problem: string): Promise<void> {
  await db
    .updateTable('deals')
    .set({ crm: 'failed', crm_problem: problem })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'pending')
    .execute()
}

/** Makes the deal wait again if the portal gave up on it: what its push is to be told, nothing otherwise. */
export function reviveFailedDeal(
  tx: Tx,
  partnerId: string,
  loid: string,
): Promise<{ partnerId: string; loid: string }[]> {
  return tx
    .updateTable('deals')
    .set({ crm: 'pending' })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'failed')
    .returning(['partner_id as partnerId', 'loid'])
    .execute()
}

/** Submitted and not yet in the CRM, the oldest first, at most `limit`. */
export function findWaitingDeals(db: Db, partnerId: string, limit: number): Promise<DealRow[]> {
  return db
    .selectFrom('deals')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('crm', '=', 'pending')
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** The LOIDs of all that are submitted and not yet in the CRM, the oldest first. */
export async function findDealsToPush(db: Db, partnerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deals')
    .select('loid')
    .where('partner_id', '=', partnerId)
    .where('crm', '=', 'pending')
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => row.loid)
}

/**
 * Those of these deals that stand on a list, with all that a match needs (D29), the oldest first. Not those that have taken
 * a lead's place already: one deal archives at most one (D30).
 */
export function findMatchableDealsOfAllPartners(tx: Tx, loids: readonly string[]) {
  return tx
    .selectFrom('deals')
    .select(['partner_id', 'loid', 'business_name', 'amount', 'loan_type', 'loan_term', 'email', 'phone'])
    .where('archived_at', 'is', null)
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where((eb) => {
      const taken = eb
        .selectFrom('leads')
        .select('leads.id')
        .whereRef('leads.partner_id', '=', 'deals.partner_id')
        .whereRef('leads.deal_loid', '=', 'deals.loid')
        .where('leads.archived_reason', '=', 'matches-deal')
      return eb.not(eb.exists(taken))
    })
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The LOIDs of those that left the CRM so long ago that they are forgotten (D30). */
export async function removeArchivedDealsOfAllPartners(
  tx: Tx,
  archivedBefore: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await tx
    .deleteFrom('deals')
    .where('id', 'in', (eb) =>
      eb.selectFrom('deals').select('id').where('archived_at', '<', archivedBefore).limit(rowsMax),
    )
    .returning('loid')
    .execute()
  return rows.map((row) => row.loid)
}

function readKey(idOrLoid: string): { column: 'id' | 'loid'; value: string } | undefined {
  if (isId(idOrLoid)) return { column: 'id', value: idOrLoid }
  const loid = parseLoid(idOrLoid)
  return loid === null ? undefined : { column: 'loid', value: loid }
}

function noSuchDeal(): NotFound {
  return new NotFound('Deal not found')
}
