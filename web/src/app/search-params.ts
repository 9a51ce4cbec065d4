import { isPlainDate } from '@portal/contract/dates.ts'

/** What stands after `?`, as text: a search for `0412` or `1e5` must not become a number. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    const text = textOf(value)
    if (text !== undefined) params.set(name, text)
  }
  return params.size > 0 ? `?${params}` : ''
}

type Raw = Record<string, unknown>

export interface LeadListSearch {
  page?: number
  status?: string
  source?: string
  dateFrom?: string
  dateTo?: string
  search?: string
  /** A column, with `-` in front when descending. */
  sort?: string
}

/** What does not parse is dropped: an old or mistyped link shows the list rather than an error. */
export function leadListSearch(raw: Raw): LeadListSearch {
  return {
    page: pageOf(raw['page']),
    status: textOf(raw['status']),
    source: textOf(raw['source']),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    search: textOf(raw['search']),
    sort: textOf(raw['sort']),
  }
}

export interface DealListSearch {
  page?: number
  stage?: string
  minAmount?: number
  dateFrom?: string
  dateTo?: string
  search?: string
  /** A column, with `-` in front when descending. */
  sort?: string
}

export function dealListSearch(raw: Raw): DealListSearch {
  return {
    page: pageOf(raw['page']),
    stage: textOf(raw['stage']),
    minAmount: amountOf(raw['minAmount']),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    search: textOf(raw['search']),
    sort: textOf(raw['sort']),
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
    status: textOf(raw['status']),
    endpoint: textOf(raw['endpoint']),
    dateFrom: dateOf(raw['dateFrom']),
    dateTo: dateOf(raw['dateTo']),
    search: textOf(raw['search']),
  }
}

export function searchPageSearch(raw: Raw): { q?: string } {
  return { q: textOf(raw['q']) }
}

export function tokenSearch(raw: Raw): { token?: string } {
  return { token: textOf(raw['token']) }
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).trim()
    : undefined
}

function dateOf(value: unknown): string | undefined {
  return typeof value === 'string' && isPlainDate(value) ? value : undefined
}

function amountOf(value: unknown): number | undefined {
  const amount = Number(textOf(value))
  return amount > 0 && Number.isFinite(amount) ? amount : undefined
}

/** The first page is the one without a number. */
function pageOf(value: unknown): number | undefined {
  const page = Number(textOf(value))
  return Number.isInteger(page) && page > 1 && page <= 1_000_000 ? page : undefined
}
