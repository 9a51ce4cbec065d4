import { isDeepStrictEqual } from 'node:util'
import { SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import { LEAD_RECORD, LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import { eachOf, keysOf, personalColumns, pick } from '@portal/contract/record-fields.ts'
import type { Verdict } from '@portal/contract/verdict.ts'
import { cutText } from '../../platform/cut-text.ts'
import { type LeadRow, TYPED_LEAD_COLUMNS, type TypedLead } from '../../platform/db/tables.ts'
import type { CrmLead } from '../crm-records.ts'
import { type CrmTable, type NamedRecord, toldOrBefore } from '../kinds/crm-table.ts'

export type NamedCrmLead = CrmLead & NamedRecord
/** A lead's row, as it is written to the database. */
export type StoredLead = Omit<LeadRow, 'search_fold' | 'search_keys' | 'crm_problem' | 'crm_sent_at'>

const FIELDS = { ...LEAD_RECORD, ...LEAD_VERDICT }

/** The fields that identify an applicant or hold free text, set to null (D97). The figures stay. */
export const ERASED_LEAD = eachOf(personalColumns(FIELDS), null)

/** Describes how leads from the CRM become rows and events. */
export const LEAD_TABLE: CrmTable<NamedCrmLead, StoredLead> = {
  module: 'Leads',
  name: 'leads',
  historyKind: 'lead-status',
  crmColumns: keysOf(FIELDS),
  valueOf: (row) => row.lead_status,
  valueColumn: 'lead_status',
  toRow(lead, own, before) {
    // If a lead was replaced by a deal and then moves to another partner, it is open again.
    const kept = before && before.matched_at !== null && before.partner_id !== own.partner_id ? undefined : before
    // If the lead moves to another partner, that partner must not learn who submitted it.
    const submitter = before?.partner_id === own.partner_id ? before : undefined
    const row = {
      ...pick(lead, keysOf(LEAD_RECORD)),
      last_name: lastNameOf(lead, before),
      // A lead always has a status. If the CRM empties the field, the last status stays.
      lead_status: lead.lead_status ?? before?.lead_status ?? SUBMITTED_STATUS,
      ...toldOrBefore<Verdict>(LEAD_VERDICT, lead, before),
      submitter_id: submitter?.submitter_id ?? null,
      submitted_by: submitter?.submitted_by ?? null,
      consent_version: before?.consent_version ?? null,
      consent_at: before?.consent_at ?? null,
      converted_at: kept?.converted_at ?? null,
      awaits_deal_since: lead.is_converted ? (kept?.awaits_deal_since ?? null) : null,
      deal_loid: kept?.deal_loid ?? null,
      matched_at: kept?.matched_at ?? null,
      match_told: kept?.match_told ?? false,
      erased_at: before?.erased_at ?? null,
      ...own,
      // Data that was erased in the portal must not come back from the CRM.
      ...(before?.erased_at && ERASED_LEAD),
      touched_at: before ? before.touched_at : own.crm_read_at,
    }
    // Of a version that the portal has already, CRM_FIELD_MAP names other fields now: the lender has changed nothing.
    return before && before.crm_modified_time !== lead.modified_time && isTouched(row, before, lead.nameNow)
      ? { ...row, touched_at: before.touched_at ?? own.crm_read_at }
      : row
  },
  created: ({ partner_id: partnerId, loid, business_name, loan_amount: amount, lead_status: status }, at) => {
    return { partnerId, loid, type: 'lead.created', data: { business_name, amount, status, submitted_by: null }, at }
  },
  restored: ({ partner_id: partnerId, loid, business_name, loan_amount: amount, lead_status: status }, at) => {
    return { partnerId, loid, type: 'lead.restored', data: { business_name, amount, status }, at }
  },
  changed({ partner_id: partnerId, loid, business_name, loan_amount: amount }, change, at) {
    const { value: status, previous, changed_time: changed_at } = change
    const data = { business_name, amount, status, previous, changed_at }
    return { partnerId, loid, type: 'lead.status_changed', data, at }
  },
  updated: () => undefined,
  told(row, before, at) {
    const { partner_id: partnerId, loid, business_name, loan_amount: amount, converted_at } = row
    const verdict = verdictOf(row)
    const isSame = isDeepStrictEqual(verdict, verdictOf(before))
    // An erasure empties the reason, and a converted lead is no longer in the partner's lists.
    if (isSame || converted_at !== null || row.erased_at !== before.erased_at) return []
    return [{ partnerId, loid, type: 'lead.verdict_changed', data: { business_name, amount, ...verdict }, at }]
  },
  removed({ partner_id: partnerId, loid, business_name, loan_amount: amount, converted_at }, at) {
    // A converted lead is no longer in the partner's lists, and its deal has its own events.
    if (converted_at !== null) return undefined
    return { partnerId, loid, type: 'lead.removed', data: { business_name, amount, reason: 'left-crm' }, at }
  },
}

/**
 * Whether the lender has changed what the partner typed, or moved the status on (D86). What only the lender sets does not
 * count, nor does another name of the same choice.
 */
export function isTouched(
  row: TypedLead & Pick<LeadRow, 'lead_status'>,
  before: TypedLead,
  nameNow: CrmLead['nameNow'],
): boolean {
  const isMoved = !isNamed(row, 'lead_status', SUBMITTED_STATUS, nameNow)
  return isMoved || TYPED_LEAD_COLUMNS.some((column) => !isNamed(row, column, before[column], nameNow))
}

/** Whether the CRM's record has this value of the portal's, by its present name. */
export function isNamed(record: object, column: string, value: unknown, nameNow: CrmLead['nameNow']): boolean {
  const found: unknown = Reflect.get(record, column)
  return found === value || (typeof value === 'string' && found === nameNow(column, value))
}

function verdictOf(row: StoredLead): Verdict {
  return pick(row, keysOf(LEAD_VERDICT))
}

/** The CRM's longest last name. */
const LAST_NAME_LENGTH_MAX = 80

/**
 * The CRM demands a last name, so the portal pushes a lead without one under the business's name or its LOID. That name
 * is nobody's, and does not come back (D124).
 */
function lastNameOf(lead: NamedCrmLead, before: StoredLead | undefined): string | null {
  const filledIn = [lead.business_name && cutText(lead.business_name, LAST_NAME_LENGTH_MAX), before?.loid]
  const isFilledIn = before?.last_name === null && lead.first_name === null && filledIn.includes(lead.last_name ?? '')
  return isFilledIn ? null : lead.last_name
}
