import type { DuplicateLead, Lead, LeadDetail, LeadFilters } from '@portal/contract/leads.ts'
import { DUPLICATE_WINDOW_DAYS } from '@portal/contract/limits.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Reads } from '../../db/hot-reads.ts'
import { isId } from '../../db/ids.ts'
import { containing, createdFrom, createdUntil, oneOf } from '../../db/matches.ts'
import { type Sender, sendNamed } from '../../db/named.ts'
import { findNewest, searchNewest } from '../../db/newest.ts'
import { cutPage, offset, type Page } from '../../db/paging.ts'
import { LEAD_COLUMNS, type LeadChange, type LeadRow, type NewLeadRow } from '../../db/tables.ts'
import { NotFound } from '../../errors.ts'

const LEAD_SQL = `${LEAD_COLUMNS.join(', ')}, nullif(concat_ws(' ', first_name, last_name), '') as lead_name`

/** Whose leads: the partner's id, and the name that each lead shows as its partner. */
interface Owner {
  id: string
  businessName: string
}

/**
 * Newest first, neither converted nor archived. Reads one row too many, which tells `has_more` without counting.
 * Indexes alone tell which rows; only those of the page are read whole.
 */
export async function findLeads(
  sender: Sender,
  owner: Owner,
  filters: LeadFilters,
  timezone: string,
): Promise<Page<Lead>> {
  const ids = await findLeadIds(sender, owner.id, filters, timezone)
  const statement = sender.db
    .selectFrom('leads')
    .select(LEAD_COLUMNS)
    .select([
      sql<string | null>`nullif(concat_ws(' ', first_name, last_name), '')`.as('lead_name'),
      sql<string>`${owner.businessName}::text`.as('partner'),
    ])
    .where('partner_id', '=', owner.id)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  const rows = await sendNamed(sender.pool, statement)
  return cutPage(rows, filters)
}

async function findLeadIds(
  sender: Sender,
  partnerId: string,
  filters: LeadFilters,
  timezone: string,
): Promise<string[]> {
  const { status, source, dateFrom, dateTo, search } = filters
  const page = { offset: offset(filters), limit: filters.limit + 1 }
  const among = [sql<SqlBool>`converted_at is null and archived_at is null`]
  if (dateFrom) among.push(createdFrom(sql.ref('created_at'), dateFrom, timezone))
  if (dateTo) among.push(createdUntil(sql.ref('created_at'), dateTo, timezone))
  const matching: RawBuilder<SqlBool>[] = []
  if (status) matching.push(sql`lead_status = ${status}`)
  if (source) {
    const sources = await findSources(sender, partnerId, source)
    if (sources.length === 0) return []
    matching.push(oneOf(sql.ref('lead_source'), sources))
  }
  const leads = { table: 'leads', partnerId, among, matching } as const
  return search ? searchNewest(sender, leads, { text: search, scope: 'list' }, page) : findNewest(sender, leads, page)
}

/**
 * The sources of the partner's listed leads that contain the text. Leaps from each to the next in their index, so that
 * a handful of steps tells what a hundred thousand leads have: reading them all took 134 ms.
 */
async function findSources({ db, pool }: Sender, partnerId: string, text: string): Promise<string[]> {
  const statement = sql<{ lead_source: string }>`
    with recursive sources as (
      (select lead_source from leads
        where partner_id = ${partnerId} and converted_at is null and archived_at is null
        order by lead_source limit 1)
      union all
      select (select lead_source from leads
               where partner_id = ${partnerId} and converted_at is null and archived_at is null
                 and lead_source > sources.lead_source
               order by lead_source limit 1)
        from sources where sources.lead_source is not null
    )
    select lead_source from sources where ${containing(sql.ref('lead_source'), text)}`
  const rows = await sendNamed(pool, statement.compile(db))
  return rows.map((row) => row.lead_source)
}

/** The first page without filters, which every visit asks for: named, it is the benchmark's hottest list. */
export async function findNewestLeads(reads: Reads, owner: Owner, limit: number): Promise<Page<Lead>> {
  const { rows } = await reads.query<Lead>({
    name: 'newest-leads',
    text: `select ${LEAD_SQL}, $2::text as partner
             from leads
            where partner_id = $1 and converted_at is null and archived_at is null
            order by created_at desc, id desc
            limit $3`,
    values: [owner.id, owner.businessName, limit + 1],
  })
  return cutPage(rows, { page: 1, limit })
}

/** By LOID or id. A converted lead is found, with its deal; an archived one only if a deal took its place (D18). */
export async function getLead(reads: Reads, owner: Owner, idOrLoid: string): Promise<LeadDetail> {
  const key = readKey(idOrLoid)
  if (!key) throw noSuchLead()
  const { rows } = await reads.query<Omit<LeadDetail, 'converted_to_deal'> & { deal_loid: string | null }>({
    name: `lead-by-${key.column}`,
    text: `select ${LEAD_SQL}, $3::text as partner, deal_loid,
                  case when crm = 'failed' then crm_problem end as crm_problem
             from leads
            where partner_id = $1 and ${key.column} = $2 and (archived_at is null or deal_loid is not null)`,
    values: [owner.id, key.value, owner.businessName],
  })
  const [row] = rows
  if (!row) throw noSuchLead()
  const { deal_loid, ...lead } = row
  return { ...lead, converted_to_deal: deal_loid === null ? null : { loid: deal_loid } }
}

/** The LOID of one of the partner's leads, given by LOID or id. */
export async function getLeadLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string> {
  const key = readKey(idOrLoid)
  const row =
    key &&
    (await db
      .selectFrom('leads')
      .select('loid')
      .where('partner_id', '=', partnerId)
      .where(key.column, '=', key.value)
      .where((eb) => eb.or([eb('archived_at', 'is', null), eb('deal_loid', 'is not', null)]))
      .executeTakeFirst())
  if (!row) throw noSuchLead()
  return row.loid
}

export function findLeadRow(db: Db | Tx, partnerId: string, loid: string): Promise<LeadRow | undefined> {
  return db
    .selectFrom('leads')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

export async function insertLead(tx: Tx, lead: NewLeadRow): Promise<void> {
  await tx.insertInto('leads').values(lead).execute()
}

export async function markLeadPushed(db: Db, partnerId: string, loid: string, zohoId: string): Promise<void> {
  await db
    .updateTable('leads')
    .set({ zoho_id: zohoId, crm: 'synced' })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .execute()
}

/** A lead that reached the CRM meanwhile stays as it is, and one that was given up keeps its reason. */
export async function markLeadPushFailed(db: Db, partnerId: string, loid: string, problem: string): Promise<void> {
  await db
    .updateTable('leads')
    .set({ crm: 'failed', crm_problem: problem })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'pending')
    .execute()
}

/** Makes the lead wait again if the portal gave up on it: what its push is to be told, nothing otherwise. */
export function reviveFailedLead(
  tx: Tx,
  partnerId: string,
  loid: string,
): Promise<{ partnerId: string; loid: string }[]> {
  return tx
    .updateTable('leads')
    .set({ crm: 'pending' })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'failed')
    .returning(['partner_id as partnerId', 'loid'])
    .execute()
}

/** Leads of the last 90 days with the same email, phone (E.164) or business number (D18a), newest first, at most 5. */
export async function findDuplicateLeads(
  db: Db,
  partnerId: string,
  wanted: { email: string | null; phones: string[]; abn: string | null },
  now: Date,
): Promise<DuplicateLead[]> {
  const since = new Date(now.getTime() - DUPLICATE_WINDOW_DAYS * 86_400_000).toISOString()
  const rows = await db
    .selectFrom('leads')
    .select(['loid', 'business_name', 'created_at', 'email', 'phone', 'business_abn'])
    .where('partner_id', '=', partnerId)
    .where('archived_at', 'is', null)
    .where('created_at', '>=', since)
    .where((eb) =>
      eb.or([
        eb('email', '=', wanted.email),
        eb('phone', '=', eb.fn.any(eb.val(wanted.phones))),
        // Said twice, because the index holds the rows with a number only.
        eb.and([eb('business_abn', '=', wanted.abn), eb('business_abn', 'is not', null)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(5)
    .execute()
  return rows.map(({ loid, business_name, created_at, ...row }) => {
    const matches: DuplicateLead['matches'] = []
    if (row.email !== null && row.email === wanted.email) matches.push('email')
    if (row.phone !== null && wanted.phones.includes(row.phone)) matches.push('phone')
    if (row.business_abn !== null && row.business_abn === wanted.abn) matches.push('abn')
    return { loid, business_name, created_at, matches }
  })
}

/** What a sync compares with the CRM: every lead that has a record there, the archived ones too (D28). */
export function findLeadsInCrm(db: Db, partnerId: string) {
  return db
    .selectFrom('leads')
    .select(['loid', 'zoho_id', 'business_name', 'created_at', 'lead_status', 'crm_modified_time'])
    .select(['converted_at', 'archived_at', 'archived_reason'])
    .where('partner_id', '=', partnerId)
    .where('zoho_id', 'is not', null)
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

/** What a sweep compares with the CRM: those of these records that the portal has, the archived ones too (D32). */
export function findLeadsInCrmOfAllPartners(db: Db, zohoIds: readonly string[]) {
  return db
    .selectFrom('leads')
    .select(['partner_id', 'loid', 'zoho_id', 'business_name', 'created_at', 'lead_status', 'crm_modified_time'])
    .select(['converted_at', 'archived_at', 'archived_reason'])
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

export async function countLeads(db: Db, partnerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('record_counts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('records'), eb.lit(0)).as('count'))
    .where('partner_id', '=', partnerId)
    .where('kind', '=', 'lead')
    .executeTakeFirstOrThrow()
  return count
}

/** Submitted and not yet in the CRM, the oldest first, at most `limit`. */
export function findWaitingLeads(db: Db, partnerId: string, limit: number): Promise<LeadRow[]> {
  return db
    .selectFrom('leads')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('crm', '=', 'pending')
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** The LOIDs of all that are submitted and not yet in the CRM, the oldest first. */
export async function findLeadsToPush(db: Db, partnerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('leads')
    .select('loid')
    .where('partner_id', '=', partnerId)
    .where('crm', '=', 'pending')
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => row.loid)
}

/** The rows that a CRM record may be: at most one has its id, at most one its LOID. Held until the transaction ends. */
export function lockLeadsOfAllPartners(tx: Tx, zohoId: string, loid: string): Promise<LeadRow[]> {
  return tx
    .selectFrom('leads')
    .selectAll()
    .where((eb) => eb.or([eb('zoho_id', '=', zohoId), eb('loid', '=', loid)]))
    .forUpdate()
    .execute()
}

export async function updateLead(tx: Tx, partnerId: string, loid: string, change: LeadChange): Promise<void> {
  await tx.updateTable('leads').set(change).where('partner_id', '=', partnerId).where('loid', '=', loid).execute()
}

/** Off every list, with the reason (D30). Undefined when it was already. */
export function archiveLead(
  tx: Tx,
  partnerId: string,
  loid: string,
  archive: { archived_at: string; archived_reason: 'left-crm' } | MatchesDeal,
) {
  return tx
    .updateTable('leads')
    .set(archive)
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('archived_at', 'is', null)
    .returning(['loid', 'business_name', 'loan_amount', 'converted_at'])
    .executeTakeFirst()
}

interface MatchesDeal {
  archived_at: string
  archived_reason: 'matches-deal'
  deal_loid: string
}

/** Sets the conversion on first sight; undefined when it was known. */
export function markLeadConverted(
  tx: Tx,
  partnerId: string,
  loid: string,
  conversion: { converted_at: string; deal_loid: string | null },
) {
  return tx
    .updateTable('leads')
    .set({ ...conversion, archived_at: null, archived_reason: null })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('converted_at', 'is', null)
    .returning(['business_name', 'loan_amount'])
    .executeTakeFirst()
}

/** Open leads with all that a match needs (D29), the oldest first; all of them, or those of these LOIDs. */
export function findMatchableLeads(db: Db, partnerId: string, loids?: readonly string[]) {
  return db
    .selectFrom('leads')
    .select(['loid', 'business_name', 'loan_amount', 'loan_type', 'loan_term', 'email', 'phone'])
    .where('partner_id', '=', partnerId)
    .where('converted_at', 'is', null)
    .where('archived_at', 'is', null)
    .where('loan_amount', 'is not', null)
    .$if(loids !== undefined, (query) => query.where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids)))))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/**
 * Open leads and deals of the same amount and contact, where one of the two has one of these LOIDs: all that a change of
 * these can make match, and some that do not.
 */
export async function findPossibleMatches(
  tx: Tx,
  partnerId: string,
  loids: readonly string[],
): Promise<{ lead: string; deal: string }[]> {
  const sameEmail = sql`lower(lead.email) = lower(deal.email) and lead.email is not null and deal.email is not null`
  const samePhone = sql`phone_end(lead.phone) = phone_end(deal.phone) and phone_end(lead.phone) <> ''
    and lead.phone is not null and deal.phone is not null`
  const pairs = ['lead', 'deal'].flatMap((changed) =>
    [sameEmail, samePhone].map(
      (isSameContact) => sql`
        select lead.loid as lead, deal.loid as deal
          from leads lead join deals deal
            on deal.partner_id = ${partnerId} and lead.loan_amount = deal.amount and ${isSameContact}
         where lead.partner_id = ${partnerId} and lead.converted_at is null and lead.archived_at is null
           and deal.archived_at is null and ${sql.ref(`${changed}.loid`)} = any(${loids})`,
    ),
  )
  const { rows } = await sql<{ lead: string; deal: string }>`${sql.join(pairs, sql` union `)}`.execute(tx)
  return rows
}

/** Leads whose place a deal had taken come back when the deal goes. Their LOIDs. */
export async function restoreMatchedLeads(tx: Tx, partnerId: string, dealLoid: string): Promise<string[]> {
  const rows = await tx
    .updateTable('leads')
    .set({ archived_at: null, archived_reason: null, deal_loid: null })
    .where('partner_id', '=', partnerId)
    .where('deal_loid', '=', dealLoid)
    .where('archived_reason', '=', 'matches-deal')
    .returning('loid')
    .execute()
  return rows.map((row) => row.loid)
}

/** Which of these LOIDs are open leads: their deals may be new to the portal. */
export function findOpenLeadsByLoid(db: Db, partnerId: string, loids: readonly string[]) {
  return db
    .selectFrom('leads')
    .select(['loid', 'zoho_id'])
    .where('partner_id', '=', partnerId)
    .where('loid', 'in', loids)
    .where('converted_at', 'is', null)
    .where('zoho_id', 'is not', null)
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

/** The lender gave the record to another partner. Its notes stay with the partner who wrote them (D8, D30). */
export async function moveLead(tx: Tx, loid: string, fromPartnerId: string, toPartnerId: string): Promise<void> {
  await updateLead(tx, fromPartnerId, loid, { partner_id: toPartnerId })
}

/**
 * The LOIDs of those that left the CRM so long ago that they are forgotten (D30). One that a deal took the place of stays as
 * long as the deal: it is read from there (D18), and a matched one is still in the CRM and would come back as new.
 */
export async function removeArchivedLeadsOfAllPartners(
  tx: Tx,
  archivedBefore: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await tx
    .deleteFrom('leads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('leads')
        .select('id')
        .where('archived_at', '<', archivedBefore)
        .where((lead) =>
          lead.not(
            lead.exists(lead.selectFrom('deals').select('deals.id').whereRef('deals.loid', '=', 'leads.deal_loid')),
          ),
        )
        .limit(rowsMax),
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

function noSuchLead(): NotFound {
  return new NotFound('Lead not found')
}
