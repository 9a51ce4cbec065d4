import { SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { LeadChange, LeadRow } from '../../db/tables.ts'
import { recordEvent } from '../../events/events.ts'
import { beginCrmHistory, type HistoryOf, moveHistory, writeCrmHistory } from '../../history/history.queries.ts'
import { appliedTime, isOutdated } from '../../zoho/applied-time.ts'
import type { CrmHistoryEntry, CrmLead } from '../../zoho/crm-records.ts'
import { CrmConflict } from '../../zoho/errors.ts'
import { archiveLead, insertLead, lockLeadsOfAllPartners, moveLead, updateLead } from './leads.queries.ts'

/** A lead of the CRM with the LOID that it has or is to have in the portal. */
export type NamedCrmLead = CrmLead & {
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

export interface AppliedLead {
  outcome: 'created' | 'updated' | 'skipped'
  loid: string
}

/**
 * What a CRM record does to our row, its history and the events, in the caller's transaction. The CRM wins on every
 * field (D30); the LOID, the birth and the consent are the portal's. Applying the same record again changes nothing.
 */
export async function applyCrmLead(
  tx: Tx,
  scope: Scope,
  record: NamedCrmLead,
  history: readonly CrmHistoryEntry[],
): Promise<AppliedLead> {
  const { partnerId, now } = scope
  const row = await findOwnRow(tx, scope, record)
  if (!row) {
    await insertFromCrm(tx, scope, record, history)
    return { outcome: 'created', loid: record.loid }
  }
  const { loid } = row
  if (isOutdated(record, row)) return { outcome: 'skipped', loid }

  const change = changedFields(row, record)
  const isBack = row.archived_reason === 'left-crm'
  const isChanged = isBack || Object.keys(change).length > 0
  await updateLead(tx, partnerId, loid, {
    ...change,
    ...(isChanged && { modified_time: record.modified_time }),
    ...(isBack && { archived_at: null, archived_reason: null }),
    zoho_id: record.zoho_id,
    crm: 'synced',
    crm_modified_time: appliedTime(record.modified_time, now),
  })
  const status = change.lead_status ?? row.lead_status
  if (history.length > 0 || change.lead_status !== undefined) {
    await writeCrmHistory(tx, historyOf(partnerId, loid), { ...record, current: status }, history)
  }
  if (isBack) {
    await recordCreated(tx, scope, loid, record, status)
  } else if (change.lead_status !== undefined) {
    const { business_name, loan_amount: amount } = record
    const data = { business_name, amount, status, previous: row.lead_status }
    await recordEvent(tx, { partnerId, loid, type: 'lead.status_changed', data, at: now.toISOString() })
  }
  return { outcome: isChanged ? 'updated' : 'skipped', loid }
}

/** The record left the CRM, or the lender gave it to another partner (D28). False when the lead was archived already. */
export async function removeCrmLead(tx: Tx, { partnerId, now }: Omit<Scope, 'isNews'>, loid: string): Promise<boolean> {
  const at = now.toISOString()
  const lead = await archiveLead(tx, partnerId, loid, { archived_at: at, archived_reason: 'left-crm' })
  if (!lead) return false
  // A converted lead was gone from the partner's lists before; the deal has events of its own.
  if (lead.converted_at === null) {
    const data = { business_name: lead.business_name, amount: lead.loan_amount, reason: 'left-crm' as const }
    await recordEvent(tx, { partnerId, loid, type: 'lead.removed', data, at })
  }
  return true
}

/** The row that is this record: by the CRM's id, or by the LOID of a lead whose push was not heard of yet. */
async function findOwnRow(tx: Tx, { partnerId, now }: Scope, record: NamedCrmLead): Promise<LeadRow | undefined> {
  const rows = await lockLeadsOfAllPartners(tx, record.zoho_id, record.loid)
  const sameRecord = rows.find((row) => row.zoho_id === record.zoho_id)
  if (sameRecord && sameRecord.partner_id !== partnerId && !isOutdated(record, sameRecord)) {
    await removeCrmLead(tx, { partnerId: sameRecord.partner_id, now }, sameRecord.loid)
    await moveLead(tx, sameRecord.loid, sameRecord.partner_id, partnerId)
    await moveHistory(tx, historyOf(sameRecord.partner_id, sameRecord.loid), partnerId)
    return { ...sameRecord, partner_id: partnerId, archived_reason: 'left-crm' }
  }
  if (sameRecord) return sameRecord
  const sameLoid = rows[0]
  if (!sameLoid) return undefined
  const isFree = sameLoid.zoho_id === null || sameLoid.archived_reason === 'left-crm'
  if (sameLoid.partner_id === partnerId && isFree) return sameLoid
  throw new CrmConflict(`its LOID ${record.loid} is that of another lead`)
}

async function insertFromCrm(tx: Tx, scope: Scope, record: NamedCrmLead, history: readonly CrmHistoryEntry[]) {
  const { partnerId, now } = scope
  const status = record.lead_status ?? SUBMITTED_STATUS
  await insertLead(tx, {
    ...crmFields(record),
    id: newId(now),
    partner_id: partnerId,
    loid: record.loid,
    lead_status: status,
    created_at: record.created_at,
    modified_time: record.modified_time,
    zoho_id: record.zoho_id,
    crm: 'synced',
    crm_modified_time: appliedTime(record.modified_time, now),
  })
  await beginCrmHistory(tx, historyOf(partnerId, record.loid), { ...record, current: status }, history)
  await recordCreated(tx, scope, record.loid, record, status)
}

function historyOf(partnerId: string, loid: string): HistoryOf {
  return { kind: 'lead-status', partnerId, loid }
}

async function recordCreated(tx: Tx, scope: Scope, loid: string, record: CrmLead, status: string): Promise<void> {
  if (!scope.isNews) return
  const data = { business_name: record.business_name, amount: record.loan_amount, status }
  await recordEvent(tx, { partnerId: scope.partnerId, loid, type: 'lead.created', data, at: scope.now.toISOString() })
}

function changedFields(row: LeadRow, record: CrmLead): LeadChange {
  // A status that was emptied leaves the last one standing: a lead always has one.
  const wanted = { ...crmFields(record), lead_status: record.lead_status ?? row.lead_status }
  const current: Record<string, unknown> = row
  return Object.fromEntries(Object.entries(wanted).filter(([column, value]) => current[column] !== value))
}

/** The columns that are the CRM's to say. */
function crmFields(record: CrmLead) {
  return {
    business_name: record.business_name,
    first_name: record.first_name,
    last_name: record.last_name,
    email: record.email,
    phone: record.phone,
    state: record.state,
    loan_amount: record.loan_amount,
    loan_type: record.loan_type,
    loan_purpose: record.loan_purpose,
    loan_term: record.loan_term,
    sales_monthly: record.sales_monthly,
    lead_source: record.lead_source,
    brand: record.brand,
    description: record.description,
    permit_link: record.permit_link,
    business_industry: record.business_industry,
    time_in_business: record.time_in_business,
    business_abn: record.business_abn,
    partner_iso: record.partner_iso,
    owns_property: record.owns_property,
    property_value: record.property_value,
    property_debt: record.property_debt,
  }
}
