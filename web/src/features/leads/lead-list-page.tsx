import { LEAD_SORT_COLUMNS } from '@portal/contract/leads.ts'
import { PAGE_SIZE } from '@portal/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { FileUp, Plus, SearchX, Users } from 'lucide-react'
import { useRef } from 'react'
import { failureText } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type LeadListSearch, leadListSearch } from '../../app/search-params.ts'
import { May } from '../../session/may.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { LastChangeToggle, ListBar, ListSearch, RowsToggle } from '../../ui/list-search.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { parseSort, sortParam, sortRows, toggleSort } from '../../ui/sort.ts'
import { SortScope } from '../../ui/sort-scope.tsx'
import { DataTable } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { DebugButton } from '../sync/debug-button.tsx'
import { SyncButton } from '../sync/sync-button.tsx'
import { SyncProgress } from '../sync/sync-progress.tsx'
import { useSync } from '../sync/use-sync.ts'
import { useListViews } from '../views/use-list-views.ts'
import { viewsQuery } from '../views/views.queries.ts'
import { ViewsButton } from '../views/views-button.tsx'
import { LEAD_COLUMNS, leadSortValue } from './lead-columns.tsx'
import { countLeadFilters, LeadFilters } from './lead-filters.tsx'
import {
  LEAD_SORT,
  type LeadListAnswer,
  leadFiltersOf,
  leadListQuery,
  leadStatusesQuery,
  saveLeads,
} from './leads.queries.ts'

const LAST_CHANGE = [{ key: 'modified_time', header: 'Last Change' }] as const

const route = getRouteApi('/signed-in/leads')

export function startLeadList({ context: { queryClient }, deps }: PageStart<LeadListSearch>) {
  startQuery(queryClient, leadListQuery(leadFiltersOf(deps)))
  startQuery(queryClient, leadStatusesQuery())
  startQuery(queryClient, viewsQuery())
}

export function LeadListPage() {
  const search = route.useSearch({ select: leadListSearch })
  const navigate = useNavigate()
  const sync = useSync('leads')
  const views = useListViews('leads', search)
  const searchRef = useRef<HTMLInputElement>(null)

  function handleChange(change: Partial<LeadListSearch>) {
    void navigate({
      ...paths.leads,
      search: (previous: LeadListSearch) => views.stay({ ...previous, ...change }),
      resetScroll: false,
    })
  }

  /** A changed filter changes what each page contains, so the list returns to the first page. */
  function handleFilter(change: Partial<LeadListSearch>) {
    handleChange({ page: undefined, ...change })
  }

  /** Keeps the sort order. The pressed button disappears, so the search box takes focus. */
  function handleClear() {
    searchRef.current?.focus()
    void navigate({ ...paths.leads, search: ({ sort, sorted }: LeadListSearch) => views.stay({ sort, sorted }) })
  }

  if (views.start) return <Navigate {...paths.leads} search={views.start} replace />
  return (
    <>
      <PageHeader
        title="Leads"
        description={<p className="max-sm:hidden">Applicants you have referred, and how far each has come.</p>}
        actions={
          <div className="flex flex-wrap gap-2">
            <ExportButton onExport={() => saveLeads(search)} />
            <SyncButton sync={sync} />
            <May least="member">
              <DebugButton />
              <Link
                {...paths.importLeads}
                title="Import leads from a CSV file"
                className={buttonClass('secondary', 'medium', 'max-sm:px-2.5')}
              >
                <FileUp aria-hidden />
                <span className="max-sm:sr-only">Import</span>
              </Link>
              <Link {...paths.newLead} className={buttonClass()}>
                <Plus aria-hidden />
                New Lead
              </Link>
            </May>
          </div>
        }
      />
      <div className="grid grid-cols-1 gap-3">
        <ListBar>
          <ListSearch
            inputRef={searchRef}
            label="Search leads"
            placeholder="Search by business name, contact, email or LOID"
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
          <ViewsButton views={views} name="leads" />
          <LeadFilters search={search} onChange={handleFilter} />
        </ListBar>
        <LeadList
          search={search}
          isWaiting={views.isWaiting}
          isSyncing={sync.isRunning}
          onChange={handleChange}
          onClear={handleClear}
        />
      </div>
      <SyncProgress sync={sync} />
    </>
  )
}

interface LeadListProps {
  search: LeadListSearch
  isSyncing: boolean
  onChange: (change: Partial<LeadListSearch>) => void
  onClear: () => void
}

function LeadList({ search, isWaiting, ...more }: LeadListProps & { isWaiting: boolean }) {
  const leads = useQuery(leadListQuery(leadFiltersOf(search)))

  if (leads.isPending || isWaiting) {
    return (
      <div className="frame">
        <TableSkeleton label="Loading leads" columns={LEAD_COLUMNS} rows={10} />
      </div>
    )
  }
  if (!leads.data) {
    return (
      <div className="panel">
        <Failure text="Failed to load leads" detail={failureText(leads.error)} onRetry={() => void leads.refetch()} />
      </div>
    )
  }

  const { isPlaceholderData, isFetching } = leads
  return <LeadRows list={leads.data} isStale={isPlaceholderData} isFetching={isFetching} search={search} {...more} />
}

interface LeadRowsProps extends LeadListProps {
  list: LeadListAnswer
  isStale: boolean
  isFetching: boolean
}

function LeadRows({ list, isStale, isFetching, search, isSyncing, onChange, onClear }: LeadRowsProps) {
  const navigate = useNavigate()
  const sort = parseSort(search.sort, LEAD_SORT_COLUMNS, LEAD_SORT)
  const page = search.page ?? 1
  const sorted = search.sorted
    ? list.data.leads
    : sortRows(list.data.leads, sort.direction, (lead) => leadSortValue(lead, sort.column))
  const scope = JSON.stringify(search)
  const { rows, changes, waiting, showAll } = useFollowedRows(sorted, { scope, isAsking: isSyncing, isFetching })
  const isFiltered = search.search !== undefined || countLeadFilters(search) > 0
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {rows.length === 0 && isStale ? (
          <TableSkeleton label="Loading leads" columns={LEAD_COLUMNS} rows={10} />
        ) : rows.length === 0 ? (
          <NoLeads isFiltered={isFiltered} isFirstPage={page === 1} onClear={onClear} />
        ) : (
          <>
            <SortScope
              sort={sort}
              fallback={LEAD_SORT}
              isAll={search.sorted === 'all'}
              isSearch={search.search !== undefined}
              pagination={list.pagination}
              onScope={(scope) => onChange({ sort: sortParam(sort), sorted: scope, page: undefined })}
            />
            <DataTable
              label="Leads"
              columns={LEAD_COLUMNS}
              rows={rows}
              rowKey={(lead) => lead.id}
              changes={changes}
              sort={sort}
              sortsOnly={LAST_CHANGE}
              onSort={(column) => {
                const sortable = LEAD_SORT_COLUMNS.find((candidate) => candidate === column)
                if (sortable)
                  onChange({
                    sort: sortParam(toggleSort(sort, sortable)),
                    page: search.sorted ? undefined : search.page,
                  })
              }}
              stale={isStale}
              onRowClick={(lead) => void navigate(paths.lead(lead.loid))}
            />
          </>
        )}
        {(rows.length === PAGE_SIZE || page > 1) && (
          <Pagination
            page={page}
            hasNext={rows.length === PAGE_SIZE && list.pagination.has_more}
            range={{ rows: rows.length, total: list.pagination.total }}
            onPage={(next) => {
              onChange({ page: next > 1 ? next : undefined })
              window.scrollTo({ top: 0 })
            }}
          />
        )}
      </div>
    </div>
  )
}

interface NoLeadsProps {
  isFiltered: boolean
  isFirstPage: boolean
  onClear: () => void
}

function NoLeads({ isFiltered, isFirstPage, onClear }: NoLeadsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<SearchX />}
        title="No leads found"
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
        icon={<Users />}
        title="No leads found"
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
      icon={<Users />}
      title="No leads found"
      text="You haven't submitted any leads yet"
      action={
        <May least="member">
          <Link {...paths.newLead} className={buttonClass()}>
            Submit Your First Lead
          </Link>
        </May>
      }
    />
  )
}
