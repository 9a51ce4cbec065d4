import type { Manager } from '@portal/contract/manager.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { CrmPartner } from '../crm-records.ts'

/**
 * Stores what these records say of the partners that are linked with them. A version that is older than the stored one
 * changes nothing.
 */
export async function keepPartnerFacts(db: Db, records: readonly CrmPartner[]): Promise<void> {
  if (records.length === 0) return
  await sql`
    insert into partner_facts as kept (partner_id, zoho_id, crm_modified_time, manager_name, manager_phone, manager_email)
    select partners.id, told.zoho_id, told.modified_time, told.manager_name, told.manager_phone, told.manager_email
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
           as told (zoho_id text, modified_time timestamptz, manager_name text, manager_phone text, manager_email text)
      join partners on partners.zoho_id = told.zoho_id
     order by partners.id
        on conflict (partner_id) do update
       set zoho_id = excluded.zoho_id, crm_modified_time = excluded.crm_modified_time,
           manager_name = excluded.manager_name, manager_phone = excluded.manager_phone,
           manager_email = excluded.manager_email
     where kept.zoho_id <> excluded.zoho_id or kept.crm_modified_time <= excluded.crm_modified_time`.execute(db)
}

/** Finds the partner's contact at the lender. Null where the organisation lacks the fields or names nobody. */
export async function findManager(reads: Reads, partnerId: string): Promise<Manager | null> {
  const [row] = await sendNamed<Manager>(reads, {
    sql: `select manager_name as name, manager_phone as phone, manager_email as email
            from partner_facts join partners on partners.id = partner_id and partners.zoho_id = partner_facts.zoho_id
           where partner_id = $1 and exists (select from crm_field_groups where name = 'manager')`,
    parameters: [partnerId],
  })
  return row && (row.name ?? row.phone ?? row.email) !== null ? row : null
}
