import { ACTIVITY_TYPE_NAMES, ACTORS, type ActivityEntry } from '@portal/contract/activity.ts'
import { mayTell, RECORD_EVENT_TYPES } from '@portal/contract/event-types.ts'
import { MINE } from '@portal/contract/submitted-by.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Activity as ActivityIcon } from 'lucide-react'
import { useRef } from 'react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type ActivitySearch, activitySearch } from '../../app/search-params.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { leadStatusesQuery } from '../referral/referral.queries.ts'
import { submittersQuery } from '../team/team.queries.ts'
import { useListViews } from '../views/use-list-views.ts'
import { viewsQuery } from '../views/views.queries.ts'
import { ViewsButton } from '../views/views-button.tsx'
import { activityLogQuery } from './activity.queries.ts'
import { DayFilters } from './day-filters.tsx'
import { newsQuery } from './inbox.queries.ts'
import { MarkAllRead } from './mark-all-read.tsx'
import { Quote } from './quote.tsx'
import { UnreadDot } from './unread-mark.tsx'

export function startActivity({ queryClient, search }: PageStart) {
  startQuery(queryClient, submittersQuery())
  startQuery(queryClient, leadStatusesQuery())
  startQuery(queryClient, viewsQuery())
  queryClient.infiniteQuery(activityLogQuery(activitySearch(search))).catch(() => undefined)
}

export function ActivityPage() {
  const search = useSearch(activitySearch)
  const navigate = useNavigate()
  const views = useListViews('activity', search)
  const seesPayments = useSeesPayments()
  const { data: news } = useQuery(newsQuery())
  const { data: team } = useQuery(submittersQuery())
  const { data: choices } = useQuery(leadStatusesQuery())
  const typeRef = useRef<HTMLSelectElement>(null)
  const doers = [
    { value: MINE, label: 'Me' },
    { value: 'lender', label: ACTORS.lender },
    { value: 'api-key', label: ACTORS['api-key'] },
    ...(team?.people ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ]

  function handleChange(change: Partial<ActivitySearch>) {
    void navigate({
      ...paths.activity,
      search: (previous) => views.stay({ ...activitySearch(previous), ...change }),
      resetScroll: false,
    })
  }

  /** The pressed button disappears, so the type filter takes focus. */
  function handleClear() {
    typeRef.current?.focus()
    handleChange({ type: undefined, person: undefined, dateFrom: undefined, dateTo: undefined, view: undefined })
  }

  if (views.start) return <Redirect {...paths.activity} search={views.start} />
  const types = RECORD_EVENT_TYPES.filter(
    (type) =>
      mayTell(type, seesPayments ? ['money'] : []) &&
      (type !== 'lead.verdict_changed' || type === search.type || Boolean(choices?.verdicts)),
  )
  return (
    <>
      <PageHeader
        title="Activity"
        description="Everything that happened to your leads and deals in the last 90 days."
        actions={
          <div className="flex flex-wrap items-center gap-2">
            <ViewsButton views={views} name="activity" />
            <MarkAllRead news={news} variant="secondary" />
          </div>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
          <SelectField
            ref={typeRef}
            label="Type"
            placeholder="Everything"
            options={types.map((type) => ({ value: type, label: ACTIVITY_TYPE_NAMES[type] }))}
            value={search.type ?? ''}
            onChange={(event) => handleChange({ type: event.target.value || undefined })}
          />
          <SelectField
            label="Who"
            placeholder="Everybody"
            options={doers}
            value={search.person ?? ''}
            onChange={(event) => handleChange({ person: event.target.value || undefined })}
          />
          <DayFilters days={search} onChange={handleChange} />
        </div>
        <Activities search={search} isWaiting={views.isWaiting} onClear={handleClear} />
      </div>
    </>
  )
}

interface ActivitiesProps {
  search: ActivitySearch
  isWaiting: boolean
  onClear: () => void
}

function Activities({ search, isWaiting, onClear }: ActivitiesProps) {
  const log = useInfiniteQuery(activityLogQuery(search))
  const pages = log.data?.pages ?? []
  const { rows, waiting, showAll } = useFollowedRows(
    pages.flatMap((page) => page.activities),
    { scope: JSON.stringify([search, pages.length]), isAsking: false, isFetching: log.isFetching },
  )
  const isFiltered = Object.entries(search).some(([name, value]) => name !== 'view' && value !== undefined)
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {log.isPending || isWaiting ? (
          <SkeletonRows rows={8} label="Loading activity" />
        ) : !log.data ? (
          <LoadFailure text="Failed to load activity" query={log} />
        ) : rows.length === 0 ? (
          <NoActivity isFiltered={isFiltered} onClear={onClear} />
        ) : (
          <>
            <ol aria-label="Activity" className={log.isPlaceholderData ? 'opacity-60' : undefined}>
              {rows.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ol>
            <LoadMore list={log} failure="Older activity could not be loaded." />
          </>
        )}
      </div>
    </div>
  )
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { title, description, quote, loid, about, by, is_new, created_at } = entry
  return (
    <li className="flex flex-col gap-x-6 border-b border-line px-5 py-3 last:border-0 sm:flex-row sm:justify-between">
      <div className="min-w-0">
        <p className="font-medium">
          {is_new && <UnreadDot />}
          {title}
        </p>
        <p className="wrap-anywhere text-muted">{description}</p>
        {quote && <Quote>{quote}</Quote>}
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 text-[0.8125rem] text-muted sm:shrink-0 sm:flex-col sm:items-end">
        <time dateTime={created_at} title={formatDateTime(created_at)}>
          <RelativeTime at={created_at} />
        </time>
        {by && !description.includes(`· ${by}`) && <span>{by}</span>}
        {loid && <EntryLoid loid={loid} about={about} />}
      </div>
    </li>
  )
}

function EntryLoid({ loid, about }: { loid: string; about: ActivityEntry['about'] }) {
  const className = 'font-mono text-xs'
  if (about === null) return <span className={className}>{loid}</span>
  return (
    <Link {...paths[about](loid)} className={`${className} rounded text-brand-ink underline-offset-4 hover:underline`}>
      {loid}
    </Link>
  )
}

function NoActivity({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={<ActivityIcon />} title="No activity yet" text="Changes to your leads and deals appear here." />
    )
  }
  return (
    <NothingFound title="No activity found" text="Try adjusting the filters" action="Clear filters" onClear={onClear} />
  )
}
