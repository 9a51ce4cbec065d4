import { type NewLead } from '@portal/contract/lead-form.ts'
import {
  correctLead,
  createLead,
  exportLeads,
  findDuplicates,
  LEAD_SORT_COLUMNS,
  type LeadSortColumn,
  listLeads,
  readLead,
  readStatusHistory,
  readUsualCountry,
  withdrawLead,
} from '@portal/contract/leads.ts'
import { PAGE_SIZE } from '@portal/contract/limits.ts'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import type { LeadListSearch } from '../../app/search-params.ts'
import { browserTimeZone, zoneOfDays } from '../../format/time-zone.ts'
import { type Sort, serverSort } from '../../ui/sort.ts'
import { timelineQuery } from '../referral/referral.queries.ts'
import { saveFile } from '../views/save-file.ts'

/** How often a lead's page fetches the lead again while the lead or one of its notes waits to reach the CRM. */
const PENDING_POLL_MS = 4_000
const LIST_PENDING_POLL_MS = 10_000

export type LeadListFilters = Omit<LeadListSearch, 'sort' | 'sorted' | 'view'> & ReturnType<typeof leadOrder>

export const LEAD_SORT: Sort<LeadSortColumn> = { column: 'created_at', direction: 'descending' }

export function leadFiltersOf({ sort, sorted, view: _, ...filters }: LeadListSearch): LeadListFilters {
  return { ...filters, ...leadOrder({ sort, sorted }) }
}

function leadOrder(search: Pick<LeadListSearch, 'sort' | 'sorted'>) {
  return serverSort(search, LEAD_SORT_COLUMNS, LEAD_SORT)
}

/** After a change of page or filter, the old rows stay until the new rows have loaded. */
export function leadListQuery(filters: LeadListFilters) {
  return queryOptions({
    queryKey: ['leads', 'list', filters],
    queryFn: async ({ signal, client }) => {
      const page = await call(listLeads, { query: { ...filters, ...zoneOfDays(filters), limit: PAGE_SIZE }, signal })
      for (const lead of page.data.leads) forgetOutdated(client, lead)
      return page
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.leads.some((lead) => lead.crm === 'pending') ? LIST_PENDING_POLL_MS : false,
    ...LIST_FRESHNESS,
  })
}

export function usualCountryQuery() {
  return queryOptions({
    queryKey: ['leads', 'usual-country'],
    queryFn: ({ signal }) => call(readUsualCountry, { signal }),
  })
}

export function leadQuery(loid: string) {
  return queryOptions({
    queryKey: ['leads', 'detail', loid],
    queryFn: ({ signal }) => call(readLead, { params: { id: loid }, signal }),
    enabled: loid !== '',
    refetchInterval: ({ state }) => (isPending(state.data) ? PENDING_POLL_MS : false),
    ...LIST_FRESHNESS,
  })
}

export function statusHistoryQuery(loid: string) {
  return queryOptions({
    queryKey: ['leads', 'status-history', loid],
    queryFn: ({ signal }) => call(readStatusHistory, { params: { id: loid }, signal }),
    enabled: loid !== '',
    ...LIST_FRESHNESS,
  })
}

/** If the list has a newer version of a lead than the cache, opening the lead's page fetches the lead again. */
function forgetOutdated(client: QueryClient, { loid, modified_time }: { loid: string; modified_time: string }): void {
  const seen = client.getQueryData(leadQuery(loid).queryKey)
  if (!seen || seen.lead.modified_time >= modified_time) return
  for (const query of [leadQuery(loid), statusHistoryQuery(loid), timelineQuery({ kind: 'lead', loid })])
    void client.invalidateQueries({ queryKey: query.queryKey })
}

export interface DuplicateCheck {
  email?: string
  phone?: string
  abn?: string
}

/** The previous answer stays until the next one has loaded, but not if there is nothing left to check. */
export function duplicatesQuery(check: DuplicateCheck) {
  const isAsked = Object.values(check).some((text) => text !== undefined)
  return queryOptions({
    queryKey: ['leads', 'duplicates', check],
    queryFn: ({ signal }) => call(findDuplicates, { query: check, signal }),
    enabled: isAsked,
    // Nobody waits for this warning, so one attempt is enough.
    retry: false,
    placeholderData: isAsked ? keepPreviousData : undefined,
  })
}

export function submitLead(body: NewLead, idempotencyKey: string) {
  return call(createLead, { body, idempotencyKey })
}

export function askCorrection(loid: string, body: NewLead) {
  return call(correctLead, { params: { id: loid }, body })
}

export function askWithdrawal(loid: string, reason: string) {
  return call(withdrawLead, { params: { id: loid }, body: { reason } })
}

function isPending(data: Awaited<ReturnType<typeof call<typeof readLead>>> | undefined): boolean {
  if (data === undefined) return false
  const { lead, notes } = data
  return lead.crm === 'pending' || lead.change?.state === 'waiting' || notes.some((note) => note.crm === 'pending')
}

/** Saves all rows of the list, with its filters and in its order, or says why it could not. */
export async function saveLeads(search: LeadListSearch): Promise<void> {
  const { page: _, ...filters } = leadFiltersOf({ ...search, sorted: 'all' })
  await saveFile(exportLeads, { query: { ...filters, timezone: browserTimeZone() } }, 'leads.csv')
}
