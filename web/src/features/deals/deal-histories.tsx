import type { Deal } from '@portal/contract/deals.ts'
import type { Note } from '@portal/contract/notes.ts'
import { useQuery } from '@tanstack/react-query'
import { activityLine, presentLine, stageLine, statusLine } from '../referral/lines.ts'
import { Lines } from '../referral/timeline-entries.tsx'
import { History } from '../referral/timeline-panel.tsx'
import { leadHistoryQuery, stageHistoryQuery } from './deals.queries.ts'

/** The deal's stages so far. If no history was recorded, only the present stage is shown. */
export function StageHistory({ deal: { loid, stage, modified_time } }: { deal: Deal }) {
  return (
    <History
      name="Stage History"
      history={useQuery(stageHistoryQuery(loid))}
      toLine={stageLine}
      present={presentLine('stage', stage, modified_time)}
    />
  )
}

/** The statuses that the lead had before it became this deal (D18). */
export function LeadStatusHistory({ loid }: { loid: string }) {
  return <History name="Status History" history={useQuery(leadHistoryQuery(loid))} toLine={statusLine} />
}

/** The deal's creation and its last note. `notes` begins with the newest note. */
export function DealActivity({ deal, notes: [last] }: { deal: Deal; notes: readonly Note[] }) {
  const noted = last ? [activityLine('noted', last.created_at, last.submitted_by ?? last.created_by)] : []
  return <Lines label="Recent Activity" lines={[...noted, activityLine('created', deal.created_at, null)]} />
}
