import { changeLead, GONE, NOT_ANSWERED, TOUCHED } from '../../crm/push/change-lead.job.ts'
import type { Deps } from '../../deps.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { LeadRow } from '../../platform/db/tables.ts'
import { NotYet } from '../../platform/jobs/define-job.ts'
import { insertLeadChange, lockLead, refuseChange } from '../../records/leads/lead-changes.queries.ts'
import {
  findChangeOf,
  findTouches,
  type findUndo,
  markRowKept,
  markRowWithdrawn,
  type RowToUndo,
} from './undo.queries.ts'

type Undo = NonNullable<Awaited<ReturnType<typeof findUndo>>>

/**
 * Withdraws the row's lead as its page would, or stores why it stays. Returns false if neither can be said yet. The job
 * that calls this carries out the withdrawal itself, so that the jobs of other corrections never wait behind a file.
 */
export async function undoRow(deps: Deps, undo: Undo, row: RowToUndo, signal: AbortSignal): Promise<boolean> {
  const at = deps.clock.now().toISOString()
  const decide = () => inTransaction(deps.db, (tx) => decideRow(tx, undo, row, at))
  if (await decide()) return true
  try {
    await changeLead.run(deps, { partnerId: row.partner_id, loid: row.loid }, signal)
  } catch (error) {
    if (error instanceof NotYet) return false
    throw error
  }
  return decide()
}

/** Ends the row without another try: its lead stays, unless it is withdrawn by now. */
export function keepRow(db: Db, row: RowToUndo): Promise<void> {
  return inTransaction(db, async (tx) => {
    const lead = await lockLead(tx, row.partner_id, row.loid)
    await refuseChange(tx, row.partner_id, row.loid, NOT_ANSWERED)
    if (lead?.archived_reason === 'withdrawn') await markRowWithdrawn(tx, row)
    else await markRowKept(tx, row, NOT_ANSWERED)
  })
}

/** Stores what became of the row. If nothing speaks against it, asks for the withdrawal instead and returns false. */
async function decideRow(tx: Tx, undo: Undo, row: RowToUndo, at: string): Promise<boolean> {
  const { partner_id, loid } = row
  const lead = await lockLead(tx, partner_id, loid)
  if (lead?.archived_reason === 'withdrawn') {
    await markRowWithdrawn(tx, row)
    return true
  }
  const change = await findChangeOf(tx, partner_id, loid)
  if (lead && change?.state === 'waiting') return false
  const isRefused = change?.kind === 'withdraw' && change.asked_at >= (undo.undo_asked_at ?? '')
  const because = (isRefused ? change.problem : null) ?? (await whyKept(tx, lead, row))
  if (because !== undefined || undo.undo_person_id === null) {
    await markRowKept(tx, row, because ?? 'The person who undid the import has been removed.')
    return true
  }
  await insertLeadChange(tx, {
    loid,
    partner_id,
    person_id: undo.undo_person_id,
    kind: 'withdraw',
    corrected: null,
    reason: 'The import was undone.',
    asked_at: at,
  })
  return false
}

async function whyKept(tx: Tx, lead: LeadRow | undefined, row: RowToUndo): Promise<string | undefined> {
  if (!lead || lead.erased_at !== null) return 'The applicant’s data has been erased.'
  if (lead.deal_loid !== null || lead.converted_at !== null || lead.awaits_deal_since !== null) return TOUCHED
  if (lead.archived_at !== null) return GONE
  const touches = await findTouches(tx, row.partner_id, row.loid)
  if (touches?.has_notes) return 'The lead has a note.'
  if (touches?.has_documents) return 'The lead has a document.'
  if (touches?.is_corrected) return 'The lead was corrected after the import.'
  if (lead.touched_at !== null) return TOUCHED
  return undefined
}
