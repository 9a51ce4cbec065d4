import type { Request, RequestState } from '@portal/contract/requests.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { DocumentRow, RequestRow } from '../../platform/db/tables.ts'
import type { CrmTask } from '../crm-records.ts'
import { LOIDS_OF_REFERRAL } from '../loids/loids.queries.ts'

/** A record page shows at most this many requests. */
const REQUESTS_MAX = 100

/** SQL: the requests of one record by $1 and $2, whether it is a lead, a deal, or a lead that became a deal. */
const OF_RECORD = `record_zoho_id = any(array(
  select record.zoho_id
    from (${LOIDS_OF_REFERRAL}) as known
   cross join lateral (
     select zoho_id from leads where partner_id = $1 and loid = known.loid and erased_at is null
      union all
     select zoho_id from deals where partner_id = $1 and loid = known.loid and erased_at is null) as record
   where record.zoho_id is not null))`

/** What the lender asks about a record: first what is to be answered, then the newest. */
export function findRequests(reads: Reads, partnerId: string, loid: string): Promise<Request[]> {
  return sendNamed<Request>(reads, {
    sql: `select id, subject, reason, to_char(due_on, 'YYYY-MM-DD') as due_on, state, asked_at, answered_at
            from requests
           where ${OF_RECORD}
           order by state in ('asked', 'again') desc, state = 'sent' desc, asked_at desc, id
           limit ${REQUESTS_MAX}`,
    parameters: [partnerId, loid],
  })
}

/** SQL: the CRM ids under which a request may be about a record. The lender may have asked while the deal was a lead. */
const ZOHO_IDS = {
  leads: 'array[leads.zoho_id]',
  deals: `array(select zoho_id from leads where partner_id = $1 and loid in (deals.loid, deals.lead_loid)) || deals.zoho_id`,
}

/** SQL: whether the lender waits for an answer about this record of the partner $1. */
export function isAsked(table: 'leads' | 'deals'): string {
  return `exists (select from requests where record_zoho_id = any(${ZOHO_IDS[table]}) and state in ('asked', 'again'))`
}

/** The ids of the partner's open leads, or of its deals, about which the lender waits for an answer. */
export async function findAskedIds(reads: Reads, partnerId: string, table: 'leads' | 'deals'): Promise<string[]> {
  const rows = await sendNamed<{ id: string }>(reads, { sql: ASKED_IDS[table], parameters: [partnerId] })
  return rows.map(({ id }) => id)
}

/** The lateral joins look up each record by key. PostgreSQL would otherwise read all records of the partner. */
const ASKED_IDS = {
  leads: `
    select record.id
      from requests as asked
     cross join lateral (
       select id, partner_id, coalesce(converted_at, archived_at) as gone_at from leads
        where zoho_id = asked.record_zoho_id offset 0) as record
     where asked.state in ('asked', 'again') and record.partner_id = $1 and record.gone_at is null`,
  deals: `
    select record.id
      from requests as asked
      left join lateral (
        select loid, partner_id from leads where zoho_id = asked.record_zoho_id offset 0) as lead on lead.partner_id = $1
     cross join lateral (
       select id, partner_id, archived_at from deals where zoho_id = asked.record_zoho_id
        union
       select id, partner_id, archived_at from deals where loid = lead.loid
        union
       select id, partner_id, archived_at from deals where lead_loid = lead.loid) as record
     where asked.state in ('asked', 'again') and record.partner_id = $1 and record.archived_at is null`,
}

/** The lead or deal that a request is about. A lead that became a deal is the deal. */
export interface RequestOwner {
  record_zoho_id: string
  partner_id: string
  loid: string
  about: 'lead' | 'deal'
  /** Whether it is a converted lead whose deal the portal does not have yet. */
  awaits_deal: boolean
  business_name: string | null
  is_shown: boolean
  is_erased: boolean
}

/** The portal's records with these CRM ids, whatever their partner. */
export async function findRequestOwnersOfAllPartners(db: Db | Tx, zohoIds: readonly string[]): Promise<RequestOwner[]> {
  const { rows } = await sql<RequestOwner>`
    select zoho_id as record_zoho_id, partner_id, coalesce(deal_loid, loid) as loid,
           case when deal_loid is null then 'lead' else 'deal' end as about,
           deal_loid is null and (awaits_deal_since is not null or converted_at is not null) as awaits_deal, business_name,
           (archived_at is null or deal_loid is not null) as is_shown, erased_at is not null as is_erased
      from leads where zoho_id = any(${zohoIds})
    union all
    select zoho_id, partner_id, loid, 'deal', false, business_name, archived_at is null, erased_at is not null
      from deals where zoho_id = any(${zohoIds})`.execute(db)
  return rows
}

/** Locks a request of this partner's until the transaction ends. */
export async function lockRequest(
  tx: Tx,
  partnerId: string,
  id: string,
): Promise<(RequestRow & { owner: RequestOwner }) | undefined> {
  const row = await tx.selectFrom('requests').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  const owners = row ? await findRequestOwnersOfAllPartners(tx, [row.record_zoho_id]) : []
  const owner = owners.find((one) => one.partner_id === partnerId && one.is_shown && !one.is_erased)
  return row && owner && { ...row, owner }
}

/** The LOID of the record that a request of this partner's is about. */
export async function findRequestLoid(db: Db, partnerId: string, id: string): Promise<string | undefined> {
  const row = await findRequestOfAnyPartner(db, id)
  const owners = row ? await findRequestOwnersOfAllPartners(db, [row.record_zoho_id]) : []
  return owners.find((one) => one.partner_id === partnerId && !one.is_erased)?.loid
}

export function findRequestOfAnyPartner(db: Db, id: string): Promise<RequestRow | undefined> {
  return db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findRequestsOfAnyPartner(db: Db, ids: readonly string[]): Promise<RequestRow[]> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .execute()
}

/** Locks the requests with these CRM ids until the transaction ends. */
export function lockRequestsOfAllPartners(tx: Tx, zohoIds: readonly string[]): Promise<RequestRow[]> {
  return tx
    .selectFrom('requests')
    .selectAll()
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** The leads whose tasks name another record now, and which were not converted when they were last read. */
export async function findLeftLeadsOfAllPartners(db: Db, tasks: readonly CrmTask[]): Promise<string[]> {
  const named = tasks.map(({ zoho_id, record_zoho_id }) => ({ zoho_id, record_zoho_id }))
  const { rows } = await sql<{ zoho_id: string }>`
    select distinct leads.zoho_id
      from json_to_recordset(${JSON.stringify(named)}::json) as task (zoho_id text, record_zoho_id text)
      join requests using (zoho_id)
      join leads on leads.zoho_id = requests.record_zoho_id
     where task.record_zoho_id <> requests.record_zoho_id
       and leads.deal_loid is null and leads.awaits_deal_since is null and leads.converted_at is null`.execute(db)
  return rows.map((row) => row.zoho_id)
}

/** The CRM ids of the requests that the lender has neither accepted nor withdrawn, in ascending order. */
export async function findOpenRequestsOfAllPartners(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('requests')
    .select('zoho_id')
    .where('state', 'not in', ['accepted', 'withdrawn'])
    .where('zoho_id', '>', after)
    .orderBy('zoho_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.zoho_id)
}

/** Sets an answered request to sent. `at` is the time by the CRM's clock. */
export async function markRequestSent(tx: Tx, id: string, at: string): Promise<void> {
  await tx
    .updateTable('requests')
    .set((eb) => ({ state: 'sent', answered_at: at, answered_before: eb.ref('answered_at') }))
    .where('id', '=', id)
    .execute()
}

/** Whether files have answered the request at this time. Locks nothing: the caller has locked the request. */
export async function isAnsweredByFile(tx: Tx, partnerId: string, { id, answered_at }: RequestRow): Promise<boolean> {
  const row = await tx
    .selectFrom('documents')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('request_id', '=', id)
    .where('answered_at', '=', answered_at)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * A file was taken back or refused: the request that it answered is open as before, unless another file answers it or
 * something has happened since.
 */
export async function reopenRequest(
  tx: Tx,
  { partner_id, request_id, answered_at }: Pick<DocumentRow, 'partner_id' | 'request_id' | 'answered_at'>,
): Promise<void> {
  if (request_id === null || answered_at === null) return
  await tx.selectFrom('requests').select('id').where('id', '=', request_id).forUpdate().execute()
  const answers = tx
    .selectFrom('documents')
    .select('id')
    .where('partner_id', '=', partner_id)
    .where('request_id', '=', request_id)
    .where('answered_at', '=', answered_at)
    .where('removed_at', 'is', null)
    .where('state', '<>', 'failed')
  await tx
    .updateTable('requests')
    .set((eb) => ({
      state: sql<RequestState>`case when answered_before is null then 'asked' else 'again' end`,
      answered_at: eb.ref('answered_before'),
      answered_before: null,
    }))
    .where('id', '=', request_id)
    .where('state', '=', 'sent')
    .where('answered_at', '=', answered_at)
    .where((eb) => eb.not(eb.exists(answers)))
    .execute()
}

/** Removes requests whose tasks do not name the partner (`CRM_TASKS=partner`). */
export async function removeUnnamedRequestsOfAllPartners(db: Db): Promise<void> {
  await db.deleteFrom('requests').where('is_named', '=', false).execute()
}
