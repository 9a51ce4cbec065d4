import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { DealChange, DealRow } from '../../db/tables.ts'
import { recordEvent } from '../../events/events.ts'
import { beginCrmHistory, type HistoryOf, moveHistory, writeCrmHistory } from '../../history/history.queries.ts'
import { appliedTime, isOutdated } from '../../zoho/applied-time.ts'
import type { CrmDeal, CrmHistoryEntry } from '../../zoho/crm-records.ts'
import { CrmConflict } from '../../zoho/errors.ts'
import { archiveDeal, insertDeal, lockDealsOfAllPartners, updateDeal } from './deals.queries.ts'

/** A deal of the CRM with the LOID that it has or is to have in the portal. A deal always has a stage. */
export type NamedCrmDeal = CrmDeal & {
  loid: string
  /** Nothing has happened to it since it was added: it has no history but its beginning. */
  is_untouched: boolean
}

interface Scope {
  partnerId: string
  now: Date
  /** Whether meeting a record for the first time is news: not in a partner's first sync (D35). */
  isNews: boolean
}

export interface AppliedDeal {
  outcome: 'created' | 'updated' | 'skipped'
  loid: string
}

/**
 * What a CRM record does to our row, its history and the events, in the caller's transaction. The CRM wins on every
 * field (D30) but the LOID. Applying the same record again changes nothing.
 */
export async function applyCrmDeal(
  tx: Tx,
  scope: Scope,
  record: NamedCrmDeal,
  history: readonly CrmHistoryEntry[],
): Promise<AppliedDeal> {
  const { partnerId, now } = scope
  const { stage } = record
  if (stage === null) throw new CrmConflict('it has no stage')
  const row = await findOwnRow(tx, scope, record)
  if (!row) {
    await insertDeal(tx, {
      ...crmFields(record),
      id: newId(now),
      partner_id: partnerId,
      loid: record.loid,
      stage,
      created_at: record.created_at,
      modified_time: record.modified_time,
      zoho_id: record.zoho_id,
      crm: 'synced',
      crm_modified_time: appliedTime(record.modified_time, now),
    })
    await beginCrmHistory(tx, historyOf(partnerId, record.loid), { ...record, current: stage }, history)
    await recordCreated(tx, scope, record.loid, record, stage)
    return { outcome: 'created', loid: record.loid }
  }
  const { loid } = row
  if (isOutdated(record, row)) return { outcome: 'skipped', loid }

  const change = changedFields(row, record, stage)
  const isBack = row.archived_reason === 'left-crm'
  // What the CRM itself adds to a deal that the portal pushed, such as the stage's probability, is nobody's doing.
  const isFilledIn = row.crm_modified_time === null && record.is_untouched
  const isChanged = isBack || Object.keys(change).length > 0
  await updateDeal(tx, partnerId, loid, {
    ...change,
    ...(isChanged && { modified_time: record.modified_time }),
    ...(isBack && { archived_at: null, archived_reason: null }),
    zoho_id: record.zoho_id,
    crm: 'synced',
    crm_modified_time: appliedTime(record.modified_time, now),
  })
  if (history.length > 0 || change.stage !== undefined) {
    await writeCrmHistory(tx, historyOf(partnerId, loid), { ...record, current: stage }, history)
  }
  const { deal_name, business_name, amount } = record
  const data = { deal_name, business_name, amount, stage }
  const event = { partnerId, loid, at: now.toISOString() }
  if (isBack) await recordCreated(tx, scope, loid, record, stage)
  else if (change.stage !== undefined) {
    await recordEvent(tx, { ...event, type: 'deal.stage_changed', data: { ...data, previous: row.stage } })
  } else if (isChanged && !isFilledIn) await recordEvent(tx, { ...event, type: 'deal.updated', data })
  return { outcome: isChanged ? 'updated' : 'skipped', loid }
}

/** The record left the CRM, or the lender gave it to another partner (D28). False when it was archived already. */
export async function removeCrmDeal(tx: Tx, { partnerId, now }: Omit<Scope, 'isNews'>, loid: string): Promise<boolean> {
  const at = now.toISOString()
  const deal = await archiveDeal(tx, partnerId, loid, at)
  if (!deal) return false
  const { deal_name, business_name, amount } = deal
  await recordEvent(tx, { partnerId, loid, type: 'deal.removed', data: { deal_name, business_name, amount }, at })
  return true
}

/** The row that is this record: by the CRM's id, or by the LOID of a deal that is not in the CRM any more or not yet. */
async function findOwnRow(tx: Tx, { partnerId, now }: Scope, record: NamedCrmDeal): Promise<DealRow | undefined> {
  const rows = await lockDealsOfAllPartners(tx, record.zoho_id, record.loid)
  const sameRecord = rows.find((row) => row.zoho_id === record.zoho_id)
  if (sameRecord && sameRecord.partner_id !== partnerId && !isOutdated(record, sameRecord)) {
    await removeCrmDeal(tx, { partnerId: sameRecord.partner_id, now }, sameRecord.loid)
    await updateDeal(tx, sameRecord.partner_id, sameRecord.loid, { partner_id: partnerId })
    await moveHistory(tx, historyOf(sameRecord.partner_id, sameRecord.loid), partnerId)
    return { ...sameRecord, partner_id: partnerId, archived_reason: 'left-crm' }
  }
  if (sameRecord) return sameRecord
  const sameLoid = rows[0]
  if (!sameLoid) return undefined
  const isFree = sameLoid.zoho_id === null || sameLoid.archived_reason === 'left-crm'
  if (sameLoid.partner_id === partnerId && isFree) return sameLoid
  throw new CrmConflict(`its LOID ${record.loid} is that of another deal`)
}

function historyOf(partnerId: string, loid: string): HistoryOf {
  return { kind: 'deal-stage', partnerId, loid }
}

async function recordCreated(tx: Tx, scope: Scope, loid: string, record: CrmDeal, stage: string): Promise<void> {
  if (!scope.isNews) return
  const { deal_name, business_name, amount } = record
  const data = { deal_name, business_name, amount, stage }
  await recordEvent(tx, { partnerId: scope.partnerId, loid, type: 'deal.created', data, at: scope.now.toISOString() })
}

function changedFields(row: DealRow, record: CrmDeal, stage: string): DealChange {
  // Until the lender has made the contact, which the portal cannot, whom the partner named stands.
  const contact_name = record.contact_name ?? row.contact_name
  const wanted = { ...crmFields(record), contact_name, stage }
  const current: Record<string, unknown> = row
  return Object.fromEntries(Object.entries(wanted).filter(([column, value]) => current[column] !== value))
}

/** The columns that are the CRM's to say. */
function crmFields(record: CrmDeal) {
  return {
    deal_name: record.deal_name,
    business_name: record.business_name,
    contact_name: record.contact_name,
    email: record.email,
    phone: record.phone,
    amount: record.amount,
    loan_type: record.loan_type,
    loan_purpose: record.loan_purpose,
    loan_term: record.loan_term,
    lead_source: record.lead_source,
    closing_date: record.closing_date,
    probability: record.probability,
    description: record.description,
    partner_iso: record.partner_iso,
  }
}
