import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { refillSearch } from '../../platform/db/search-columns.ts'
import { isUnusualEmail } from '../../platform/db/sql-conditions.ts'
import { emailSpellings } from '../../platform/email-spellings.ts'
import { ERASED_DEAL } from '../../records/deals/deal-table.ts'
import { ERASED_LEAD } from '../../records/leads/lead-table.ts'
import type { Applicant } from './read-applicant.ts'

/**
 * Leads that may be the applicant's: those with this email or an email in other signs than ASCII, and those with these
 * last digits of a phone number.
 */
export function findLeadsLikeOfAllPartners(db: Db, { email, phones, abn }: Applicant) {
  return db
    .selectFrom('leads')
    .selectAll()
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(email) = ${email}`,
        // `lower` does not fold these emails as the portal does. There are few.
        ...(email === null ? [] : [sql<boolean>`${isUnusualEmail(sql.ref('email'))} and email ~ '[^!-~]'`]),
        sql<boolean>`regexp_replace(business_abn, '[^0-9]', '', 'g') = ${abn}`,
        sql<boolean>`phone_end(phone) = any(select phone_end(e164) from unnest(${phones.map(({ e164 }) => e164)}::text[]) as e164)`,
      ]),
    )
    .execute()
}

export function findDealsLikeOfAllPartners(db: Db, { email, phones }: Applicant) {
  return db
    .selectFrom('deals')
    .selectAll()
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(email) = ${email}`,
        // `lower` does not fold these emails as the portal does. There are few.
        ...(email === null ? [] : [sql<boolean>`${isUnusualEmail(sql.ref('email'))} and email ~ '[^!-~]'`]),
        sql<boolean>`phone_end(phone) = any(select phone_end(e164) from unnest(${phones.map(({ e164 }) => e164)}::text[]) as e164)`,
      ]),
    )
    .execute()
}

/** Leads with these LOIDs, and leads that became deals with these LOIDs. */
export function findLeadsByLoidOfAllPartners(db: Db, loids: readonly string[]) {
  return db
    .selectFrom('leads')
    .selectAll()
    .where((eb) => eb.or([eb('loid', '=', eb.fn.any(eb.val(loids))), eb('deal_loid', '=', eb.fn.any(eb.val(loids)))]))
    .execute()
}

export function findDealsByLoidOfAllPartners(db: Db, loids: readonly string[]) {
  return db
    .selectFrom('deals')
    .selectAll()
    .where((eb) => eb.or([eb('loid', '=', eb.fn.any(eb.val(loids))), eb('lead_loid', '=', eb.fn.any(eb.val(loids)))]))
    .execute()
}

export async function findRowsOfLoids(
  db: Db,
  table: 'notes' | 'documents' | 'history_entries' | 'events',
  loids: readonly string[],
): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where loid = any(${loids}) order by id`.execute(db)
  return rows
}

/** What the lender asked about the leads and deals with these LOIDs. */
export async function findRequestsOfLoids(db: Db, loids: readonly string[]): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select * from requests where record_zoho_id in (
      select zoho_id from leads where loid = any(${loids}) union select zoho_id from deals where loid = any(${loids}))
     order by id`.execute(db)
  return rows
}

/**
 * Webhook log entries about these LOIDs, with their attempts. Includes calls by partners' systems that may name the
 * applicant, such as refused submissions.
 */
export async function findLogsLikeOfAllPartners(db: Db, { email, phones, abn }: Applicant, loids: readonly string[]) {
  const words = [...spellingsOf(email), ...(abn ? [abn] : [])]
  const { rows } = await sql<{ id: string; partner_id: string; loid: string | null; request_body: string | null }>`
    select log.*, (select coalesce(json_agg(attempt order by number), '[]') from webhook_attempts as attempt where log_id = log.id) as attempts_made
      from webhook_logs as log
     where loid = any(${loids})
        or (direction = 'inbound' and (
              exists (select from unnest(${words}::text[]) as word where strpos(lower(request_body), word) > 0)
           or exists (select from unnest(${[...phones.map(({ national }) => national), ...(abn ? [abn] : [])]}::text[]) as digits
                       where strpos(regexp_replace(request_body, '[^0-9]', '', 'g'), digits) > 0)))
     order by id`.execute(db)
  return rows
}

/** Rows of imported files that became one of these LOIDs, or that may name the applicant. */
export async function findImportRowsLikeOfAllPartners(
  db: Db,
  { email, phones, abn }: Applicant,
  loids: readonly string[],
) {
  const words = [...spellingsOf(email), ...(abn ? [abn] : [])]
  const digits = [...phones.map(({ national }) => national), ...(abn ? [abn] : [])]
  const { rows } = await sql<{
    partner_id: string
    import_id: string
    number: number
    cells: string[]
    mended: Record<string, string>
    loid: string | null
  }>`
    select partner_id, import_id, number, cells, mended, loid from import_rows
     where loid = any(${loids})
        or exists (select from unnest(${words}::text[]) as word where strpos(lower(cells::text || mended::text), word) > 0)
        or exists (select from unnest(${digits}::text[]) as digits
                    where strpos(regexp_replace(cells::text || mended::text, '[^0-9]', '', 'g'), digits) > 0)
     order by import_id, number`.execute(db)
  return rows
}

/** Saved views that search for something. */
export async function findSearchingViewsOfAllPartners(db: Db) {
  const { rows } = await sql<{ id: string; partner_id: string; list: string; name: string; query: string }>`
    select id, partner_id, list, name, query from list_views where query like '%search=%' order by id`.execute(db)
  return rows
}

/** Remembered answers that name one of these LOIDs, or that contain a note on a record with one of them. */
export async function findAnswersNaming(db: Db, loids: readonly string[]): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select scope as partner_id, answer, created_at from idempotency_keys
     where exists (select from unnest(${loids}::text[]) as loid where strpos(answer::text, loid) > 0)
        or ${isAnswerWithNoteOn(loids)}`.execute(db)
  return rows
}

/** Finds answers that contain a note on one of these LOIDs. These answers name the note's id, but not the LOID. */
function isAnswerWithNoteOn(loids: readonly string[]) {
  return sql`answer -> 'note' ->> 'id' in (select id::text from notes where loid = any(${loids}))`
}

/** Partners' names by id. */
export async function findPartnerNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('partners')
    .select(['id', 'business_name'])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .execute()
  return new Map(rows.map(({ id, business_name }) => [id, business_name]))
}

/** Empties the applicant's fields. Records that have not reached the CRM are no longer sent. */
export async function eraseRecords(tx: Tx, loids: readonly string[], at: string): Promise<void> {
  const emptied = { erased_at: at, modified_time: at, crm_problem: null }
  await tx
    .updateTable('leads')
    .set({ ...ERASED_LEAD, ...emptied })
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .execute()
  await tx
    .updateTable('deals')
    .set({ ...ERASED_DEAL, ...emptied })
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .execute()
  for (const table of ['leads', 'deals'] as const) {
    await refillSearch(tx, table, loids)
    await sql`update ${sql.table(table)} set crm = 'failed', crm_problem = ${NOT_SENT}
               where loid = any(${loids}) and crm <> 'synced'`.execute(tx)
  }
}

const NOT_SENT = 'The applicant’s data has been erased.'

/**
 * Removes notes, documents with their content, and news that waits to be mailed. Events keep their type and time, but lose names and texts.
 * Remembered answers lose the texts of notes, but stay, so that a repeated call adds no second note.
 */
export async function eraseWords(tx: Tx, loids: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys set answer = jsonb_set(answer, '{note}', answer -> 'note' || '{"title": null, "content": ""}')
     where ${isAnswerWithNoteOn(loids)}`.execute(tx)
  await sql`delete from notes where loid = any(${loids})`.execute(tx)
  await sql`delete from documents where loid = any(${loids})`.execute(tx)
  await sql`
    delete from requests where record_zoho_id in (
      select zoho_id from leads where loid = any(${loids}) union select zoho_id from deals where loid = any(${loids}))`.execute(
    tx,
  )
  await sql`delete from lead_changes where loid = any(${loids})`.execute(tx)
  await sql`delete from mail_news where loid = any(${loids})`.execute(tx)
  await sql`
    update events
       set data = data || (select coalesce(jsonb_object_agg(key, case key when 'content' then '""'::jsonb else 'null'::jsonb end), '{}')
                             from jsonb_object_keys(data) as key
                            where key in ('business_name', 'deal_name', 'content', 'verdict_reason', 'subject', 'reason', 'document_name')
                              and not (key = 'reason' and events.type = 'lead.removed'))
     where loid = any(${loids})`.execute(tx)
}

/**
 * Removes the rows from their files, with the examples that the files' columns show, and what other rows and later imports
 * remember of the leads.
 */
export async function eraseImportRows(
  tx: Tx,
  rows: readonly { partner_id: string; import_id: string; number: number }[],
  loids: readonly string[],
): Promise<void> {
  await sql`
    delete from import_rows using json_populate_recordset(null::import_rows, ${JSON.stringify(rows)}::json) as gone
     where import_rows.partner_id = gone.partner_id and import_rows.import_id = gone.import_id
       and import_rows.number = gone.number`.execute(tx)
  await sql`
    update imports set columns = (select jsonb_agg(c || '{"sample": null}') from jsonb_array_elements(columns) as c)
     where id = any(${rows.map(({ import_id }) => import_id)}::uuid[]) and columns <> '[]'`.execute(tx)
  await sql`
    update import_rows set duplicates = (
      select coalesce(jsonb_agg(d), '[]') from jsonb_array_elements(duplicates) as d where d ->> 'loid' <> all(${loids}))
     where exists (select from jsonb_array_elements(duplicates) as d where d ->> 'loid' = any(${loids}))`.execute(tx)
  await sql`delete from imported_rows where loid = any(${loids})`.execute(tx)
}

export async function removeViews(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('list_views')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .execute()
}

/**
 * Removes the bodies of requests and responses. A waiting delivery then has nothing to send, so it ends, with the
 * status that `endPendingDeliveries` gives.
 */
export async function eraseLogBodies(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    update webhook_logs
       set request_body = null, response_body = null,
           status = case when next_attempt_at is null then status when response_status is null then 'error' else 'failed' end,
           error_message = case when next_attempt_at is null then error_message else ${`Not sent: ${NOT_SENT}`} end,
           next_attempt_at = null, claimed_until = null
     where id = any(${ids}::uuid[])`.execute(tx)
}

function spellingsOf(email: string | null): string[] {
  return email === null ? [] : emailSpellings(email)
}
