import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'
import type { CrmPartner } from '../crm-records.ts'

type Access = PartnerRow['access']

export interface ChangedAccess {
  id: string
  was: Access
  access: Access
}

/**
 * Stores what the partners' own records say of their access (D116), unless a later state of a record is stored. Returns
 * the partners whose access has changed by it.
 */
export async function updatePortalAccess(tx: Tx, told: readonly CrmPartner[]): Promise<ChangedAccess[]> {
  const { rows } = await sql<ChangedAccess>`
    with told as (
      select * from json_to_recordset(${JSON.stringify(told)}::json)
        as told (zoho_id text, portal_access text, portal_access_reason text, modified_time timestamptz)
    ), before as materialized (
      select partners.id, access as was, told.portal_access, told.portal_access_reason, told.modified_time
        from partners join told using (zoho_id)
       where (partners.portal_access, partners.portal_access_reason) is distinct from (told.portal_access, told.portal_access_reason)
         and coalesce(portal_access_at <= told.modified_time, true)
       order by partners.id
         for no key update of partners
    )
    update partners
       set portal_access = before.portal_access, portal_access_reason = before.portal_access_reason,
           portal_access_at = before.modified_time,
           opened_at = coalesce(opened_at, case when before.portal_access in ('Active', 'Invited') then now() end)
      from before where partners.id = before.id
    returning partners.id, was, access`.execute(tx)
  return rows.filter(({ was, access }) => was !== access)
}

/** Forgets what the CRM said, because the organisation has no field for it any more. Returns as `updatePortalAccess`. */
export async function forgetPortalAccessOfAllPartners(tx: Tx): Promise<ChangedAccess[]> {
  const { rows } = await sql<ChangedAccess>`
    with before as materialized (
      select id, access as was from partners where portal_access is not null or portal_access_reason is not null
       order by id for no key update
    )
    update partners set portal_access = null, portal_access_reason = null, portal_access_at = null
      from before where partners.id = before.id
    returning partners.id, was, access`.execute(tx)
  return rows.filter(({ was, access }) => was !== access)
}
