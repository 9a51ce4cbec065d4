import type {
  CrmBatch,
  CrmDeal,
  CrmHistoryEntry,
  CrmLead,
  CrmModule,
  CrmNote,
  CrmVersion,
  LeadToPush,
  NoteToPush,
  PartnerToPush,
} from './crm-records.ts'

/**
 * The lender's CRM as the portal thinks of it. Every call may throw `CrmUnavailable` (away: the same call may work
 * later) or `CrmRefused` (the CRM says the data is wrong: trying again cannot help), and stops when `signal` says so.
 */
export interface Crm {
  readonly mode: 'sandbox' | 'zoho'

  /** The partner's id in the CRM. A repeat finds the same record again. */
  upsertPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<string>
  /** By LOID, so that a repeat makes no second record; the status goes only with the record's birth. */
  upsertLead(lead: LeadToPush, signal?: AbortSignal): Promise<{ zoho_id: string }>
  /** The note's id in the CRM. A repeat finds the equal note on the record instead of adding a second. */
  createNote(module: CrmModule, zohoId: string, note: NoteToPush, signal?: AbortSignal): Promise<string>
  /** For records that were born in the CRM and so have no LOID yet. */
  setLeadLoid(zohoId: string, loid: string, signal?: AbortSignal): Promise<void>
  setDealLoid(zohoId: string, loid: string, signal?: AbortSignal): Promise<void>

  /** Every lead of the partner, converted ones included. */
  leadVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  dealVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  /** Records that are gone are neither among the records nor among the problems. */
  getLeads(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmLead>>
  getDeals(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmDeal>>
  findLead(zohoId: string, signal?: AbortSignal): Promise<CrmLead | null>
  findDeal(zohoId: string, signal?: AbortSignal): Promise<CrmDeal | null>

  /** Oldest first; empty where the CRM kept none. */
  leadStatusHistory(zohoId: string, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  dealStageHistory(zohoId: string, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  notes(module: CrmModule, zohoId: string, signal?: AbortSignal): Promise<CrmNote[]>

  /** The CRM's own lists in its own order (D22). */
  leadStatuses(signal?: AbortSignal): Promise<string[]>
  dealStages(signal?: AbortSignal): Promise<string[]>
  countLeads(partnerZohoId: string, signal?: AbortSignal): Promise<number>
  /** `Module.Field` for each field of the map that the organisation lacks. */
  missingFields(signal?: AbortSignal): Promise<string[]>
  apiDomain(signal?: AbortSignal): Promise<string>
  /** HTTP calls since the start of this process, the refused ones included. */
  callsUsed(): number
}
