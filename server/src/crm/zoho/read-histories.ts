import type { CrmDeal, CrmHistoryEntry, CrmLead } from '../../records/crm-records.ts'
import { firstItemsOf } from './api.ts'
import type { ZohoParts } from './parts.ts'
import { readFieldHistory, readStageHistory, STAGE_HISTORY_FIELDS } from './wire.ts'

/**
 * At most this many entries of a record's history are read, in at most ten calls. Older entries are only in the CRM.
 */
const ENTRIES_MAX = 2_000

export interface HistoryReader {
  /**
   * The lead's history, oldest first. It begins with the status that the lead was added with, if the CRM kept it. Empty
   * if the CRM kept no history.
   */
  leadStatusHistory(lead: Pick<CrmLead, 'zoho_id' | 'lead_status'>, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  dealStageHistory(deal: Pick<CrmDeal, 'zoho_id' | 'created_at'>, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
}

export function openHistoryReader({ api, metadata, fieldMap: { leads, deals } }: ZohoParts): HistoryReader {
  return {
    async leadStatusHistory(lead, signal) {
      const path = `${leads.module}/${lead.zoho_id}/__timeline`
      const query = { sort_by: 'audited_time', sort_order: 'desc' }
      const pages = api.pages(path, query, { key: '__timeline', signal, sizeWithToken: false })
      const entries = await firstItemsOf(pages, ENTRIES_MAX)
      const displayed = await metadata.displayedOf(leads.module, signal)
      return readFieldHistory(entries, leads.fields.lead_status, lead.lead_status, displayed)
    },

    async dealStageHistory(deal, signal) {
      const path = `${deals.module}/${deal.zoho_id}/Stage_History`
      const rows = await firstItemsOf(api.pages(path, { fields: STAGE_HISTORY_FIELDS }, { signal }), ENTRIES_MAX)
      const displayed = await metadata.displayedOf(deals.module, signal)
      return readStageHistory(rows, deal.created_at, deals.fields.stage, displayed)
    },
  }
}
