import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import { DEAL_TABLE } from '../../records/deals/deal-table.ts'
import { recordEvents } from '../../records/events/events.ts'
import { archiveRows } from '../../records/kinds/crm-rows.queries.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import { LEAD_TABLE } from '../../records/leads/lead-table.ts'
import type { Done, PageTally } from '../pull/pull.ts'
import { endMatches } from './end-matches.ts'
import { inPageTransaction } from './in-page-transaction.ts'
import { matchLeads } from './match-leads.ts'
import { recordRestoredLeads } from './record-restored-leads.ts'

/**
 * Removes records that left the CRM, or that the lender gave to a partner that the pull does not cover (D28). A lead
 * that a removed deal had replaced is restored, unless another deal matches the lead.
 */
export async function removeGone(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  module: CrmModule,
  rows: readonly { id: string; partner_id: string }[],
  tally?: PageTally,
): Promise<void> {
  if (rows.length === 0) return
  const now = clock.now()
  const at = now.toISOString()
  const partnerIds = rows.map((row) => row.partner_id)
  const done = await inPageTransaction(db, partnerIds, async (tx) => {
    const archived = module === 'Leads' ? await removeLeads(tx) : await removeDeals(tx)
    const removed: Done = {
      records: archived.map(({ created_at }) => ({ module, created_at, is_new: false, outcome: 'removed' })),
    }
    await tally?.write(tx, removed)
    return removed
  })
  tally?.keep(done)

  async function removeLeads(tx: Tx): Promise<RecordRow[]> {
    const leads = await archiveRows(tx, LEAD_TABLE, rows, at)
    await recordEvents(
      tx,
      leads.flatMap((row) => LEAD_TABLE.removed(row, at) ?? []),
    )
    return leads
  }

  async function removeDeals(tx: Tx): Promise<RecordRow[]> {
    const deals = await archiveRows(tx, DEAL_TABLE, rows, at)
    await recordEvents(
      tx,
      deals.flatMap((row) => DEAL_TABLE.removed(row, at) ?? []),
    )
    const leads = await endMatches(tx, { leads: [], deals: deals.map((deal) => deal.loid) })
    await matchLeads(tx, { leads, deals: [] }, now)
    await recordRestoredLeads(tx, leads, at)
    return deals
  }
}
