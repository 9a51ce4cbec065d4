import { LEAD_SORT_COLUMNS } from '@portal/contract/leads.ts'
import { useQuery } from '@tanstack/react-query'
import { FileUp, Plus, Users } from 'lucide-react'
import { useRef } from 'react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type LeadListSearch, leadListSearch } from '../../app/search-params.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { May } from '../../session/may.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { leadStatusesQuery } from '../referral/referral.queries.ts'
import { DebugButton } from '../sync/debug-button.tsx'
import { SyncButton } from '../sync/sync-button.tsx'
import { SyncProgress } from '../sync/sync-progress.tsx'
import { useSync } from '../sync/use-sync.ts'
import { RecordList, RecordListBar } from '../views/record-list.tsx'
import { useListViews } from '../views/use-list-views.ts'
import { viewsQuery } from '../views/views.queries.ts'
import { LEAD_COLUMNS, leadSortValue } from './lead-columns.tsx'
import { countLeadFilters, LeadFilters } from './lead-filters.tsx'
import { LEAD_SORT, leadFiltersOf, leadListQuery, saveLeads } from './leads.queries.ts'

export function startLeadList({ queryClient, search }: PageStart) {
  startQuery(queryClient, leadListQuery(leadFiltersOf(leadListSearch(search))))
  startQuery(queryClient, leadStatusesQuery())
  startQuery(queryClient, viewsQuery())
}

export function LeadListPage() {
  const search = useSearch(leadListSearch)
  const navigate = useNavigate()
  const sync = useSync('leads')
  const views = useListViews('leads', search)
  const searchRef = useRef<HTMLInputElement>(null)
  const leads = useQuery(leadListQuery(leadFiltersOf(search)))

  function handleChange(change: Partial<LeadListSearch>) {
    void navigate({
      ...paths.leads,
      search: (previous) => views.stay({ ...previous, ...leadListSearch(previous), ...change }),
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
    void navigate({ ...paths.leads, search: views.stay({ sort: search.sort, sorted: search.sorted }) })
  }

  if (views.start) return <Redirect {...paths.leads} search={views.start} />
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
        <RecordListBar
          title="Leads"
          searchRef={searchRef}
          placeholder="Search by business name, contact, email or LOID"
          search={search}
          views={views}
          onFilter={handleFilter}
        >
          <LeadFilters search={search} onChange={handleFilter} />
        </RecordListBar>
        <RecordList
          title="Leads"
          list={leads}
          rows={leads.data?.data.leads}
          columns={LEAD_COLUMNS}
          sortColumns={LEAD_SORT_COLUMNS}
          fallback={LEAD_SORT}
          sortValue={leadSortValue}
          search={search}
          isFiltered={search.search !== undefined || countLeadFilters(search) > 0}
          isWaiting={views.isWaiting}
          isSyncing={sync.isRunning}
          empty={<NoLeads />}
          onChange={handleChange}
          onClear={handleClear}
          onOpen={(lead) => void navigate(paths.lead(lead.loid))}
        />
      </div>
      <SyncProgress sync={sync} />
    </>
  )
}

function NoLeads() {
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
