import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { archiveRows, findRowsOfAllPartners, nameRow } from './crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from './crm-table.ts'

/**
 * Records whose push lost its answer and which staff deleted before the repeat: they leave the portal like every record that
 * leaves the CRM, and come back with it. `deleted` has the ids that may be each LOID's; an id of another row is not.
 * Answers the LOIDs that left.
 */
export async function archiveDeleted<Item extends NamedRecord, Row extends RecordRow>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  table: CrmTable<Item, Row>,
  deleted: ReadonlyMap<string, readonly string[]>,
): Promise<Set<string>> {
  const rows = await findRowsOfAllPartners(db, table, [...deleted.values()].flat())
  const taken = new Set(rows.map((row) => row.zoho_id))
  const left = new Set<string>()
  for (const [loid, zohoIds] of deleted) {
    const zohoId = zohoIds.find((one) => !taken.has(one))
    if (zohoId === undefined) continue
    taken.add(zohoId)
    left.add(loid)
    const at = clock.now().toISOString()
    await db.transaction().execute(async (tx) => {
      const archived = await archiveRows(tx, table, await nameRow(tx, table, loid, zohoId), at)
      await recordEvents(
        tx,
        archived.flatMap((row) => table.removed(row, at) ?? []),
      )
    })
  }
  return left
}
