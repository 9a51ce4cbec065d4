import { DEAL_SORT_COLUMNS, type DealSortColumn } from '@portal/contract/deals.ts'
import { PAGE_SIZE } from '@portal/contract/limits.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { ArrowDownWideNarrow, ArrowUpWideNarrow, Handshake, SearchX } from 'lucide-react'
import { useRef } from 'react'
import { failureText } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type DealListSearch, dealListSearch } from '../../app/search-params.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { LastChangeToggle, ListBar, ListSearch, RowsToggle } from '../../ui/list-search.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { parseSort, type Sort, sortParam, sortRows, toggleSort } from '../../ui/sort.ts'
import { SortScope } from '../../ui/sort-scope.tsx'
import { DataTable } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { SyncButton } from '../sync/sync-button.tsx'
import { SyncProgress } from '../sync/sync-progress.tsx'
import { useSync } from '../sync/use-sync.ts'
import { useListViews } from '../views/use-list-views.ts'
import { viewsQuery } from '../views/views.queries.ts'
import { ViewsButton } from '../views/views-button.tsx'
import { DEAL_COLUMNS, dealSortValue } from './deal-columns.tsx'
import { countDealFilters, DealFilters } from './deal-filters.tsx'
import { DealSummaryCards } from './deal-summary-cards.tsx'
import {
  DEAL_SORT,
  type DealListAnswer,
  type DealListFilters,
  dealFiltersOf,
  dealListQuery,
  saveDeals,
  stagesQuery,
} from './deals.queries.ts'

const LAST_CHANGE = [{ key: 'modified_time', header: 'Last Change' }] as const

const route = getRouteApi('/signed-in/deals')

export function startDealList({ context: { queryClient }, deps }: PageStart<DealListSearch>) {
  startQuery(queryClient, dealListQuery(dealFiltersOf(deps)))
  startQuery(queryClient, stagesQuery())
  startQuery(queryClient, viewsQuery())
}

export function DealListPage() {
  const search = route.useSearch({ select: dealListSearch })
  const navigate = useNavigate()
  const sync = useSync('deals')
  const views = useListViews('deals', search)
  const searchRef = useRef<HTMLInputElement>(null)
  const filters = dealFiltersOf(search)
  const deals = useQuery(dealListQuery(filters))
  const sort = parseSort(search.sort, DEAL_SORT_COLUMNS, DEAL_SORT)

  function handleChange(change: Partial<DealListSearch>) {
    void navigate({
      ...paths.deals,
      search: (previous: DealListSearch) => views.stay({ ...previous, ...change }),
      resetScroll: false,
    })
  }

  /** A changed filter changes what each page contains, so the list returns to the first page. */
  function handleFilter(change: Partial<DealListSearch>) {
    handleChange({ page: undefined, ...change })
  }

  function handleSort(column: string) {
    const sortable = DEAL_SORT_COLUMNS.find((candidate) => candidate === column)
    if (sortable)
      handleChange({ sort: sortParam(toggleSort(sort, sortable)), page: search.sorted ? undefined : search.page })
  }

  /** Keeps the sort order. The pressed button disappears, so the search box takes focus. */
  function handleClear() {
    searchRef.current?.focus()
    void navigate({ ...paths.deals, search: ({ sort, sorted }: DealListSearch) => views.stay({ sort, sorted }) })
  }

  if (views.start) return <Navigate {...paths.deals} search={views.start} replace />
  return (
    <>
      <PageHeader
        title="Deals"
        description={<p className="max-sm:hidden">Leads the lender has taken on, from application to funding.</p>}
        actions={
          <div className="flex flex-wrap gap-2">
            <AmountSortButton sort={sort} onSort={handleSort} />
            <ExportButton onExport={() => saveDeals(search)} />
            <SyncButton sync={sync} />
          </div>
        }
      />
      <div className="grid grid-cols-1 gap-3">
        {(deals.data || deals.isPending) && <DealSummaryCards deals={deals.data?.data.deals} />}
        <ListBar>
          <ListSearch
            inputRef={searchRef}
            label="Search deals"
            placeholder="Search by deal, business name, contact, email or LOID"
            value={search.search ?? ''}
            onSearch={(text) => handleFilter({ search: text || undefined, searchIn: undefined })}
          />
          <LastChangeToggle
            isOn={search.sort === '-modified_time'}
            onChange={(isOn) =>
              handleFilter({ sort: isOn ? '-modified_time' : undefined, sorted: isOn ? 'all' : undefined })
            }
          />
          <RowsToggle />
          <ViewsButton views={views} name="deals" />
          <DealFilters filters={filters} onChange={handleFilter} />
        </ListBar>
        <DealList
          deals={deals}
          filters={filters}
          isWaiting={views.isWaiting}
          isSyncing={sync.isRunning}
          sort={sort}
          onSort={handleSort}
          onScope={(scope) => handleChange({ sort: sortParam(sort), sorted: scope, page: undefined })}
          onPage={(page) => {
            handleChange({ page: page > 1 ? page : undefined })
            window.scrollTo({ top: 0 })
          }}
          onClear={handleClear}
        />
      </div>
      <SyncProgress sync={sync} />
    </>
  )
}

interface AmountSortButtonProps {
  sort: Sort<DealSortColumn>
  onSort: (column: DealSortColumn) => void
}

function AmountSortButton({ sort, onSort }: AmountSortButtonProps) {
  const isAscending = sort.column === 'amount' && sort.direction === 'ascending'
  return (
    <Button
      variant="secondary"
      aria-pressed={sort.column === 'amount'}
      icon={isAscending ? <ArrowUpWideNarrow aria-hidden /> : <ArrowDownWideNarrow aria-hidden />}
      onClick={() => onSort('amount')}
    >
      Sort by Amount
    </Button>
  )
}

interface DealListProps {
  deals: UseQueryResult<DealListAnswer>
  filters: DealListFilters
  isSyncing: boolean
  sort: Sort<DealSortColumn>
  onSort: (column: string) => void
  onScope: (scope: 'all' | undefined) => void
  onPage: (page: number) => void
  onClear: () => void
}

function DealList({ deals, isWaiting, ...more }: DealListProps & { isWaiting: boolean }) {
  if (deals.isPending || isWaiting) {
    return (
      <div className="frame">
        <TableSkeleton label="Loading deals" columns={DEAL_COLUMNS} rows={10} />
      </div>
    )
  }
  if (!deals.data) {
    return (
      <div className="panel">
        <Failure text="Failed to load deals" detail={failureText(deals.error)} onRetry={() => void deals.refetch()} />
      </div>
    )
  }

  const { isPlaceholderData, isFetching } = deals
  return <DealRows list={deals.data} isStale={isPlaceholderData} isFetching={isFetching} {...more} />
}

interface DealRowsProps extends Omit<DealListProps, 'deals'> {
  list: DealListAnswer
  isStale: boolean
  isFetching: boolean
}

function DealRows(props: DealRowsProps) {
  const { list, isStale, isFetching, filters, isSyncing, sort, onSort, onScope, onPage, onClear } = props
  const navigate = useNavigate()
  const page = filters.page ?? 1
  const sorted = filters.sort
    ? list.data.deals
    : sortRows(list.data.deals, sort.direction, (deal) => dealSortValue(deal, sort.column))
  const scope = JSON.stringify([filters, sort])
  const { rows, changes, waiting, showAll } = useFollowedRows(sorted, { scope, isAsking: isSyncing, isFetching })
  const isFiltered = filters.search !== undefined || countDealFilters(filters) > 0
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {rows.length === 0 && isStale ? (
          <TableSkeleton label="Loading deals" columns={DEAL_COLUMNS} rows={10} />
        ) : rows.length === 0 ? (
          <NoDeals isFiltered={isFiltered} isFirstPage={page === 1} onClear={onClear} />
        ) : (
          <>
            <SortScope
              sort={sort}
              fallback={DEAL_SORT}
              isAll={filters.sort !== undefined}
              isSearch={filters.search !== undefined}
              pagination={list.pagination}
              onScope={onScope}
            />
            <DataTable
              label="Deals"
              columns={DEAL_COLUMNS}
              rows={rows}
              rowKey={(deal) => deal.id}
              changes={changes}
              sort={sort}
              sortsOnly={LAST_CHANGE}
              onSort={onSort}
              stale={isStale}
              onRowClick={(deal) => void navigate(paths.deal(deal.loid))}
            />
          </>
        )}
        {(rows.length === PAGE_SIZE || page > 1) && (
          <Pagination
            page={page}
            hasNext={rows.length === PAGE_SIZE && list.pagination.has_more}
            range={{ rows: rows.length, total: list.pagination.total }}
            onPage={onPage}
          />
        )}
      </div>
    </div>
  )
}

interface NoDealsProps {
  isFiltered: boolean
  isFirstPage: boolean
  onClear: () => void
}

function NoDeals({ isFiltered, isFirstPage, onClear }: NoDealsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<SearchX />}
        title="No deals found"
        text="Try adjusting your search or filters"
        action={
          <Button variant="secondary" onClick={onClear}>
            Clear search and filters
          </Button>
        }
      />
    )
  }
  if (!isFirstPage) {
    return (
      <EmptyState
        icon={<Handshake />}
        title="No deals found"
        text="This page is past the last one"
        action={
          <Button variant="secondary" onClick={onClear}>
            Back to the first page
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState
      icon={<Handshake />}
      title="No deals found"
      text="No deals have been created from your leads yet"
      action={
        <Link {...paths.leads} className={buttonClass()}>
          View Your Leads
        </Link>
      }
    />
  )
}
