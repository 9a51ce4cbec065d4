import type { Request } from '@portal/contract/requests.ts'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { failureText, isNotFound, removedRecord } from '../../api/failure.ts'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { useWayBack } from '../../ui/way-back.ts'
import { type RecordKind, type TimelineOf, timelineQuery } from './referral.queries.ts'
import { ReferralOutline } from './referral-panels.tsx'
import { RequestList } from './request-list.tsx'
import { TimelinePanel, type TimelinePanelProps } from './timeline-panel.tsx'

/** What the pages of a lead and of a deal say in different words. `fields` is about how many facts the page has. */
const PAGES = {
  lead: { title: 'Lead', list: paths.leads, back: 'Back to Leads', value: 'status', fields: 14 },
  deal: { title: 'Deal', list: paths.deals, back: 'Back to Deals', value: 'stage', fields: 11 },
} as const

export function BackToList({ kind }: { kind: RecordKind }) {
  const { list, back } = PAGES[kind]
  return (
    <BackLink {...list} onClick={useWayBack(list.to)}>
      {back}
    </BackLink>
  )
}

function BackToListButton({ kind }: { kind: RecordKind }) {
  const { list, back } = PAGES[kind]
  return (
    <Link {...list} onClick={useWayBack(list.to)} className={buttonClass()}>
      {back}
    </Link>
  )
}

interface RecordFailureProps {
  kind: RecordKind
  error: Error | null
  onRetry: () => void
}

/** The page of a record that cannot be shown. If the lender restores a removed record, its page returns (D129). */
export function RecordFailure({ kind, error, onRetry }: RecordFailureProps) {
  const { title, value } = PAGES[kind]
  const removed = removedRecord(error)
  if (removed) {
    return (
      <>
        <PageHeader title={removed.business_name ?? title} back={<BackToList kind={kind} />} />
        <div className="frame">
          <EmptyState
            icon={<Archive />}
            title={`The lender removed this ${kind} on ${formatDate(removed.removed_at)}`}
            text={`Its last ${value} was ${removed.value}. If this surprises you, ask the lender.`}
            action={<BackToListButton kind={kind} />}
          />
        </div>
      </>
    )
  }
  if (kind === 'deal' && isNotFound(error)) return <NoRecord kind="deal" text="Deal not found" />
  return <NoRecord kind={kind} text={`Failed to load ${kind} details`} detail={failureText(error)} onRetry={onRetry} />
}

interface NoRecordProps {
  kind: RecordKind
  text: string
  detail?: string
  onRetry?: () => void
}

export function NoRecord({ kind, text, detail, onRetry }: NoRecordProps) {
  return (
    <>
      <PageHeader title={PAGES[kind].title} back={<BackToList kind={kind} />} />
      <div className="panel">
        <Failure text={text} detail={detail} onRetry={onRetry} action={<BackToListButton kind={kind} />} />
      </div>
    </>
  )
}

export function RecordOutline({ kind }: { kind: RecordKind }) {
  const { title, fields } = PAGES[kind]
  return (
    <>
      <PageHeader title={title} back={<BackToList kind={kind} />} description="Loading…" />
      <ReferralOutline label={`Loading ${kind}`} fields={fields} />
    </>
  )
}

interface RecordTimelineProps extends Omit<TimelinePanelProps, 'onNoteChange'> {
  requests: readonly Request[]
}

/** What the lender asks about a record, and what happened to it. */
export function RecordTimeline({ requests, ...panel }: RecordTimelineProps) {
  const { of } = panel
  const queryClient = useQueryClient()
  const refresh = () => refreshRecord(queryClient, of)
  return (
    <>
      <RequestList key={`requests of ${of.loid}`} of={of} requests={requests} onAnswered={refresh} />
      <TimelinePanel key={of.loid} onNoteChange={refresh} {...panel} />
    </>
  )
}

/** Fetches again what a change on the record's page makes stale. */
export function refreshRecord(queryClient: QueryClient, of: TimelineOf) {
  void queryClient.invalidateQueries({ queryKey: [`${of.kind}s`, 'detail', of.loid] })
  void queryClient.invalidateQueries({ queryKey: timelineQuery(of).queryKey })
  void queryClient.invalidateQueries({ queryKey: ['dashboard'] })
  void queryClient.invalidateQueries({ queryKey: ['inbox'] })
}
