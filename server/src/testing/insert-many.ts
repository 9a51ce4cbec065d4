import type { Deps } from '../deps.ts'
import { fillAllSearch } from '../platform/db/search-columns.ts'

/** The SQL of a LOID without digits, so that a search for digits does not find it. */
const LOID = `'LO-' || translate(upper(left(md5($1::uuid::text), 4) || lpad(to_hex(i), 4, '0')), '0123456789', 'GHJKMNPQRS')`

/** Inserts this many leads, newer than all other leads of the partner. */
export async function insertNewerLeads({ db, pool }: Deps, partnerId: string, leads: number): Promise<void> {
  await pool.query(
    `insert into leads (id, partner_id, loid, business_name, lead_status, lead_source, created_at, modified_time, crm)
     select gen_random_uuid(), $1::uuid, ${LOID}, 'Newer', 'Lost Lead', 'Newer desk',
            now() + i * interval '1 ms', now(), 'synced'
       from generate_series(1, $2) i`,
    [partnerId, leads],
  )
  await fillAllSearch(db)
}

export async function insertNewerDeals({ db, pool }: Deps, partnerId: string, deals: number): Promise<void> {
  await pool.query(
    `insert into deals (id, partner_id, loid, deal_name, stage, created_at, modified_time, crm)
     select gen_random_uuid(), $1::uuid, ${LOID}, 'Newer', 'Closed', now() + interval '1 hour' + i * interval '1 ms', now(),
            'synced'
       from generate_series(1, $2) i`,
    [partnerId, deals],
  )
  await fillAllSearch(db)
}
