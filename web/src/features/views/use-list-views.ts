import { type ListView, type ViewedList, viewQuery } from '@portal/contract/views.ts'
import { useQuery } from '@tanstack/react-query'
import { NO_VIEW } from '../../app/search-params.ts'
import { parseSearch, stringifySearch } from '../../router/address.ts'
import { viewsQuery } from './views.queries.ts'

export interface ListViews {
  list: ViewedList
  /** The list's views that the person sees. */
  views: ListView[]
  /** The view that the address names. */
  current: ListView | undefined
  /** Whether the address has other filters or another order than its view. */
  isChanged: boolean
  /** What the address has, as a view keeps it. */
  query: string
  /** A list whose address has nothing waits until it is known whether the person has a default view. */
  isWaiting: boolean
  /** The address of the default view, if the address has nothing. */
  start: Record<string, string> | undefined
  /** An address that would have nothing left says that it stays without the default view. */
  stay: <Search extends object>(search: Search) => Search & { view?: string }
}

/** The named views of a list, and which of them its address shows (D81). */
export function useListViews(list: ViewedList, search: { view?: string }): ListViews {
  const { data, isPending } = useQuery(viewsQuery())
  const views = (data?.views ?? []).filter((view) => view.list === list)
  const home = views.find((view) => view.is_default)
  const current = views.find((view) => view.id === search.view)
  const query = viewQuery(addressText(search))
  const isBare = addressText(search) === ''
  return {
    list,
    views,
    current,
    isChanged: current !== undefined && current.query !== query,
    query,
    isWaiting: isBare && isPending,
    start: isBare && home ? addressOf(home) : undefined,
    stay: (next) => (home && addressText(next) === '' ? { ...next, view: NO_VIEW } : next),
  }
}

export function addressOf({ id, query }: ListView): Record<string, string> {
  return { ...parseSearch(query), view: id }
}

function addressText(search: object): string {
  return stringifySearch({ ...search })
}
