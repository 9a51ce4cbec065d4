import type { Deal, StageHistoryEntry } from '@portal/contract/deals.ts'
import type { StatusHistoryEntry } from '@portal/contract/leads.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { badgeColour } from '../../format/badge-colour.ts'
import { formatDateTime, formatDays } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx'
import { leadHistoryQuery } from './deals.queries.ts'

/** The deal's stages so far. If no history was recorded, only the present stage is shown. */
export function StageHistory({ deal, history }: { deal: Deal; history: UseQueryResult<StageHistoryEntry[]> }) {
  const fallback: TimelineItem = {
    key: 'current',
    variant: badgeColour(deal.stage),
    title: <EntryTitle name={deal.stage} isLatest />,
    detail: formatDateTime(deal.modified_time),
  }
  return (
    <HistoryCard
      title="Stage History"
      history={history}
      toItem={(entry: StageHistoryEntry, position) => entryItem({ ...entry, name: entry.stage }, position === 0)}
      empty={[fallback]}
    />
  )
}

/** The statuses that the lead had before it became this deal (D18). */
export function LeadStatusHistory({ loid }: { loid: string }) {
  const history = useQuery(leadHistoryQuery(loid))
  if (history.data?.length === 0) return null
  return (
    <HistoryCard
      title="Status History"
      description="While it was a lead"
      history={history}
      toItem={(entry: StatusHistoryEntry) => entryItem({ ...entry, name: entry.status }, false)}
      empty={[]}
    />
  )
}

interface HistoryCardProps<Entry> {
  title: string
  description?: string
  history: UseQueryResult<Entry[]>
  toItem: (entry: Entry, position: number) => TimelineItem
  empty: TimelineItem[]
}

function HistoryCard<Entry>({ title, description, history, toItem, empty }: HistoryCardProps<Entry>) {
  return (
    <Card title={title} description={description}>
      {history.isPending ? (
        <SkeletonRows rows={2} label={`Loading ${title.toLowerCase()}`} />
      ) : history.data ? (
        <Timeline label={title} items={history.data.length > 0 ? history.data.map(toItem) : empty} />
      ) : (
        <Failure text={`Failed to load ${title.toLowerCase()}`} onRetry={() => void history.refetch()} />
      )}
    </Card>
  )
}

interface NamedEntry {
  id: string
  name: string
  changed_time: string
  changed_by: string | null
  description: string | null
  duration: number
}

function entryItem({ id, name, changed_time, changed_by, description, duration }: NamedEntry, isLatest: boolean) {
  return {
    key: id,
    variant: badgeColour(name),
    title: <EntryTitle name={name} isLatest={isLatest} />,
    detail: (
      <>
        {formatDateTime(changed_time)}
        {changed_by && <> · {changed_by}</>} · <span className="whitespace-nowrap">{formatDays(duration)}</span>
      </>
    ),
    text: description === name ? null : description,
  }
}

function EntryTitle({ name, isLatest }: { name: string; isLatest: boolean }) {
  return (
    <>
      {name}
      {isLatest && <Badge variant="primary">Latest</Badge>}
    </>
  )
}
