import { LEAD_SORT_COLUMNS } from '@portal/contract/leads.ts'
import { useQuery } from '@tanstack/react-query'
import { FileUp, Plus, Users } from 'lucide-react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { leadListSearch } from '../../app/search-params.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate } from '../../router/router-view.tsx'
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
import { useListAddress } from '../views/use-list-address.ts'
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
  const address = useListAddress('leads', leadListSearch)
  const { search, views, filter } = address
  const navigate = useNavigate()
  const sync = useSync('leads')
  const leads = useQuery(leadListQuery(leadFiltersOf(search)))

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
        <RecordListBar title="Leads" placeholder="Search by business name, contact, email or LOID" address={address}>
          <LeadFilters search={search} onChange={filter} />
        </RecordListBar>
        <RecordList
          title="Leads"
          list={leads}
          rows={leads.data?.data.leads}
          columns={LEAD_COLUMNS}
          sortColumns={LEAD_SORT_COLUMNS}
          fallback={LEAD_SORT}
          sortValue={leadSortValue}
          address={address}
          isFiltered={search.search !== undefined || countLeadFilters(search) > 0}
          isSyncing={sync.isRunning}
          empty={<NoLeads />}
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
