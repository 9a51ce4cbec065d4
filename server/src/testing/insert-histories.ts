import type { HistoryKind } from '@portal/contract/meanings.ts'
import type { Deps } from '../deps.ts'

interface Histories {
  records: number
  days: number
  kind?: HistoryKind
  value?: string
}

/**
 * Inserts histories for the partner, one for each of `records` made-up records. Each record had the value for `days`
 * days and left it yesterday. No lead or deal has the LOIDs of these histories.
 */
export async function insertHistories(
  { pool }: Deps,
  partnerId: string,
  { records, days, kind = 'lead-status', value = 'Pre Call' }: Histories,
): Promise<void> {
  await pool.query(
    `insert into history_entries (id, partner_id, kind, loid, value, changed_time, origin)
     select gen_random_uuid(), $1::uuid, $2, record.loid, entry.value, now() - entry.days_ago * interval '1 day', 'crm'
       from (select 'LO-' || upper(left(md5(gen_random_uuid()::text), 8)) as loid from generate_series(1, $3)) as record,
            (values ($4::text, $5::float + 1), ('Afterwards', 1)) as entry (value, days_ago)`,
    [partnerId, kind, records, value, days],
  )
}
