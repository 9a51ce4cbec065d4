import { DEAL_COMMISSION, DEAL_RECORD } from '@portal/contract/deal-fields.ts'
import { eachOf, keysOf, personalColumns, pick, type ValuesOf } from '@portal/contract/record-fields.ts'
import type { DealRow } from '../../platform/db/tables.ts'
import type { CrmDeal } from '../crm-records.ts'
import { CrmConflict } from '../crm-records.ts'
import { type CrmTable, type NamedRecord, toldOrBefore } from '../kinds/crm-table.ts'
import { isNewlyPaid, isOfPayment } from './payments.ts'

/** A deal from the CRM. `erased_at` is set if the applicant's data in the deal's lead was erased. */
export type NamedCrmDeal = CrmDeal & NamedRecord & { erased_at?: string | null }
/** A deal's row, as it is written to the database. */
export type StoredDeal = Omit<DealRow, 'search_fold' | 'search_keys' | 'crm_problem' | 'crm_sent_at' | 'lead_loid'>

const FIELDS = { ...DEAL_RECORD, ...DEAL_COMMISSION }

/** The fields that identify an applicant or hold free text, set to null (D97). The figures stay. */
export const ERASED_DEAL = eachOf(personalColumns(FIELDS), null)

/** Describes how deals from the CRM become rows and events. */
export const DEAL_TABLE: CrmTable<NamedCrmDeal, StoredDeal> = {
  module: 'Deals',
  name: 'deals',
  historyKind: 'deal-stage',
  crmColumns: keysOf(FIELDS),
  valueOf: (row) => row.stage,
  valueColumn: 'stage',
  toRow(deal, own, before) {
    const erasedAt = before?.erased_at ?? deal.erased_at ?? null
    // If the deal moves to another partner, that partner must not learn who submitted it.
    const submitter = before?.partner_id === own.partner_id ? before : undefined
    if (deal.stage === null) throw new CrmConflict('it has no stage')
    return {
      ...pick(deal, keysOf(DEAL_RECORD)),
      stage: deal.stage,
      // Only the lender can create the contact in the CRM. Until then, the deal keeps the name that the partner
      // submitted.
      contact_name: deal.contact_name ?? before?.contact_name ?? null,
      ...toldOrBefore<ValuesOf<typeof DEAL_COMMISSION>>(DEAL_COMMISSION, deal, before),
      submitter_id: submitter?.submitter_id ?? null,
      submitted_by: submitter?.submitted_by ?? null,
      erased_at: erasedAt,
      ...own,
      ...(erasedAt && ERASED_DEAL),
    }
  },
  created: (row, at) => ({
    ...eventOf(row, at),
    type: 'deal.created',
    data: { ...dataOf(row), stage: row.stage, submitted_by: row.submitted_by },
  }),
  restored: (row, at) => ({ ...eventOf(row, at), type: 'deal.restored', data: { ...dataOf(row), stage: row.stage } }),
  changed: (row, { value: stage, previous, changed_time: changed_at }, at) => {
    return { ...eventOf(row, at), type: 'deal.stage_changed', data: { ...dataOf(row), stage, previous, changed_at } }
  },
  updated(row, before, deal, at) {
    // The CRM itself adds values to a new deal, such as the stage's probability. Nobody made these changes, so they
    // cause no event. A payment is not everybody's business (D111).
    const isFilledIn = before.crm_modified_time === null && deal.created_at === deal.modified_time
    if (isFilledIn || DEAL_TABLE.crmColumns.every((column) => isOfPayment(column) || row[column] === before[column]))
      return undefined
    return { ...eventOf(row, at), type: 'deal.updated', data: { ...dataOf(row), stage: row.stage } }
  },
  told(row, before, at) {
    if (!isNewlyPaid(row, before, at)) return []
    const { deal_name, business_name } = row
    return [{ ...eventOf(row, at), type: 'deal.paid', data: { deal_name, business_name } }]
  },
  removed: (row, at) => ({ ...eventOf(row, at), type: 'deal.removed', data: dataOf(row) }),
}

function eventOf({ partner_id: partnerId, loid }: StoredDeal, at: string) {
  return { partnerId, loid, at }
}

function dataOf({ deal_name, business_name, amount }: StoredDeal) {
  return { deal_name, business_name, amount }
}
