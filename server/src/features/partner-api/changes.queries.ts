import type { ApiDeal, ApiLead, ChangeEvent } from '@portal/contract/partner-reads.ts'
import { CompiledQuery } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { DEAL_COLUMNS } from '../../platform/db/tables.ts'
import { LEAD_SQL } from '../../records/leads/leads.queries.ts'

export type ChangedKind = 'lead' | 'deal'

/** A position in the order of commits: a transaction, and a place in it. Both are too large for a number. */
export interface Position {
  xid: string
  place: string
}

/** Where a list of records continues: after this record, newest first. */
export interface ListedAfter {
  created_at: string
  id: string
}

/** What is read of each kind. `listed` says what a partner sees in a list. */
const SOURCES = {
  lead: {
    columns: LEAD_SQL,
    table: 'leads',
    listed: 'converted_at is null and archived_at is null and erased_at is null',
    gone: `case when row.id is null then 'removed' when row.erased_at is not null then 'erased'
                when row.converted_at is not null or (row.archived_at is not null and row.deal_loid is not null) then 'converted'
                when row.archived_reason = 'withdrawn' then 'withdrawn'
                when row.archived_at is not null then 'removed' end`,
    state: 'erased_at, archived_at, archived_reason, converted_at, deal_loid',
  },
  deal: {
    columns: DEAL_COLUMNS.join(', '),
    table: 'deals',
    listed: 'archived_at is null and erased_at is null',
    gone: `case when row.id is null then 'removed' when row.erased_at is not null then 'erased'
                when row.archived_at is not null then 'removed' end`,
    state: 'erased_at, archived_at, null as deal_loid',
  },
}

interface Records {
  lead: ApiLead
  deal: ApiDeal
}

/** `record` is null unless the record is still listed. */
export type ChangedRecord<Kind extends ChangedKind> = Position &
  Pick<ChangeEvent, 'type' | 'loid' | 'deal_loid' | 'version'> & { record: Records[Kind] | null }

/**
 * Names the order of commits, and the oldest transaction that is still open. No transaction below it can store
 * anything any more, so the order below it is final.
 */
export async function findHorizon(reads: Reads): Promise<{ order: string; horizon: string }> {
  const [row] = await sendNamed<{ order: string; horizon: string }>(reads, {
    sql: `select order_of_commits() as order, pg_snapshot_xmin(pg_current_snapshot())::text as horizon`,
    parameters: [],
  })
  if (!row) throw new Error('PostgreSQL does not name its transactions')
  return row
}

/**
 * Finds listed records, newest first, except those that changed from the transaction `from` on: their changes bring
 * them. A change of another cluster, in a restored dump, may have a higher number than any transaction here.
 */
export function findListed<Kind extends ChangedKind>(
  db: Db,
  kind: Kind,
  partnerId: string,
  { after, from, limit }: { after: ListedAfter | null; from: string; limit: number },
): Promise<Records[Kind][]> {
  const { columns, table, listed } = SOURCES[kind]
  return planned<Records[Kind]>(db, {
    sql: `select ${columns}, coalesce(xid || '.' || place, '0') as version
            from ${table}
            left join (select record_id, partner_id as of_partner, xid, place from record_changes) known
              on record_id = id and of_partner = $1
           where partner_id = $1 and ${listed} and (created_at, id) < ($2::timestamptz, $3::uuid)
             and (xid is null or xid < $4::xid8 or xid >= pg_snapshot_xmax(pg_current_snapshot()))
           order by created_at desc, id desc
           limit $5`,
    parameters: [partnerId, after?.created_at ?? 'infinity', after?.id ?? LAST_ID, from, limit],
  })
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Finds the records whose last change is after the position and before the transaction `horizon`, in the order of
 * commits, each as it is now. One statement reads change and record, so that they belong together.
 */
export async function findChanged<Kind extends ChangedKind>(
  db: Db,
  kind: Kind,
  partnerId: string,
  { after, horizon, limit }: { after: Position; horizon: string; limit: number },
): Promise<ChangedRecord<Kind>[]> {
  const { columns, table, gone, state } = SOURCES[kind]
  type Row = Records[Kind] &
    Position & { type: ChangeEvent['type']; is_listed: boolean; changed_loid: string; deal_loid: string | null }
  const rows = await planned<Row>(db, {
    sql: `select row.*, change.loid as changed_loid, change.xid::text as xid, change.place::text as place,
                 change.xid || '.' || change.place as version,
                 '${kind}.' || coalesce(${gone}, 'changed') as type, ${gone} is null as is_listed
            from (select * from record_changes
                   where partner_id = $1 and kind = '${kind}'
                     and (xid, place) > ($2::xid8, $3::bigint) and xid < $4::xid8
                   order by xid, place
                   limit $5) change
            left join lateral (select ${columns}, ${state} from ${table}
                                where id = change.record_id and partner_id = $1) row on true
           order by change.xid, change.place`,
    parameters: [partnerId, after.xid, after.place, horizon, limit],
  })
  return rows.map((row) => {
    const { xid, place, type, changed_loid: loid, deal_loid, version } = row
    return { xid, place, type, loid, deal_loid, version, record: row.is_listed ? row : null }
  })
}

/**
 * Sends a statement that is planned each time. A kept plan would be that of a small table, and would read all of it for
 * each record once it is large.
 */
async function planned<Row>(db: Db, { sql, parameters }: { sql: string; parameters: unknown[] }): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(sql, parameters))).rows
}

/** The version of a record. */
export async function findVersion(reads: Reads, partnerId: string, recordId: string): Promise<string> {
  const [row] = await sendNamed<{ version: string | null }>(reads, {
    sql: `select xid || '.' || place as version from record_changes where record_id = $2 and partner_id = $1`,
    parameters: [partnerId, recordId],
  })
  return row?.version ?? '0'
}

/** Removes changes that every valid cursor has passed. Returns how many it removed. */
export function removeChangesOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'record_changes', key: ['record_id', 'partner_id'], time: 'at' }, before, rowsMax)
}
