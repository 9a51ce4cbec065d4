import type { Tx } from '../../platform/db/database.ts'
import { recordEvents } from '../../records/events/events.ts'
import { LEAD_TABLE } from '../../records/leads/lead-table.ts'
import { findOpenLeadsOfAllPartners } from '../../records/leads/matching.queries.ts'

/**
 * Records the events for leads that are back on their partners' lists because the deals that had replaced them are
 * gone. Must run after `matchLeads`, because another deal may have replaced some of these leads again.
 */
export async function recordRestoredLeads(tx: Tx, restored: readonly string[], at: string): Promise<void> {
  if (restored.length === 0) return
  const leads = await findOpenLeadsOfAllPartners(tx, restored)
  await recordEvents(
    tx,
    leads.map((lead) => LEAD_TABLE.restored(lead, at)),
  )
}
