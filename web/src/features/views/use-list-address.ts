import { useRef } from 'react'
import { paths } from '../../app/paths.ts'
import type { DealListSearch, LeadListSearch } from '../../app/search-params.ts'
import type { RawSearch } from '../../router/address.ts'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { useListViews } from './use-list-views.ts'

/** The filters, the order and the page of a list of leads or deals, which stand in its address. */
export function useListAddress<Search extends LeadListSearch | DealListSearch>(
  list: 'leads' | 'deals',
  parse: (raw: RawSearch) => Search,
) {
  const search = useSearch(parse)
  const navigate = useNavigate()
  const views = useListViews(list, search)
  const searchRef = useRef<HTMLInputElement>(null)

  function change(part: Partial<Search>) {
    void navigate({
      ...paths[list],
      search: (previous) => views.stay({ ...previous, ...parse(previous), ...part }),
      resetScroll: false,
    })
  }

  /** A changed filter changes what each page contains, so the list returns to the first page. */
  function filter(part: Partial<Search>) {
    change({ page: undefined, ...part })
  }

  /** Keeps the sort order. The pressed button disappears, so the search box takes focus. */
  function clear() {
    searchRef.current?.focus()
    void navigate({ ...paths[list], search: views.stay({ sort: search.sort, sorted: search.sorted }) })
  }

  return { search, views, searchRef, change, filter, clear }
}
