import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { insertSet, updateSet } from '../../platform/db/row-sets.ts'
import { searchColumns } from '../../platform/db/search-columns.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { ArrivedRecord, CrmModule, CrmVersion } from '../crm-records.ts'
import type { CrmTable, NamedRecord, RecordRow } from './crm-table.ts'

type TableName = 'leads' | 'deals'

/** The rows of these CRM records, for all partners. Archived rows are included. */
export async function findRowsOfAllPartners<Item extends NamedRecord, Row extends RecordRow>(
  db: Db,
  table: CrmTable<Item, Row>,
  zohoIds: readonly string[],
): Promise<Row[]> {
  if (zohoIds.length === 0) return []
  const { rows } = await sql<Row>`
    select * from ${sql.table(table.name)} where zoho_id = any(${zohoIds})`.execute(db)
  return rows
}

/**
 * Locks the rows that may belong to these records until the transaction ends. At most one row has a record's id, and at
 * most one has its LOID. All transactions lock rows in the same order, to avoid deadlocks.
 */
export async function lockRowsOfAllPartners<Item extends NamedRecord, Row extends RecordRow>(
  tx: Tx,
  table: CrmTable<Item, Row>,
  items: readonly { zoho_id: string; loid: string }[],
): Promise<Row[]> {
  if (items.length === 0) return []
  const zohoIds = items.map((item) => item.zoho_id)
  const loids = items.map((item) => item.loid)
  const { rows } = await sql<Row>`
    select * from ${sql.table(table.name)}
     where zoho_id = any(${zohoIds}) or loid = any(${loids})
     order by id
       for update`.execute(tx)
  return rows
}

/** Writes added and changed rows. Returns false if another transaction has added one of the rows in the meantime. */
export async function writeRows<Row extends RecordRow>(
  tx: Tx,
  name: TableName,
  planned: readonly { before: Row | undefined; row: Row }[],
): Promise<boolean> {
  const written = ({ row }: { row: Row }) => ({ ...row, ...searchColumns(name, row) })
  const added = planned.filter(({ before }) => !before).map(written)
  const changed = planned.filter(({ before, row }) => before && before !== row).map(written)
  await updateSet(tx, name, changed)
  const ids = await insertSet(
    tx,
    name,
    added.toSorted((a, b) => (a.loid < b.loid ? -1 : 1)),
  )
  return ids.size === added.length
}

/** The Zoho ids of the records in `versions` that differ from the portal's rows, for all partners. */
export async function findDifferingOfAllPartners(
  db: Db,
  name: TableName,
  versions: readonly (CrmVersion & { partner_zoho_id: string | null })[],
): Promise<string[]> {
  const { rows } = await sql<{ zoho_id: string }>`
    select listed.zoho_id
      from ${listed(versions)}
      left join unnest(${versions.map((one) => one.partner_zoho_id)}::text[]) with ordinality as owned (partner_zoho_id, place)
        using (place)
      left join partners on partners.zoho_id = owned.partner_zoho_id
      left join ${sql.table(name)} as present on present.zoho_id = listed.zoho_id
     where case when partners.id is null then present.id is not null and present.archived_at is null
                else present.partner_id is distinct from partners.id or ${differs(name)} end
     order by place`.execute(db)
  return rows.map((row) => row.zoho_id)
}

/** A range of the CRM's ids. Without `after` it begins with the first id, and without `upTo` it ends with the last. */
export interface IdRange {
  after: string | undefined
  upTo: string | undefined
}

/**
 * Compares a page of the partner's CRM records with the portal's rows in the same range of ids (D28). Returns the
 * records that differ or are new, and the rows whose records are not on the page, except archived rows.
 */
export async function comparePage(
  db: Db,
  name: TableName,
  partnerId: string,
  versions: readonly CrmVersion[],
  { after, upTo }: IdRange,
): Promise<{ differing: string[]; unlisted: { zoho_id: string; is_converted: boolean }[] }> {
  const converted = name === 'leads' ? sql`not ${IS_UNCONVERTED}` : sql`false`
  const place = sql`(length(zoho_id), zoho_id collate "C")`
  const isBehind = after === undefined ? sql`true` : sql`${place} > (${after.length}, ${after}::text collate "C")`
  const isWithin = upTo === undefined ? sql`true` : sql`${place} <= (${upTo.length}, ${upTo}::text collate "C")`
  const { rows } = await sql<{ zoho_id: string; is_listed: boolean; is_converted: boolean }>`
    select zoho_id, listed.place is not null as is_listed, ${converted} as is_converted
      from ${listed(versions)}
      full join (select * from ${sql.table(name)}
                  where partner_id = ${partnerId} and zoho_id is not null and ${isBehind} and ${isWithin}) as present
        using (zoho_id)
     where case when listed.place is null then present.archived_at is null else ${differs(name)} end`.execute(db)
  return {
    differing: rows.filter((row) => row.is_listed).map((row) => row.zoho_id),
    unlisted: rows.filter((row) => !row.is_listed),
  }
}

function listed(versions: readonly CrmVersion[]): RawBuilder<unknown> {
  return sql`unnest(
      ${versions.map((one) => one.zoho_id)}::text[],
      ${versions.map((one) => one.modified_time)}::timestamptz[],
      ${versions.map((one) => one.is_converted)}::boolean[]
    ) with ordinality as listed (zoho_id, modified_time, is_converted, place)`
}

/**
 * True if the portal knows of no conversion in the CRM, with or without a deal. The portal itself may have matched the
 * lead with a deal (D49).
 */
const IS_UNCONVERTED = sql`(coalesce(present.converted_at, present.awaits_deal_since) is null or present.matched_at is not null)`

/**
 * True if the portal does not have the deal of a converted lead. The deal may not be there yet, be in Zoho's recycle bin or
 * belong to another partner, so the portal continues to look for it during the 60 days in which Zoho keeps deleted records.
 */
const LACKS_DEAL = sql`(present.deal_loid is null and present.awaits_deal_since > now() - interval '60 days')`

/**
 * A record must be fetched if its row differs or is missing. `hasChanged` is the same rule for a single fetched record,
 * but without the 60 days, which limit only how long the portal looks for a deal.
 */
function differs(name: TableName): RawBuilder<unknown> {
  // A conversion may leave Modified_Time unchanged.
  const isConverted =
    name === 'leads' ? sql`(listed.is_converted and (${IS_UNCONVERTED} or ${LACKS_DEAL}))` : sql`false`
  return sql`(present.crm_modified_time is distinct from listed.modified_time
      or present.archived_reason is not null or ${isConverted})`
}

/** Links rows to the records that a push has brought to the CRM. A pull may have read a record before, and knows its time better. */
export async function markPushed(
  db: Db,
  name: TableName,
  partnerId: string,
  pushed: ReadonlyMap<string, ArrivedRecord>,
): Promise<void> {
  if (pushed.size === 0) return
  const arrived = [...pushed.values()]
  await sql`
    update ${sql.table(name)} as kept
       set zoho_id = pushed.zoho_id, crm = 'synced', crm_modified_time = coalesce(kept.crm_modified_time, pushed.modified_time)
      from unnest(${[...pushed.keys()]}::text[], ${arrived.map((one) => one.zoho_id)}::text[],
                  ${arrived.map((one) => one.modified_time)}::timestamptz[]) as pushed (loid, zoho_id, modified_time)
     where kept.partner_id = ${partnerId} and kept.loid = pushed.loid`.execute(db)
}

/** Links a row to its record in the CRM after a push that got no answer, unless a pull has already linked them. */
export async function nameRow<Item extends NamedRecord, Row extends RecordRow>(
  tx: Tx,
  table: CrmTable<Item, Row>,
  loid: string,
  zohoId: string,
): Promise<void> {
  await sql`
    update ${sql.table(table.name)} set zoho_id = ${zohoId}, crm = 'synced'
     where loid = ${loid} and zoho_id is null`.execute(tx)
}

/**
 * Archives rows whose records left the CRM or their partner (D30), so that no list shows the rows. Returns the rows
 * that were not archived before. Leaves a row alone if it now belongs to another partner, or if the portal itself is
 * withdrawing the lead.
 */
export async function archiveRows<Item extends NamedRecord, Row extends RecordRow>(
  tx: Tx,
  table: CrmTable<Item, Row>,
  gone: readonly { id: string; partner_id: string }[],
  at: string,
): Promise<Row[]> {
  const { rows: archived } = await sql<Row>`
    update ${sql.table(table.name)} as present set archived_at = ${at}, archived_reason = 'left-crm'
      from unnest(${gone.map((row) => row.id)}::uuid[], ${gone.map((row) => row.partner_id)}::uuid[]) as gone (id, partner_id)
     where present.id = gone.id and present.partner_id = gone.partner_id and present.archived_at is null
       and not exists (select from lead_changes where loid = present.loid and kind = 'withdraw'
                          and state = 'waiting' and sent_at is not null)
    returning present.*`.execute(tx)
  return archived
}

/**
 * The Zoho ids of the next `limit` rows after the id `after`, sorted as text. Leaves out archived rows and converted
 * leads.
 */
export async function findPresentOfAllPartners(
  db: Db,
  name: TableName,
  after: string,
  limit: number,
): Promise<string[]> {
  const isOpen = name === 'leads' ? IS_UNCONVERTED : sql`true`
  const { rows } = await sql<{ zoho_id: string }>`
    select zoho_id from ${sql.table(name)} as present
     where zoho_id > ${after} and archived_at is null and ${isOpen}
     order by zoho_id limit ${limit}`.execute(db)
  return rows.map((row) => row.zoho_id)
}

/** The Zoho ids of at most `limit` of the partner's newest records. Leaves out archived rows and converted leads. */
export async function findShownOf(db: Db, name: TableName, partnerId: string, limit: number): Promise<string[]> {
  const isOpen = name === 'leads' ? IS_UNCONVERTED : sql`true`
  const { rows } = await sql<{ zoho_id: string }>`
    select zoho_id from ${sql.table(name)} as present
     where partner_id = ${partnerId} and zoho_id is not null and archived_at is null and ${isOpen}
     order by created_at desc, id desc limit ${limit}`.execute(db)
  return rows.map((row) => row.zoho_id)
}

/** Marks the history or the notes of these records as read. Leaves out records that another pull has changed since. */
export async function clearDue(
  db: Db | Tx,
  due: 'history_due' | 'notes_due',
  records: readonly { module: CrmModule; loid: string; crm_modified_time: string | null }[],
): Promise<void> {
  for (const [module, ofModule] of Map.groupBy(records, (record) => record.module)) {
    const loids = ofModule.map((record) => record.loid)
    const times = ofModule.map((record) => record.crm_modified_time)
    await sql`
      update ${tableOf(module)} as present set ${sql.id(due)} = false
        from unnest(${loids}::text[], ${times}::timestamptz[]) as read (loid, crm_modified_time)
       where present.loid = read.loid and present.${sql.id(due)}
         and present.crm_modified_time is not distinct from read.crm_modified_time`.execute(db)
  }
}

/**
 * Marks notes as due for the partner's records that changed since `changedSince` or were created since `bornSince`.
 */
export async function markNotesDue(
  db: Db,
  module: CrmModule,
  partnerId: string,
  changedSince: string,
  bornSince: string | null,
): Promise<void> {
  await sql`
    update ${tableOf(module)} set notes_due = true
     where partner_id = ${partnerId} and zoho_id is not null and archived_at is null and not notes_due
       and (modified_time >= ${changedSince} or created_at >= ${bornSince})`.execute(db)
}

/**
 * Marks notes as due for all partners' records that changed since `changedSince`. Scans both tables, but runs only when
 * Zoho begins to refuse the list of notes.
 */
export async function markNotesDueOfAllPartners(db: Db, changedSince: string): Promise<void> {
  for (const module of ['Leads', 'Deals'] as const) {
    await sql`
      update ${tableOf(module)} set notes_due = true
       where modified_time >= ${changedSince} and zoho_id is not null and archived_at is null and not notes_due`.execute(
      db,
    )
  }
}

export interface DueRecord {
  id: string
  module: CrmModule
  zoho_id: string
  partner_id: string
  loid: string
  business_name: string | null
  created_at: string
  /** The status or the stage. */
  value: string
  crm_modified_time: string | null
  history_due: boolean
  notes_due: boolean
}

/** The partner's records whose notes are due, with the latest change first. */
export async function findNotesDue(db: Db, module: CrmModule, partnerId: string, limit: number): Promise<DueRecord[]> {
  const { rows } = await sql<DueRecord>`
    select ${dueColumns(module)} from ${tableOf(module)}
     where partner_id = ${partnerId} and notes_due and archived_at is null and zoho_id is not null
     order by modified_time desc, id limit ${limit}`.execute(db)
  return rows
}

/** Whether the portal has yet to read a record's history or notes from the CRM (D56). */
export const IS_DUE = '((history_due or notes_due) and zoho_id is not null)'

/** The record, if its history or notes are due. */
export async function findDueOf(
  reads: Reads,
  module: CrmModule,
  partnerId: string,
  loid: string,
): Promise<DueRecord | undefined> {
  const [table, value] = module === 'Leads' ? ['leads', 'lead_status'] : ['deals', 'stage']
  const rows = await sendNamed<DueRecord>(reads, {
    sql: `select $3::text as module, id, zoho_id, partner_id, loid, business_name, created_at, ${value} as value,
                 crm_modified_time, history_due, notes_due
            from ${table}
           where partner_id = $1 and loid = $2 and ${IS_DUE}`,
    parameters: [partnerId, loid, module],
  })
  return rows[0]
}

/**
 * Records whose history or notes are due. The latest change comes first, because partners look at recent records. `later`
 * chooses the histories that were read before, and otherwise leaves them out (D126).
 */
export async function findDueOfAllPartners(
  db: Db,
  module: CrmModule,
  except: { zohoIds: readonly string[]; partnerIds: readonly string[] },
  { later, limit }: { later: boolean; limit: number },
): Promise<DueRecord[]> {
  const isHistory = later
    ? sql`history_due and history_told_until is not null`
    : sql`history_due and history_told_until is null`
  const { rows } = await sql<DueRecord>`
    select ${dueColumns(module, isHistory)} from ${tableOf(module)}
     where (history_due or notes_due) and ${later ? isHistory : sql`(notes_due or ${isHistory})`} and zoho_id is not null
       and zoho_id <> all(${except.zohoIds}) and partner_id <> all(${except.partnerIds}::uuid[])
     order by modified_time desc, id limit ${limit}`.execute(db)
  return rows
}

function dueColumns(module: CrmModule, isHistoryDue = sql`history_due`): RawBuilder<unknown> {
  const value = sql.ref(module === 'Leads' ? 'lead_status' : 'stage')
  return sql`${module}::text as module, id, zoho_id, partner_id, loid, business_name, created_at, ${value} as value,
    crm_modified_time, (${isHistoryDue}) as history_due, notes_due`
}

function tableOf(module: CrmModule): RawBuilder<unknown> {
  return sql.table(module === 'Leads' ? 'leads' : 'deals')
}
