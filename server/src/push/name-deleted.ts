import { findRowsOfAllPartners, nameRow } from '../apply/crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../apply/crm-table.ts'
import type { Deps } from '../deps.ts'
import { PULL_QUEUE } from './pull-queue.ts'

/**
 * Records whose push lost its answer and which staff deleted before the repeat: each gets its id in the CRM and is pulled, so
 * that it leaves the portal like every record that leaves the CRM, and comes back with it. `deleted` has the ids that may be
 * each LOID's; an id of another row is not. Answers the LOIDs that got one.
 */
export async function nameDeleted<Item extends NamedRecord, Row extends RecordRow>(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  table: CrmTable<Item, Row>,
  deleted: ReadonlyMap<string, readonly string[]>,
): Promise<Set<string>> {
  const rows = await findRowsOfAllPartners(db, table, [...deleted.values()].flat())
  const taken = new Set(rows.map((row) => row.zoho_id))
  const named = new Set<string>()
  for (const [loid, zohoIds] of deleted) {
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
