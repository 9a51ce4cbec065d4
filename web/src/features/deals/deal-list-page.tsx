import { DEAL_SORT_COLUMNS, type DealSortColumn } from '@portal/contract/deals.ts'
import { useQuery } from '@tanstack/react-query'
import { ArrowDownWideNarrow, ArrowUpWideNarrow, Handshake } from 'lucide-react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { dealListSearch } from '../../app/search-params.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate } from '../../router/router-view.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { parseSort, type Sort } from '../../ui/sort.ts'
import { SyncButton } from '../sync/sync-button.tsx'
import { SyncProgress } from '../sync/sync-progress.tsx'
import { useSync } from '../sync/use-sync.ts'
import { RecordList, RecordListBar, sortChange } from '../views/record-list.tsx'
import { useListAddress } from '../views/use-list-address.ts'
import { viewsQuery } from '../views/views.queries.ts'
import { DEAL_COLUMNS, dealSortValue } from './deal-columns.tsx'
import { countDealFilters, DealFilters } from './deal-filters.tsx'
import { DealSummaryCards } from './deal-summary-cards.tsx'
import { DEAL_SORT, dealFiltersOf, dealListQuery, saveDeals, stagesQuery } from './deals.queries.ts'

export function startDealList({ queryClient, search }: PageStart) {
  startQuery(queryClient, dealListQuery(dealFiltersOf(dealListSearch(search))))
  startQuery(queryClient, stagesQuery())
  startQuery(queryClient, viewsQuery())
}

export function DealListPage() {
  const address = useListAddress('deals', dealListSearch)
  const { search, views, filter } = address
  const navigate = useNavigate()
  const sync = useSync('deals')
  const filters = dealFiltersOf(search)
  const deals = useQuery(dealListQuery(filters))
  const sort = parseSort(search.sort, DEAL_SORT_COLUMNS, DEAL_SORT)

  if (views.start) return <Redirect {...paths.deals} search={views.start} />
  return (
    <>
      <PageHeader
        title="Deals"
        description={<p className="max-sm:hidden">Leads the lender has taken on, from application to funding.</p>}
        actions={
          <div className="flex flex-wrap gap-2">
            <AmountSortButton sort={sort} onSort={() => address.change(sortChange(search, sort, 'amount'))} />
            <ExportButton onExport={() => saveDeals(search)} />
            <SyncButton sync={sync} />
          </div>
        }
      />
      <div className="grid grid-cols-1 gap-3">
        {(deals.data || deals.isPending) && <DealSummaryCards deals={deals.data?.data.deals} />}
        <RecordListBar
          title="Deals"
          placeholder="Search by deal, business name, contact, email or LOID"
          address={address}
        >
          <DealFilters filters={filters} onChange={filter} />
        </RecordListBar>
        <RecordList
          title="Deals"
          list={deals}
          rows={deals.data?.data.deals}
          columns={DEAL_COLUMNS}
          sortColumns={DEAL_SORT_COLUMNS}
          fallback={DEAL_SORT}
          sortValue={dealSortValue}
          address={address}
          isFiltered={search.search !== undefined || countDealFilters(filters) > 0}
          isSyncing={sync.isRunning}
          empty={<NoDeals />}
          onOpen={(deal) => void navigate(paths.deal(deal.loid))}
        />
      </div>
      <SyncProgress sync={sync} />
    </>
  )
}

interface AmountSortButtonProps {
  sort: Sort<DealSortColumn>
  onSort: () => void
}

function AmountSortButton({ sort, onSort }: AmountSortButtonProps) {
  const isAscending = sort.column === 'amount' && sort.direction === 'ascending'
  return (
    <Button
      variant="secondary"
      aria-pressed={sort.column === 'amount'}
      icon={isAscending ? <ArrowUpWideNarrow aria-hidden /> : <ArrowDownWideNarrow aria-hidden />}
      onClick={onSort}
    >
      Sort by Amount
    </Button>
  )
}

function NoDeals() {
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
