import { chunksOf } from '../../platform/chunks-of.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmDeal, CrmHistoryEntry, CrmLead, CrmModule } from '../../records/crm-records.ts'
import { firstItemsOf } from './api.ts'
import { CrmRefused } from './errors.ts'
import { FIELDS } from './fields.ts'
import { COQL_ROWS_MAX } from './list/queries.ts'
import type { ZohoParts } from './parts.ts'
import { readLookupId } from './wire.ts'
import { readFieldHistory, readStageHistory, STAGE_HISTORY_FIELDS } from './wire-histories.ts'

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
  dealStageHistory(deal: Deal, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  /**
   * The histories of several deals by their ids, with one query for every fifty deals (D126). Leaves out deals whose
   * histories the organisation's queries do not give, or not whole; these are read one by one.
   */
  dealStageHistories(deals: readonly Deal[], signal?: AbortSignal): Promise<ReadonlyMap<string, CrmHistoryEntry[]>>
  /** Returns a function that finds the present name of a status or stage, which the lender may have renamed. */
  valueNames(module: CrmModule, signal?: AbortSignal): Promise<(value: string) => string>
}

type Deal = Pick<CrmDeal, 'zoho_id' | 'created_at'>

/** Zoho's module behind the stage histories. Its documentation does not name it. */
const STAGE_ROWS = 'DealHistory'
const DEALS_A_QUERY = 50

export function openHistoryReader({ api, metadata, fieldMap: { leads, deals } }: ZohoParts): HistoryReader {
  /** Zoho keeps a list of stages for its own field alone. What another field says is in the timeline. */
  const isOwnStage = deals.fields.stage === FIELDS.deals.fields.stage.name
  /** Whether queries give the entries of the deals' own lists. Undefined until the first query. */
  let queriesTell = isOwnStage ? undefined : false

  async function fieldHistory(
    { module, zoho_id, field, current }: { module: string; zoho_id: string; field: string; current: string | null },
    signal?: AbortSignal,
  ) {
    const query = { sort_by: 'audited_time', sort_order: 'desc' }
    const options = { key: '__timeline', signal, sizeWithToken: false }
    const entries = await firstItemsOf(api.pages(`${module}/${zoho_id}/__timeline`, query, options), ENTRIES_MAX)
    return readFieldHistory(entries, field, current, await metadata.displayedOf(module, signal))
  }

  async function dealStageHistory(deal: Deal, signal?: AbortSignal) {
    if (!isOwnStage) {
      const { module, fields } = deals
      return fieldHistory({ module, zoho_id: deal.zoho_id, field: fields.stage, current: null }, signal)
    }
    const path = `${deals.module}/${deal.zoho_id}/Stage_History`
    const rows = await firstItemsOf(api.pages(path, { fields: STAGE_HISTORY_FIELDS }, { signal }), ENTRIES_MAX)
    const displayed = await metadata.displayedOf(deals.module, signal)
    return readStageHistory(rows, deal.created_at, deals.fields.stage, displayed)
  }

  async function queryHistories(some: readonly Deal[], signal?: AbortSignal) {
    const ids = some.map((deal) => `'${deal.zoho_id}'`).join(', ')
    const columns = 'Potential_Name, Stage, Modified_Time, Modified_By'
    const rows = await api.coql(
      `select ${columns} from ${STAGE_ROWS} where Potential_Name in (${ids}) order by id desc limit 0, ${COQL_ROWS_MAX}`,
      signal,
    )
    if (rows.length >= COQL_ROWS_MAX) return new Map<string, CrmHistoryEntry[]>()
    const displayed = await metadata.displayedOf(deals.module, signal)
    const byDeal = Map.groupBy(rows, (row) => readLookupId(row, 'Potential_Name'))
    return new Map(
      some.flatMap(({ zoho_id, created_at }) => {
        const own = byDeal.get(zoho_id)
        return own ? [[zoho_id, readStageHistory(own, created_at, deals.fields.stage, displayed)] as const] : []
      }),
    )
  }

  /** Compares the first history with the deal's own list, because nobody has confirmed that both have the same entries. */
  async function isTrue(queried: ReadonlyMap<string, CrmHistoryEntry[]>, some: readonly Deal[], signal?: AbortSignal) {
    const deal = some.find(({ zoho_id }) => queried.has(zoho_id))
    if (!deal) return undefined
    const own = new Set((await dealStageHistory(deal, signal)).map((entry) => entry.entry_id))
    return (queried.get(deal.zoho_id) ?? []).every((entry) => own.has(entry.entry_id))
  }

  return {
    dealStageHistory,

    async dealStageHistories(all, signal) {
      const told = new Map<string, CrmHistoryEntry[]>()
      try {
        for (const some of chunksOf(all, DEALS_A_QUERY)) {
          if (queriesTell === false) break
          const queried = await queryHistories(some, signal)
          queriesTell ??= await isTrue(queried, some, signal)
          if (queriesTell) for (const [zohoId, history] of queried) told.set(zohoId, history)
        }
      } catch (error) {
        if (error instanceof CrmRefused) queriesTell = false
        else if (!(error instanceof CrmUnavailable)) throw error
      }
      return told
    },

    leadStatusHistory({ zoho_id, lead_status: current }, signal) {
      const { module, fields } = leads
      return fieldHistory({ module, zoho_id, field: fields.lead_status, current }, signal)
    },

    async valueNames(kind, signal) {
      const [module, field] =
        kind === 'Leads' ? [leads.module, leads.fields.lead_status] : [deals.module, deals.fields.stage]
      const displayed = await metadata.displayedOf(module, signal)
      return (value) => displayed(field, value)
    },
  }
}
