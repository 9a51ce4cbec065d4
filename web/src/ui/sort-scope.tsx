import { allRowsText } from '../format/count.ts'
import { textLinkClass } from './description-list.tsx'
import type { Sort } from './sort.ts'

interface SortScopeProps<Column extends string> {
  sort: Sort<Column>
  /** The order in which the server sends a list that is not sorted. */
  fallback: Sort<Column>
  /** The server has sorted all rows. */
  isAll: boolean
  isSearch: boolean
  pagination: { page: number; limit: number; has_more: boolean; total?: number | undefined }
  onScope: (scope: 'all' | undefined) => void
}

/** Says that only the loaded page is sorted, and offers to sort all rows (D80). Nothing if the page has all rows. */
export function SortScope<Column extends string>(props: SortScopeProps<Column>) {
  const { sort, fallback, isAll, isSearch, pagination, onScope } = props
  const { page, limit, has_more, total = 0 } = pagination
  const isDefault = sort.column === fallback.column && sort.direction === fallback.direction
  if (isDefault || (page === 1 && !has_more) || total <= limit) return null
  const all = allRowsText(total, isSearch)
  return (
    <p className="flex min-h-9 flex-wrap items-center gap-x-2 border-b border-line px-5 text-xs text-muted max-wide:px-4 print:hidden">
      <span aria-live="polite">{isAll ? `Sorted ${all}` : 'Sorted on this page'}</span>
      <span aria-hidden>·</span>
      <button type="button" className={`${textLinkClass} min-h-6`} onClick={() => onScope(isAll ? undefined : 'all')}>
        {isAll ? 'Sort only this page' : `Sort ${all}`}
      </button>
    </p>
  )
}
