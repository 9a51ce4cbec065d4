import type { Deps } from '../../deps.ts'
import { findRowsOfAllPartners, nameRow } from '../../records/kinds/crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../../records/kinds/crm-table.ts'
import { PULL_QUEUE } from '../queues.ts'

/**
 * Handles rows whose push reached the CRM but got no answer, and whose CRM records were deleted by staff before the
 * push was repeated. Each row gets the id of its CRM record, and the record is pulled. The pull archives the row, as
 * for any record that was deleted in the CRM, and restores the row if staff restore the record. `deleted` lists for
 * each LOID the CRM ids that its deleted record may have had. An id that another row already has is not used. Returns
 * the LOIDs of the rows that got an id, either here or from a pull that ran after the push had read the row.
 */
export async function nameDeleted<Item extends NamedRecord, Row extends RecordRow>(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  table: CrmTable<Item, Row>,
  deleted: ReadonlyMap<string, readonly string[]>,
): Promise<Set<string>> {
  const rows = await findRowsOfAllPartners(db, table, [...deleted.values()].flat())
  const taken = new Set(rows.map((row) => row.zoho_id))
  const named = new Set(rows.map((row) => row.loid).filter((loid) => deleted.has(loid)))
  for (const [loid, zohoIds] of deleted) {
    if (named.has(loid)) continue
    const zohoId = zohoIds.find((one) => !taken.has(one))
    if (zohoId === undefined) continue
    taken.add(zohoId)
    named.add(loid)
    await db.transaction().execute(async (tx) => {
      await nameRow(tx, table, loid, zohoId)
      await jobs.enqueue(tx, PULL_QUEUE, { module: table.module, zohoIds: [zohoId] })
    })
  }
  return named
}
