import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** A waiting lead or deal by its LOID, or a waiting note or document by its id. */
export interface RefusedPush {
  partnerId: string
  kind: 'leads' | 'deals' | 'notes' | 'documents'
  record: string
}

/** After a try, a record waits half as long as it has been refused, within these bounds. */
const PAUSE_MIN = '10 seconds'
/** Half of the longest pause of a job, so that one of the jobs is due for the next try in time. */
const PAUSE_MAX = '15 minutes'

/** Notes why the CRM refused this record, and when. */
export async function noteRefused(db: Db, push: RefusedPush, cause: string, now: Date): Promise<void> {
  const at = now.toISOString()
  await sql`
    insert into refused_pushes (partner_id, kind, record, cause, since, tried_at)
    values (${push.partnerId}, ${push.kind}, ${push.record}, ${cause}, ${at}, ${at})
        on conflict (partner_id, kind, record) do update set
           cause = excluded.cause, tried_at = excluded.tried_at,
           since = case when refused_pushes.cause = excluded.cause then refused_pushes.since else excluded.since end`.execute(
    db,
  )
}

/** Takes the next try of its cause. Returns false if another record that the CRM refused for the same cause was tried a short while ago. */
export async function takeTry(db: Db, push: RefusedPush, now: Date): Promise<boolean> {
  const at = now.toISOString()
  const { rows } = await sql<{ is_next: boolean }>`
    with own as (select * from refused_pushes where ${isOf(push)}),
         next as (
           select not exists (
             select from refused_pushes other
              where other.cause = own.cause and (other.partner_id, other.kind, other.record) <> (own.partner_id, own.kind, own.record)
                and other.tried_at > ${at}::timestamptz - least(interval '${sql.raw(PAUSE_MAX)}',
                      greatest(interval '${sql.raw(PAUSE_MIN)}', (${at}::timestamptz - own.since) / 2))) as is_next
             from own),
         taken as (
           update refused_pushes set tried_at = ${at} where ${isOf(push)} and (select is_next from next))
    select is_next from next`.execute(db)
  return rows[0]?.is_next ?? true
}

/**
 * Forgets these records, because the CRM has them now. If it had refused one, also forgets the others with the same cause,
 * and returns them: they can go too.
 */
export async function forgetTaken(
  db: Db,
  partnerId: string,
  kind: RefusedPush['kind'],
  records: readonly string[],
): Promise<RefusedPush[]> {
  const { rows } = await sql<RefusedPush>`
    delete from refused_pushes
     where cause in (select cause from refused_pushes
                      where partner_id = ${partnerId} and kind = ${kind} and record = any(${records}::text[]))
    returning partner_id as "partnerId", kind, record`.execute(db)
  return rows.filter((row) => row.partnerId !== partnerId || row.kind !== kind || !records.includes(row.record))
}

/** Lets all records be tried at once. */
export async function forgetRefusedOfAllPartners(db: Db): Promise<void> {
  await sql`delete from refused_pushes`.execute(db)
}

/** Removes at most `rowsMax` records that were last tried before this time. Returns how many. */
export async function removeRefusedOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from refused_pushes
     where (partner_id, kind, record) in (
       select partner_id, kind, record from refused_pushes where tried_at < ${before} limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}

function isOf({ partnerId, kind, record }: RefusedPush) {
  return sql`partner_id = ${partnerId} and kind = ${kind} and record = ${record}`
}
