import type { Activity, readRecentActivity } from '@portal/contract/dashboard.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Answer } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { Section } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Quote } from '../inbox/quote.tsx'
import { viewAllClass } from './recent-records.tsx'

const SHOWN = 5

interface RecentActivityProps {
  activity: UseQueryResult<Answer<typeof readRecentActivity>>
  /** The LOIDs of the records that the page shows above. */
  told: readonly (string | null)[]
}

/** The latest events of which the page does not tell above, so that nothing is told twice (D128). */
export function RecentActivity({ activity, told }: RecentActivityProps) {
  const all = activity.data?.activities
  const untold = all?.filter(({ loid }) => loid === null || !told.includes(loid)).slice(0, SHOWN)
  return (
    <Section
      title="Recent Activity"
      padded={false}
      action={
        <Link {...paths.activity} aria-label="View all activity" className={viewAllClass}>
          View all
        </Link>
      }
    >
      {activity.isPending && <Spinner label="Loading activity" />}
      {activity.isError && !all && <LoadFailure text="Failed to fetch recent activity" query={activity} />}
      {untold?.length === 0 && (
        <p className="px-5 py-4 text-muted">
          {all?.length === 0 ? 'No activity yet' : 'Everything that happened lately is shown above.'}
        </p>
      )}
      {untold && untold.length > 0 && <ActivityList activities={untold} />}
    </Section>
  )
}

function ActivityList({ activities }: { activities: Activity[] }) {
  return (
    <RestingRows className="px-5 py-4" rows={activities}>
      {({ id, title, description, quote, loid, about, created_at }) => (
        <li key={id} className="group relative flex gap-4 pb-5 last:pb-1">
          <span aria-hidden className="relative mt-1.5 flex w-2 shrink-0 justify-center">
            <span className="absolute top-2 -bottom-7 w-px bg-line group-last:hidden" />
            <span className="size-2 rounded-full bg-brand ring-4 ring-surface" />
          </span>
          <div className="min-w-0 flex-1 sm:flex sm:gap-4">
            <div className="min-w-0 flex-1">
              <p className="font-medium">{title}</p>
              <p className="break-words text-muted">{description}</p>
              {quote && <Quote>{quote}</Quote>}
            </div>
            <div className="flex items-baseline gap-3 text-[0.8125rem] text-muted sm:block sm:text-right">
              <time dateTime={created_at} title={formatDateTime(created_at)} className="block">
                <RelativeTime at={created_at} />
              </time>
              {loid && <ActivityLoid loid={loid} about={about} />}
            </div>
          </div>
        </li>
      )}
    </RestingRows>
  )
}

function ActivityLoid({ loid, about }: { loid: string; about: Activity['about'] }) {
  const className = 'inline-block rounded py-0.5 font-mono text-xs'
  if (about === null) return <span className={className}>{loid}</span>
  return (
    <Link {...paths[about](loid)} className={`${className} text-brand-ink underline-offset-4 hover:underline`}>
      {loid}
    </Link>
  )
}
