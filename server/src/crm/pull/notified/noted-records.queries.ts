import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { CrmModule } from '../../../records/crm-records.ts'

export interface NotedRecord {
  zoho_id: string
  /** Changes when the record is noted again. */
  seq: string
}

/** Notes that these records have changed, until they are read. */
export async function noteRecords(db: Db, module: CrmModule, zohoIds: readonly string[]): Promise<void> {
  await sql`
    insert into noted_records (module, zoho_id)
    select ${module}, zoho_id from unnest(${zohoIds.toSorted()}::text[]) as given (zoho_id)
        on conflict (module, zoho_id) do update set seq = nextval('noted_records_seq')`.execute(db)
}

/** The records that have waited longest, at most `limit`. */
export async function findNotedRecords(db: Db, module: CrmModule, limit: number): Promise<NotedRecord[]> {
  const { rows } = await sql<NotedRecord>`
    select zoho_id, seq::text from noted_records where module = ${module} order by seq limit ${limit}`.execute(db)
  return rows
}

/** Forgets records that were read, except those that were noted again meanwhile. */
export async function forgetNoted(db: Db, module: CrmModule, read: readonly NotedRecord[]): Promise<void> {
  await sql`
    delete from noted_records using unnest(${read.map((one) => one.zoho_id)}::text[], ${read.map((one) => one.seq)}::bigint[]) as read (zoho_id, seq)
     where module = ${module} and noted_records.zoho_id = read.zoho_id and noted_records.seq = read.seq`.execute(db)
}

/** Forgets all noted records. The sweep finds what has changed. */
export async function forgetAllNoted(db: Db): Promise<void> {
  await sql`delete from noted_records`.execute(db)
}
