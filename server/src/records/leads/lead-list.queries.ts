import { fold } from '@portal/contract/fold.ts'
import type { Lead, LeadExport, LeadFilters, LeadSortColumn } from '@portal/contract/leads.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Listed } from '../../platform/db/find-newest.ts'
import {
  alphabetical,
  BY_CHANGE,
  byValue,
  everyRow,
  findPage,
  firstPage,
  inOrderOf,
  orderOf,
} from '../../platform/db/find-page.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { isId } from '../../platform/db/ids.ts'
import type { Page } from '../../platform/db/paging.ts'
import type { ReadSource } from '../../platform/db/replica.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { dayOrEarlier, dayOrLater, oneOf } from '../../platform/db/sql-conditions.ts'
import { type PassedTurn, passedTurnUnless } from '../histories/answered-turns.queries.ts'
import type { StatusMeanings } from '../histories/status-meanings.ts'
import { isTurnOf } from '../histories/turn-filter.queries.ts'
import { countRecords, OPEN_RECORDS } from '../kinds/record-counts.queries.ts'
import { LEAD_SQL, type Owner } from './leads.queries.ts'

/** A lead with what decides whose turn it is. */
type FoundLead = Omit<Lead, 'side'> & PassedTurn

/**
 * Finds a page of leads, newest first or sorted, without converted or archived leads. First finds the ids, and then
 * reads only the rows of the page. Without a search, the ids come from indexes alone, unless a filter and another order
 * come together.
 */
export async function findLeads(
  source: ReadSource,
  owner: Owner,
  filters: LeadFilters,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<Page<FoundLead>> {
  const listed = await listedLeads(source, owner.id, filters, timezone, statusMeanings)
  const order = orderOf(filters, LEAD_ORDERS)
  const { ids, pagination } = await findPage(source, listed, { ...filters, order })
  const notPartnersTurn = statusMeanings.notPartnersTurn['lead-status']
  return { rows: await findLeadsInOrder(source.reads, owner, ids, notPartnersTurn), pagination }
}

/** The owner's leads with these ids, in their order, without those that have gone since the ids were found. */
export async function findLeadsInOrder(
  reads: Reads,
  owner: Owner,
  ids: readonly string[],
  notPartnersTurn: readonly string[],
): Promise<FoundLead[]> {
  if (ids.length === 0) return []
  const rows = await sendNamed<FoundLead>(reads, {
    sql: `select ${LISTED} from leads where partner_id = $1 and id = any($3)`,
    parameters: [owner.id, owner.businessName, ids, notPartnersTurn],
  })
  return inOrderOf(ids, rows)
}

/**
 * SQL: the columns of a `FoundLead` of the partner $1, whose business is called $2. The partner has nothing to do in the
 * statuses $4.
 */
const LISTED = `${LEAD_SQL}, $2::text as partner, ${passedTurnUnless('leads', '$4')}`

const LEAD_ORDERS: Record<LeadSortColumn, RawBuilder<unknown>> = {
  business_name: alphabetical(sql.ref('business_name')),
  loid: sql.ref('loid'),
  loan_amount: sql.ref('loan_amount'),
  partner_iso: sql.ref('partner_iso'),
  lead_status: sql.ref('lead_status'),
  created_at: sql.ref('created_at'),
  modified_time: sql.ref('modified_time'),
}

async function listedLeads(
  sender: Sender,
  partnerId: string,
  filters: LeadExport,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<Listed> {
  const { status, source, dateFrom, dateTo, changedFrom, person, verdict, turn } = filters
  const zone = filters.timezone ?? timezone
  const among = [sql<SqlBool>`converted_at is null and archived_at is null`]
  if (dateFrom) among.push(dayOrLater(sql.ref('created_at'), dateFrom, zone))
  if (dateTo) among.push(dayOrEarlier(sql.ref('created_at'), dateTo, zone))
  const matching: RawBuilder<SqlBool>[] = []
  if (changedFrom) matching.push(dayOrLater(sql.ref('modified_time'), changedFrom, zone))
  if (status) matching.push(oneOf(sql.ref('lead_status'), status))
  if (verdict) matching.push(sql`partner_verdict = ${verdict}`)
  if (person) matching.push(isId(person) ? sql`submitter_id = ${person}` : sql`false`)
  if (source) matching.push(oneOf(sql.ref('lead_source'), await findSources(sender, partnerId, source)))
  if (turn) matching.push(await isTurnOf(sender, partnerId, 'leads', turn, statusMeanings))
  const along = changedFrom
    ? BY_CHANGE
    : status || turn
      ? byValue('lead_status')
      : source
        ? byValue('lead_source')
        : undefined
  const countedAlong = matching.length === 1 ? along : undefined
  const isCountKept = among.length === 1 && matching.length === (status ? 1 : 0)
  const keptCount = isCountKept ? () => countRecords(sender.pool, partnerId, 'lead', status) : undefined
  return { table: 'leads', partnerId, among, matching, countedAlong, keptCount }
}

/**
 * Finds out which of the partner's lead sources contain the text. The query jumps from one source to the next in the
 * index, so it needs few steps even for a hundred thousand leads. Reading all leads took 134 ms.
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
    select lead_source from sources where lead_source is not null`
  const rows = await sendNamed(pool, statement.compile(db))
  return rows.map((row) => row.lead_source).filter((source) => fold(source).includes(fold(text)))
}

/**
 * Finds the first page of the list without filters. Every visit requests this page, and no other list is requested as
 * often. So the statement is written as SQL text, because compiling a Kysely query takes time.
 */
export async function findNewestLeads(
  reads: Reads,
  owner: Owner,
  limit: number,
  notPartnersTurn: readonly string[],
): Promise<Page<FoundLead>> {
  const rows = await sendNamed<FoundLead & { total: number | null }>(reads, {
    sql: `select ${LISTED}, (${OPEN_RECORDS.leads}) as total
            from leads
           where partner_id = $1 and converted_at is null and archived_at is null
           order by created_at desc, id desc
           limit $3`,
    parameters: [owner.id, owner.businessName, limit + 1, notPartnersTurn],
  })
  return firstPage(rows, limit)
}

/** The statement of all rows of the list, with the filters and in the order of its pages. */
export async function everyLead(
  sender: Sender,
  owner: Owner,
  filters: LeadExport,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<RawBuilder<Omit<Lead, 'side'>>> {
  const listed = await listedLeads(sender, owner.id, filters, timezone, statusMeanings)
  const columns = sql<Omit<Lead, 'side'>>`${sql.raw(LEAD_SQL)}, ${owner.businessName}::text as partner`
  return everyRow(columns, listed, { ...filters, order: orderOf(filters, LEAD_ORDERS) })
}
