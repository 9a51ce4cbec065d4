import { PAGE_SIZE } from '@portal/contract/limits.ts'
import { type UseQueryResult, useIsMutating } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ScrollText } from 'lucide-react'
import { useId, useRef } from 'react'
import type { WebhookLogSearch } from '../../app/search-params.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { ListBar, ListSearch } from '../../ui/list-search.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { countWebhookLogFilters, WebhookLogFilters } from './webhook-log-filters.tsx'
import { WebhookLogRow } from './webhook-log-row.tsx'
import { SEND_KEY, type WebhookLogPage } from './webhooks.queries.ts'

interface WebhookLogPanelProps {
  logs: UseQueryResult<WebhookLogPage>
  search: WebhookLogSearch
  onChange: (change: Partial<WebhookLogSearch>) => void
}

export function WebhookLogPanel({ logs, search, onChange }: WebhookLogPanelProps) {
  const titleId = useId()
  const ref = useRef<HTMLElement>(null)
  const searchRef = useRef<HTMLInputElement>(null)

  /** A changed filter changes what each page contains, so the list returns to the first page. */
  function handleFilter(change: Partial<WebhookLogSearch>) {
    onChange({ page: undefined, ...change })
  }

  /** The pressed button disappears, so the search box takes focus. */
  function handleClear() {
    searchRef.current?.focus()
    handleFilter({ search: undefined, status: undefined, endpoint: undefined, dateFrom: undefined, dateTo: undefined })
  }

  return (
    <section ref={ref} aria-labelledby={titleId} className="grid scroll-mt-20 grid-cols-[minmax(0,1fr)] gap-4">
      <div>
        <h2 id={titleId} className="text-[0.9375rem] font-semibold">
          Webhook Log
        </h2>
        <p className="text-muted">
          Calls from your systems and deliveries to your URL, newest first, kept for 90 days.
        </p>
      </div>
      <ListBar>
        <ListSearch
          inputRef={searchRef}
          label="Search webhook log"
          placeholder="Search by endpoint, event, LOID or error"
          value={search.search ?? ''}
          onSearch={(text) => handleFilter({ search: text || undefined })}
        />
        <WebhookLogFilters search={search} onChange={handleFilter} />
      </ListBar>
      <WebhookLogList
        logs={logs}
        search={search}
        onClear={handleClear}
        onPage={(page) => {
          onChange({ page: page > 1 ? page : undefined })
          ref.current?.scrollIntoView()
        }}
      />
    </section>
  )
}

interface WebhookLogListProps {
  logs: WebhookLogPanelProps['logs']
  search: WebhookLogSearch
  onClear: () => void
  onPage: (page: number) => void
}

function WebhookLogList({ logs, ...more }: WebhookLogListProps) {
  if (logs.isPending) {
    return (
      <div className="frame">
        <SkeletonRows rows={6} label="Loading webhook log" />
      </div>
    )
  }
  if (!logs.data) {
    return (
      <div className="panel">
        <LoadFailure text="Failed to load webhook data" query={logs} />
      </div>
    )
  }
  const { isPlaceholderData, isFetching } = logs
  return <WebhookLogRows list={logs.data} isStale={isPlaceholderData} isFetching={isFetching} {...more} />
}

interface WebhookLogRowsProps extends Omit<WebhookLogListProps, 'logs'> {
  list: WebhookLogPage
  isStale: boolean
  isFetching: boolean
}

function WebhookLogRows({ list, isStale, isFetching, search, onClear, onPage }: WebhookLogRowsProps) {
  const page = search.page ?? 1
  const scope = JSON.stringify(search)
  const isAsking = useIsMutating({ mutationKey: SEND_KEY }) > 0
  const { rows, waiting, showAll } = useFollowedRows(list.data, { scope, isAsking, isFetching })
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {rows.length === 0 && isStale ? (
          <SkeletonRows rows={6} label="Loading webhook log" />
        ) : rows.length === 0 ? (
          <NoLogs
            isFiltered={search.search !== undefined || countWebhookLogFilters(search) > 0}
            isFirstPage={page === 1}
            onClear={onClear}
          />
        ) : (
          <ul
            aria-label="Webhook log"
            aria-busy={isStale || undefined}
            className={clsx(isStale && 'opacity-60 transition-opacity')}
          >
            {rows.map((log) => (
              <WebhookLogRow key={log.id} log={log} />
            ))}
          </ul>
        )}
        {(rows.length === PAGE_SIZE || page > 1) && (
          <Pagination page={page} hasNext={rows.length === PAGE_SIZE && list.pagination.has_more} onPage={onPage} />
        )}
      </div>
    </div>
  )
}

interface NoLogsProps {
  isFiltered: boolean
  isFirstPage: boolean
  onClear: () => void
}

function NoLogs({ isFiltered, isFirstPage, onClear }: NoLogsProps) {
  if (isFiltered) {
    return (
      <NothingFound
        title="No webhook logs found"
        text="Try adjusting your search or filters"
        action="Clear search and filters"
        onClear={onClear}
      />
    )
  }
  return (
    <EmptyState
      icon={<ScrollText />}
      title={isFirstPage ? 'No webhook logs yet' : 'No webhook logs found'}
      text={
        isFirstPage
          ? 'Calls with your API key and deliveries to your URL appear here.'
          : 'This page is past the last one'
      }
    />
  )
}
