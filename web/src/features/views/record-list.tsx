import { PAGE_SIZE } from '@portal/contract/limits.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode, RefObject } from 'react'
import { failureText } from '../../api/failure.ts'
import { Failure } from '../../ui/failure.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { LastChangeToggle, ListBar, ListSearch, RowsToggle } from '../../ui/list-search.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { parseSort, type Sort, type Sortable, sortParam, sortRows, toggleSort } from '../../ui/sort.ts'
import { SortScope } from '../../ui/sort-scope.tsx'
import { DataTable, type TableColumn } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import type { ListViews } from './use-list-views.ts'
import { ViewsButton } from './views-button.tsx'

/** What the addresses of the lists of leads and deals have in common. */
interface ListSearchParams {
  page?: number
  search?: string
  searchIn?: 'all'
  sort?: string
  sorted?: 'all'
}

/** As `useListAddress` returns it. */
interface ListAddress {
  search: ListSearchParams
  views: ListViews
  searchRef: RefObject<HTMLInputElement | null>
  change: (part: Partial<ListSearchParams>) => void
  filter: (part: Partial<ListSearchParams>) => void
  clear: () => void
}

/** What a click on a column changes. If all rows of a list are sorted, the list returns to its first page. */
export function sortChange<Column extends string>(
  { sorted, page }: ListSearchParams,
  sort: Sort<Column>,
  column: Column,
): Partial<ListSearchParams> {
  return { sort: sortParam(toggleSort(sort, column)), page: sorted ? undefined : page }
}

interface RecordListBarProps {
  /** Leads or Deals. */
  title: string
  placeholder: string
  address: ListAddress
  /** The filters. */
  children: ReactNode
}

/** What stands above a list of leads or deals. */
export function RecordListBar({ title, placeholder, address, children }: RecordListBarProps) {
  const { search, views, searchRef, filter } = address
  const name = title.toLowerCase()
  return (
    <ListBar>
      <ListSearch
        inputRef={searchRef}
        label={`Search ${name}`}
        placeholder={placeholder}
        value={search.search ?? ''}
        onSearch={(text) => filter({ search: text || undefined, searchIn: undefined })}
      />
      <LastChangeToggle
        isOn={search.sort === '-modified_time'}
        onChange={(isOn) => filter({ sort: isOn ? '-modified_time' : undefined, sorted: isOn ? 'all' : undefined })}
      />
      <RowsToggle />
      <ViewsButton views={views} name={name} />
      {children}
    </ListBar>
  )
}

const LAST_CHANGE = [{ key: 'modified_time', header: 'Last Change' }] as const

interface RecordListProps<Row extends { id: string; loid: string }, Column extends string> {
  title: string
  list: UseQueryResult<{ pagination: { page: number; limit: number; has_more: boolean; total?: number | undefined } }>
  /** The rows of the answer. */
  rows: readonly Row[] | undefined
  columns: readonly TableColumn<Row>[]
  sortColumns: readonly Column[]
  /** The order in which the server sends the list by itself. */
  fallback: Sort<Column>
  sortValue: (row: Row, column: Column) => Sortable
  address: ListAddress
  isFiltered: boolean
  isSyncing: boolean
  /** Shown while there is nothing to list. */
  empty: ReactNode
  onOpen: (row: Row) => void
}

/** A list of leads or deals: its table with the order of its rows, what moves in it, its pages, and what it says without rows. */
export function RecordList<Row extends { id: string; loid: string }, Column extends string>(
  props: RecordListProps<Row, Column>,
) {
  const { title, list, rows, columns, address } = props
  const name = title.toLowerCase()
  if (list.isPending || address.views.isWaiting) {
    return (
      <div className="frame">
        <TableSkeleton label={`Loading ${name}`} columns={columns} rows={10} />
      </div>
    )
  }
  if (!list.data || !rows) {
    return (
      <div className="panel">
        <Failure text={`Failed to load ${name}`} detail={failureText(list.error)} onRetry={() => void list.refetch()} />
      </div>
    )
  }
  return <LoadedRows {...props} rows={rows} pagination={list.data.pagination} />
}

interface LoadedRowsProps<Row extends { id: string; loid: string }, Column extends string>
  extends RecordListProps<Row, Column> {
  rows: readonly Row[]
  pagination: { page: number; limit: number; has_more: boolean; total?: number | undefined }
}

function LoadedRows<Row extends { id: string; loid: string }, Column extends string>(
  props: LoadedRowsProps<Row, Column>,
) {
  const { title, list, pagination, columns, sortColumns, fallback, sortValue, isSyncing } = props
  const { isFiltered, empty, onOpen } = props
  const { search, change, clear } = props.address
  const { isPlaceholderData: isStale, isFetching } = list
  const page = search.page ?? 1
  const sort = parseSort(search.sort, sortColumns, fallback)
  const sorted = search.sorted ? props.rows : sortRows(props.rows, sort.direction, (row) => sortValue(row, sort.column))
  const scope = JSON.stringify(search)
  const { rows, changes, waiting, showAll } = useFollowedRows(sorted, { scope, isAsking: isSyncing, isFetching })
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {rows.length === 0 && isStale ? (
          <TableSkeleton label={`Loading ${title.toLowerCase()}`} columns={columns} rows={10} />
        ) : rows.length === 0 && !isFiltered && page === 1 ? (
          empty
        ) : rows.length === 0 ? (
          <NothingFound
            title={`No ${title.toLowerCase()} found`}
            text={isFiltered ? 'Try adjusting your search or filters' : 'This page is past the last one'}
            action={isFiltered ? 'Clear search and filters' : 'Back to the first page'}
            onClear={clear}
          />
        ) : (
          <>
            <SortScope
              sort={sort}
              fallback={fallback}
              isAll={search.sorted === 'all'}
              isSearch={search.search !== undefined}
              pagination={pagination}
              onScope={(sorted) => change({ sort: sortParam(sort), sorted, page: undefined })}
            />
            <DataTable<Row, string>
              label={title}
              columns={columns}
              rows={rows}
              rowKey={(row) => row.id}
              changes={changes}
              sort={sort}
              sortsOnly={LAST_CHANGE}
              onSort={(column) => {
                const sortable = sortColumns.find((candidate) => candidate === column)
                if (sortable) change(sortChange(search, sort, sortable))
              }}
              stale={isStale}
              onRowClick={onOpen}
            />
          </>
        )}
        {(rows.length === PAGE_SIZE || page > 1) && (
          <Pagination
            page={page}
            hasNext={rows.length === PAGE_SIZE && pagination.has_more}
            range={{ rows: rows.length, total: pagination.total }}
            onPage={(next) => {
              change({ page: next > 1 ? next : undefined })
              window.scrollTo({ top: 0 })
            }}
          />
        )}
      </div>
    </div>
  )
}
