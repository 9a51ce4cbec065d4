import { isPlainDate } from '@portal/contract/calendar.ts'
import {
  CHOICE_LENGTH_MAX,
  CODE_LENGTH_MAX,
  PERSON_LENGTH_MAX,
  SEARCH_LENGTH_MAX,
  URL_LENGTH_MAX,
} from '@portal/contract/limits.ts'
import type { Side } from '@portal/contract/meanings.ts'
import { CHOICES_LENGTH_MAX } from '@portal/contract/several.ts'
import { textOf } from './search-text.ts'

type Raw = Record<string, unknown>

/** What the lists of leads and of deals have in common. */
interface RecordListSearch {
  page?: number
  dateFrom?: string
  dateTo?: string
  search?: string
  /** The search looks where the search on all pages looks (D24), not only where the list's own does. */
  searchIn?: 'all'
  person?: string
  /** A column, with `-` in front when descending. */
  sort?: string
  /** The server sorts all rows, not the page those it has loaded (D80). */
  sorted?: 'all'
  /** The last change was on this day or later. */
  changedFrom?: string
  /** Whose turn it is (D127). */
  turn?: Side
  /** The id of a named view, or `all` for the list without its default view (D81). */
  view?: string
}

function recordListSearch(raw: Raw): RecordListSearch {
  return {
    page: pageOf(raw['page']),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    search: textOf(raw['search'], SEARCH_LENGTH_MAX),
    person: textOf(raw['person'], PERSON_LENGTH_MAX),
    sort: textOf(raw['sort']),
    searchIn: raw['searchIn'] === 'all' ? 'all' : undefined,
    sorted: raw['sorted'] === 'all' ? 'all' : undefined,
    changedFrom: dateOf(raw['changedFrom']),
    turn: sideOf(raw['turn']),
    view: viewOf(raw['view']),
  }
}

export interface LeadListSearch extends RecordListSearch {
  status?: string
  source?: string
  /** The lender's verdict, word for word (D112). */
  verdict?: string
}

/**
 * Drops values that do not parse and unknown parameters, such as a mail's `utm_source`, so an old or mistyped link shows
 * the list rather than an error.
 */
export function leadListSearch(raw: Raw): LeadListSearch {
  return {
    status: textOf(raw['status'], CHOICES_LENGTH_MAX),
    source: textOf(raw['source'], CHOICE_LENGTH_MAX),
    ...recordListSearch(raw),
    verdict: textOf(raw['verdict'], SEARCH_LENGTH_MAX),
  }
}

export interface DealListSearch extends RecordListSearch {
  stage?: string
  /** As it stands in the address. Reading amounts takes more code than the first page should load. */
  minAmount?: string
}

export function dealListSearch(raw: Raw): DealListSearch {
  return {
    stage: textOf(raw['stage'], CHOICES_LENGTH_MAX),
    minAmount: textOf(raw['minAmount'], CODE_LENGTH_MAX),
    ...recordListSearch(raw),
  }
}

export interface WebhookLogSearch {
  page?: number
  status?: string
  endpoint?: string
  dateFrom?: string
  dateTo?: string
  search?: string
}

export function webhookLogSearch(raw: Raw): WebhookLogSearch {
  return {
    page: pageOf(raw['page']),
    status: textOf(raw['status'], CHOICE_LENGTH_MAX),
    endpoint: textOf(raw['endpoint'], URL_LENGTH_MAX),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    search: textOf(raw['search'], SEARCH_LENGTH_MAX),
  }
}

export interface SecurityLogSearch {
  type?: string
  person?: string
}

export function securityLogSearch(raw: Raw): SecurityLogSearch {
  return { type: textOf(raw['type'], CHOICE_LENGTH_MAX), person: idOf(raw['person']) }
}

export interface ActivitySearch {
  type?: string
  person?: string
  dateFrom?: string
  dateTo?: string
  /** The id of a named view, or `all` for the list without its default view (D81). */
  view?: string
}

export interface PaymentsSearch {
  page?: number | undefined
}

export function paymentsSearch(raw: Raw): PaymentsSearch {
  return { page: pageOf(raw['page']) }
}

export function activitySearch(raw: Raw): ActivitySearch {
  return {
    type: textOf(raw['type'], CHOICE_LENGTH_MAX),
    person: textOf(raw['person'], PERSON_LENGTH_MAX),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    view: viewOf(raw['view']),
  }
}

export interface SearchPageSearch {
  q?: string
}

export function searchPageSearch(raw: Raw): SearchPageSearch {
  return { q: textOf(raw['q']) }
}

export function sideOf(value: unknown): Side | undefined {
  return value === 'partner' || value === 'lender' ? value : undefined
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? value : undefined
}

/** The list itself, without its default view. */
export const NO_VIEW = 'all'

function viewOf(value: unknown): string | undefined {
  return value === NO_VIEW ? NO_VIEW : idOf(value)
}

function dateOf(value: unknown): string | undefined {
  return typeof value === 'string' && isPlainDate(value) ? value : undefined
}

/** Returns undefined for the first page, because its address has no number. */
function pageOf(value: unknown): number | undefined {
  const page = Number(textOf(value))
  return Number.isInteger(page) && page > 1 && page <= 1_000_000 ? page : undefined
}
