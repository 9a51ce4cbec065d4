import type { readAttention } from '@portal/contract/attention.ts'
import type { readRecentActivity } from '@portal/contract/dashboard.ts'
import type { readNews } from '@portal/contract/inbox.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { failureDetail } from '../../api/failure.ts'
import { paths } from '../../app/paths.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { attentionQuery } from './attention.queries.ts'
import { AttentionList } from './attention-list.tsx'
import { newsQuery } from './inbox.queries.ts'
import { MarkAllRead } from './mark-all-read.tsx'
import { NewsList } from './news-list.tsx'

type Activities = UseQueryResult<Answer<typeof readRecentActivity>>

/**
 * The cards keep their height in every state, so that nothing below moves when news arrives. Both cards fit on the
 * first screen of a phone.
 */
const AREA = 'grid gap-5 grid-cols-1 lg:grid-cols-2'
const CARD = 'flex min-w-0 flex-col lg:h-84'

/** The cards for what needs attention and for what is new. They are above the dashboard's figures (D72, D74). */
export function InboxCards({ activity }: { activity: Activities }) {
  const attention = useQuery(attentionQuery())
  const news = useQuery(newsQuery())
  if (attention.isPending || news.isPending) {
    return (
      <div className={AREA}>
        <InboxCard title="Needs attention" height="h-60">
          <SkeletonRows rows={2} label="Loading what needs attention" />
        </InboxCard>
        <InboxCard title="Since you were here" height="h-80">
          <SkeletonRows rows={3} label="Loading what is new" />
        </InboxCard>
      </div>
    )
  }
  return <Known attention={attention} news={news} activity={activity} />
}

interface KnownProps {
  attention: UseQueryResult<Answer<typeof readAttention>>
  news: UseQueryResult<Answer<typeof readNews>>
  activity: Activities
}

function Known({ attention, news, activity }: KnownProps) {
  // The order of the cards does not change while the page is open.
  const [isQuiet] = useState(attention.data?.items.length === 0)
  const items = attention.data?.items ?? []
  const first = (
    <InboxCard
      key="attention"
      title="Needs attention"
      count={attention.data?.total}
      isLeast={attention.data?.is_least}
      height="h-60"
    >
      {attention.data ? (
        items.length > 0 ? (
          <AttentionList items={items} hasMore={attention.data.total > items.length} />
        ) : (
          <Calm knowsUsualTimes={attention.data.knows_usual_times} />
        )
      ) : (
        <Failure
          text="Failed to load what needs attention"
          detail={failureDetail(attention.error)}
          onRetry={() => void attention.refetch()}
        />
      )}
    </InboxCard>
  )
  const second = (
    <InboxCard
      key="news"
      title="Since you were here"
      count={news.data?.total}
      isLeast={news.data?.is_least}
      height="h-80"
      action={
        news.data && news.data.total > 0 ? (
          <span className="-mr-3">
            <MarkAllRead news={news.data} />
          </span>
        ) : (
          <AllActivity />
        )
      }
    >
      {news.data ? (
        news.data.lines.length > 0 ? (
          <NewsList news={news.data} />
        ) : (
          <Earlier activity={activity} />
        )
      ) : (
        <Failure
          text="Failed to load what is new"
          detail={failureDetail(news.error)}
          onRetry={() => void news.refetch()}
        />
      )}
    </InboxCard>
  )
  return <div className={AREA}>{isQuiet ? [second, first] : [first, second]}</div>
}

interface InboxCardProps {
  title: string
  count?: number | undefined
  /** There may be more than `count`. */
  isLeast?: boolean | undefined
  height: string
  action?: ReactNode
  children: ReactNode
}

function InboxCard({ title, count = 0, isLeast = false, height, action, children }: InboxCardProps) {
  return (
    <Card
      className={clsx(CARD, height)}
      bodyClassName="min-h-0 flex-1 overflow-y-auto"
      padded={false}
      title={
        <>
          {title}{' '}
          {count > 0 && (
            <span className="ml-1 font-medium text-muted tabular-nums">
              {formatNumber(count)}
              {isLeast && '+'}
            </span>
          )}
        </>
      }
      action={action}
    >
      {children}
    </Card>
  )
}

function Calm({ knowsUsualTimes }: { knowsUsualTimes: boolean }) {
  return (
    <EmptyState
      compact
      icon={<CircleCheck />}
      title={knowsUsualTimes ? 'Nothing needs your attention' : 'Not enough history yet'}
      text="Notes from the lender and records that got stuck appear here."
    />
  )
}

function AllActivity() {
  return (
    <Link
      {...paths.activity}
      className="rounded px-1 py-0.5 text-[0.8125rem] font-medium whitespace-nowrap text-brand-ink underline-offset-4 hover:underline"
    >
      All activity
    </Link>
  )
}

/** Shown when nothing is new: the last events, which the person has already seen or caused. */
function Earlier({ activity }: { activity: Activities }) {
  const activities = activity.data?.activities ?? []
  if (activity.isPending) return <SkeletonRows rows={3} label="Loading activity" />
  if (activities.length === 0) {
    return (
      <EmptyState
        compact
        icon={<CircleCheck />}
        // If the events could not be fetched, the card of recent activity says so.
        title={activity.data ? 'Nothing has happened yet' : 'You are up to date'}
        text="Changes that the lender and your team make to your leads and deals appear here."
      />
    )
  }
  return (
    <>
      <p className="flex items-center gap-2 px-5 pt-4 pb-1 font-medium">
        <CircleCheck aria-hidden className="size-4 text-success-dot" />
        You are up to date. The latest events:
      </p>
      <ul>
        {activities.slice(0, EARLIER).map(({ id, title, description, created_at }) => (
          <li key={id} className="px-5 py-2.5">
            <span className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 truncate">{title}</span>
              <span className="shrink-0 text-[0.8125rem] whitespace-nowrap text-muted">
                <RelativeTime at={created_at} />
              </span>
            </span>
            <span className="block truncate text-muted">{description}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const EARLIER = 3
