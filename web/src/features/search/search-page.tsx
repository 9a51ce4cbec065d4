import { SEARCH_TOTAL_MAX } from '@portal/contract/limits.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import type { search } from '@portal/contract/search.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Handshake, Plus, SearchX, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { searchPageSearch } from '../../app/search-params.ts'
import { formatCount } from '../../format/count.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { May } from '../../session/may.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Section } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DataTable } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { FOUND_DEAL_COLUMNS, FOUND_LEAD_COLUMNS } from './found-columns.tsx'
import { searchQuery } from './search.queries.ts'

export function startSearch({ queryClient, search }: PageStart) {
  const { q } = searchPageSearch(search)
  if (q) startQuery(queryClient, searchQuery(q))
}

export function SearchPage() {
  const { q = '' } = useSearch(searchPageSearch)
  const results = useQuery(searchQuery(q))
  if (q === '') return <Redirect {...paths.dashboard} />
  const record = results.isPlaceholderData ? undefined : recordOf(q, results.data)
  if (record) return <Redirect {...record} />
  return (
    <>
      <PageHeader
        title="Search Results"
        tabTitle={`${q} · Search`}
        description={
          <span aria-live="polite">
            {headerText(results)} for <strong className="font-semibold break-words text-ink">“{q}”</strong>
          </span>
        }
      />
      <div className="stack gap-8">
        <Results q={q} />
        {/* The quick actions appear together with the results, so that the results do not push them down. */}
        {!results.isPending && <QuickActions />}
      </div>
    </>
  )
}

/** The page of the one record that the text names by its LOID (D145). */
function recordOf(q: string, found: Answer<typeof search> | undefined) {
  if (!found || found.total_leads + found.total_deals !== 1 || parseLoid(q) === null) return undefined
  const [lead] = found.leads
  const [deal] = found.deals
  return lead ? paths.lead(lead.loid) : deal && paths.deal(deal.loid)
}

/** While a new search runs, the rows of the last search stay, but its number of results does not. */
function headerText({ data, isPlaceholderData, isError }: UseQueryResult<Answer<typeof search>>): string {
  if (data && !isPlaceholderData) return resultsText(data)
  return isError ? 'Searched' : 'Searching'
}

/** The server stops counting at `SEARCH_TOTAL_MAX` + 1, so a total of exactly this maximum has no plus (D55). */
function countText(total: number): string {
  return total > SEARCH_TOTAL_MAX ? `${formatNumber(SEARCH_TOTAL_MAX)}+` : formatNumber(total)
}

function resultsText({ total_leads, total_deals }: { total_leads: number; total_deals: number }): string {
  const total = Math.min(total_leads, SEARCH_TOTAL_MAX) + Math.min(total_deals, SEARCH_TOTAL_MAX)
  const isMore = total < total_leads + total_deals
  return isMore ? `${formatNumber(total)}+ results` : formatCount(total, 'result')
}

function Results({ q }: { q: string }) {
  const results = useQuery(searchQuery(q))
  const navigate = useNavigate()

  const hasRows = results.data !== undefined && results.data.leads.length + results.data.deals.length > 0
  if (results.isPending || (results.isPlaceholderData && !hasRows)) {
    return (
      <div className="frame">
        <TableSkeleton label="Searching" columns={FOUND_LEAD_COLUMNS} rows={5} />
      </div>
    )
  }
  if (!results.data) {
    const detail = failureText(results.error)
    return (
      <div className="panel">
        <Failure
          text="Search failed"
          detail={detail === 'Search failed' ? undefined : detail}
          onRetry={() => void results.refetch()}
        />
      </div>
    )
  }

  const { leads, deals, total_leads, total_deals } = results.data
  if (!hasRows) return <NothingFound q={q} />
  return (
    <>
      {leads.length > 0 && (
        <FoundCard title="Leads" shown={leads.length} total={total_leads} list={paths.leadsLike(q)}>
          <DataTable
            label="Leads found"
            columns={FOUND_LEAD_COLUMNS}
            rows={leads}
            rowKey={(lead) => lead.id}
            stale={results.isPlaceholderData}
            onRowClick={(lead) => void navigate(paths.lead(lead.loid))}
          />
        </FoundCard>
      )}
      {deals.length > 0 && (
        <FoundCard title="Deals" shown={deals.length} total={total_deals} list={paths.dealsLike(q)}>
          <DataTable
            label="Deals found"
            columns={FOUND_DEAL_COLUMNS}
            rows={deals}
            rowKey={(deal) => deal.id}
            stale={results.isPlaceholderData}
            onRowClick={(deal) => void navigate(paths.deal(deal.loid))}
          />
        </FoundCard>
      )}
    </>
  )
}

interface FoundCardProps {
  title: string
  shown: number
  total: number
  /** The list with the same search, which has all matches. */
  list: ReturnType<typeof paths.leadsLike> | ReturnType<typeof paths.dealsLike>
  children: ReactNode
}

function FoundCard({ title, shown, total, list, children }: FoundCardProps) {
  return (
    <Section
      title={title}
      description={shown < total ? `The newest ${shown} of ${countText(total)}` : undefined}
      action={
        shown < total ? (
          <Link {...list} className={buttonClass('secondary', 'small')}>
            All {countText(total)} in {title}
          </Link>
        ) : (
          <Badge>{countText(total)}</Badge>
        )
      }
      padded={false}
    >
      {children}
    </Section>
  )
}

function NothingFound({ q }: { q: string }) {
  return (
    <div className="panel">
      <h2 className="sr-only">Results</h2>
      <EmptyState
        icon={<SearchX />}
        title={`No results found for “${q}”`}
        text={
          <>
            Try searching for:
            <span className="mt-2 block text-left text-wrap">
              <span className="block">• Business or contact names</span>
              <span className="block">• Email or phone</span>
              <span className="block">• LOID</span>
              <span className="block">• Loan types or industries</span>
            </span>
          </>
        }
      />
    </div>
  )
}

function QuickActions() {
  return (
    <Section title="Quick Actions">
      <div className="flex flex-wrap gap-2 max-sm:flex-col">
        <May least="member">
          <Link {...paths.newLead} className={buttonClass('secondary')}>
            <Plus aria-hidden />
            Submit New Lead
          </Link>
        </May>
        <Link {...paths.leads} className={buttonClass('secondary')}>
          <Users aria-hidden />
          View All Leads
        </Link>
        <Link {...paths.deals} className={buttonClass('secondary')}>
          <Handshake aria-hidden />
          View All Deals
        </Link>
      </div>
    </Section>
  )
}
