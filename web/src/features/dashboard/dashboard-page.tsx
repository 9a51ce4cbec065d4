import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { failureDetail } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { May } from '../../session/may.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { attentionQuery } from '../inbox/attention.queries.ts'
import { newsQuery } from '../inbox/inbox.queries.ts'
import { InboxCards } from '../inbox/inbox-cards.tsx'
import {
  activityQuery,
  pipelineQuery,
  recentDealsQuery,
  recentLeadsQuery,
  statsQuery,
  trendsQuery,
} from './dashboard.queries.ts'
import { FailedPipeline, PipelineSection, WaitingPipeline } from './pipeline-section.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { RecentDeals, RecentLeads } from './recent-records.tsx'
import { StatCards } from './stat-cards.tsx'
import { TrendsSection } from './trends-section.tsx'

export function startDashboard({ context: { queryClient } }: PageStart) {
  startQuery(queryClient, newsQuery())
  startQuery(queryClient, attentionQuery())
  startQuery(queryClient, statsQuery())
  startQuery(queryClient, trendsQuery('week'))
  startQuery(queryClient, pipelineQuery())
  startQuery(queryClient, recentLeadsQuery())
  startQuery(queryClient, recentDealsQuery())
  startQuery(queryClient, activityQuery())
}

export function DashboardPage() {
  return (
    <>
      <PageHeader
        title="Dashboard"
        description="Your referrals at a glance."
        actions={
          <May least="member">
            <Link {...paths.newLead} className={buttonClass('primary')}>
              <Plus aria-hidden />
              New Lead
            </Link>
          </May>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <InboxCards activity={useQuery(activityQuery())} />
        <StatCards />
        <TrendsSection />
        <Sections />
      </div>
    </>
  )
}

/**
 * The pipeline and everything below it appear together. Otherwise the parts below would jump, because the pipeline's
 * height is unknown until it loads, and it may not appear at all. All parts are fetched at the same time.
 */
function Sections() {
  const pipeline = useQuery(pipelineQuery())
  const leads = useQuery(recentLeadsQuery())
  const deals = useQuery(recentDealsQuery())
  const activity = useQuery(activityQuery())

  if (pipeline.isPending) return <WaitingPipeline />
  return (
    <>
      {pipeline.data ? (
        <PipelineSection stages={pipeline.data.pipeline} />
      ) : (
        <FailedPipeline detail={failureDetail(pipeline.error)} onRetry={() => void pipeline.refetch()} />
      )}
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <RecentLeads leads={leads} />
        <RecentDeals deals={deals} />
      </div>
      <RecentActivity activity={activity} />
    </>
  )
}
