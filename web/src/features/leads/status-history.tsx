import type { StatusHistoryEntry } from '@portal/contract/leads.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { badgeColour } from '../../format/badge-colour.ts'
import { formatDateTime, formatDays } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx'

interface StatusHistoryProps {
  history: UseQueryResult<StatusHistoryEntry[]>
  currentStatus: string
  since: string
}

/** The lead's statuses so far. If no history was recorded, only the present status is shown. */
export function StatusHistory({ history, currentStatus, since }: StatusHistoryProps) {
  return (
    <Card title="Status History">
      {history.isPending ? (
        <SkeletonRows rows={2} label="Loading status history" />
      ) : history.data ? (
        <Timeline
          label="Status history"
          items={
            history.data.length > 0
              ? history.data.map(entryItem)
              : [{ ...statusItem('current', currentStatus, true), detail: formatDateTime(since) }]
          }
        />
      ) : (
        <Failure text="Failed to load status history" onRetry={() => void history.refetch()} />
      )}
    </Card>
  )
}

function entryItem(entry: StatusHistoryEntry, position: number): TimelineItem {
  const { id, status, changed_time, changed_by, description, duration } = entry
  return {
    ...statusItem(id, status, position === 0),
    detail: (
      <>
        {formatDateTime(changed_time)}
        {changed_by && <> · {changed_by}</>} · <span className="whitespace-nowrap">{formatDays(duration)}</span>
      </>
    ),
    text: description === status ? null : description,
  }
}

function statusItem(key: string, status: string, isLatest: boolean): TimelineItem {
  return {
    key,
    variant: badgeColour(status),
    title: (
      <>
        {status}
        {isLatest && <Badge variant="primary">Latest</Badge>}
      </>
    ),
  }
}
