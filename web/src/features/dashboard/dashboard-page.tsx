import type { Stats } from '@portal/contract/dashboard.ts'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { readSeesPayments, useSeesPayments } from '../../session/sees-payments.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { AfterPaint } from '../../ui/after-paint.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { attentionQuery } from '../inbox/attention.queries.ts'
import { AttentionCard, CalmLine } from '../inbox/attention-card.tsx'
import { newsQuery } from '../inbox/inbox.queries.ts'
import { NewsSection, NoNewsLine, untoldNews } from '../inbox/news-section.tsx'
import { PaymentSumsLine } from '../payments/payment-sums-line.tsx'
import { paymentSumsQuery } from '../payments/payments.queries.ts'
import { ManagerLine } from '../referral/manager.tsx'
import {
  activityQuery,
  pipelineQuery,
  recentDealsQuery,
  recentLeadsQuery,
  statsQuery,
  trendsQuery,
} from './dashboard.queries.ts'
import { FirstSteps } from './first-steps.tsx'
import { FailedPipeline, PipelineSection, WaitingPipeline } from './pipeline-section.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { RecentDeals, RecentLeads } from './recent-records.tsx'
import { StatStrip, WaitingStats } from './stat-strip.tsx'
import { TrendsSection } from './trends-section.tsx'

export function startDashboard({ queryClient }: PageStart) {
  startQuery(queryClient, newsQuery())
  startQuery(queryClient, attentionQuery())
  startQuery(queryClient, statsQuery())
  void startPaymentSums(queryClient)
  startQuery(queryClient, trendsQuery('week'))
  startQuery(queryClient, pipelineQuery())
  startQuery(queryClient, recentLeadsQuery())
  startQuery(queryClient, recentDealsQuery())
  startQuery(queryClient, activityQuery())
}

/** If it is not known yet whether the person sees payments, the session says so (D111). */
async function startPaymentSums(queryClient: QueryClient) {
  if (readSeesPayments() === null) await queryClient.query(sessionQuery()).catch(() => undefined)
  if (readSeesPayments()) startQuery(queryClient, paymentSumsQuery(true))
}

export function DashboardPage() {
  return (
    <>
      <PageHeader
        title="Dashboard"
        // A phone has room for the four figures only without it.
        description={<span className="max-sm:hidden">Your referrals at a glance.</span>}
        actions={
          <May least="member">
            <Link {...paths.newLead} className={buttonClass('primary')}>
              <Plus aria-hidden />
              New Lead
            </Link>
          </May>
        }
      />
      <Content />
    </>
  )
}

/**
 * What needs attention, what is new and the figures appear together, and everything below appears after them. Their
 * heights are unknown until they have loaded, so what appeared earlier would jump. All parts are fetched at the same time.
 */
function Content() {
  const attention = useQuery(attentionQuery())
  const news = useQuery(newsQuery())
  const stats = useQuery(statsQuery())
  const seesPayments = useSeesPayments()
  const payments = useQuery(paymentSumsQuery(seesPayments))
  const session = useQuery(sessionQuery())
  const isSessionAwaited = session.isPending && session.failureCount === 0
  if (isSessionAwaited || attention.isPending || news.isPending || stats.isPending || payments.isLoading) {
    return (
      <div className="stack">
        <Skeleton className="h-5 w-72" />
        <WaitingStats />
        <WaitingPipeline />
      </div>
    )
  }
  const isNewcomer = isEmpty(stats.data)
  const untold = news.data && untoldNews(news.data)
  const isCalm = attention.data?.total === 0
  const isQuiet = untold?.total === 0
  const told = [...(attention.data?.items ?? []), ...(untold?.lines ?? [])].map(({ loid }) => loid)
  return (
    <div className="stack">
      {/* On a phone the figures come before the news, so that all four are on the first screen (D128). */}
      <div className="grid grid-cols-1 gap-2 empty:hidden max-sm:order-first">
        {!attention.data ? (
          <div className="panel">
            <LoadFailure text="Failed to load what needs attention" query={attention} />
          </div>
        ) : !isCalm ? (
          <AttentionCard attention={attention.data} />
        ) : (
          !isNewcomer && <CalmLine knowsUsualTimes={attention.data.knows_usual_times} />
        )}
        {news.data && isQuiet && !isNewcomer && <NoNewsLine news={news.data} />}
        {isNewcomer && <FirstSteps />}
      </div>
      {!news.data || !untold ? (
        <div className="panel">
          <LoadFailure text="Failed to load what is new" query={news} />
        </div>
      ) : (
        !isQuiet && <NewsSection news={news.data} untold={untold} />
      )}
      <StatStrip stats={stats} />
      <div className="flex flex-wrap justify-between gap-x-8 gap-y-2 empty:hidden max-sm:order-first">
        {seesPayments && payments.data && <PaymentSumsLine sums={payments.data} />}
        <ManagerLine />
      </div>
      {!isNewcomer && (
        <AfterPaint waiting={<WaitingPipeline />}>
          <Sections told={told} />
        </AfterPaint>
      )}
    </div>
  )
}

function isEmpty(stats: Stats | undefined): boolean {
  return stats !== undefined && stats.total_leads === 0 && stats.total_deals === 0
}

/** The parts about all leads and deals. `told` has the LOIDs of the records that the page shows above. */
function Sections({ told }: { told: readonly (string | null)[] }) {
  const pipeline = useQuery(pipelineQuery())
  const trends = useQuery(trendsQuery('week'))
  const leads = useQuery(recentLeadsQuery())
  const deals = useQuery(recentDealsQuery())
  const activity = useQuery(activityQuery())

  if (pipeline.isPending || trends.isPending) return <WaitingPipeline />
  return (
    <>
      {pipeline.data ? <PipelineSection stages={pipeline.data.pipeline} /> : <FailedPipeline query={pipeline} />}
      <TrendsSection />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <RecentLeads leads={leads} />
        <RecentDeals deals={deals} />
      </div>
      <RecentActivity activity={activity} told={told} />
    </>
  )
}
