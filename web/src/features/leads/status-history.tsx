import type { Lead } from '@portal/contract/leads.ts'
import { useQuery } from '@tanstack/react-query'
import { presentLine, statusLine } from '../referral/lines.ts'
import { History } from '../referral/timeline-panel.tsx'
import { statusHistoryQuery } from './leads.queries.ts'

/** The lead's statuses so far. If no history was recorded, only the present status is shown. */
export function StatusHistory({ lead: { loid, lead_status, modified_time } }: { lead: Lead }) {
  return (
    <History
      name="Status History"
      history={useQuery(statusHistoryQuery(loid))}
      toLine={statusLine}
      present={presentLine('status', lead_status, modified_time)}
    />
  )
}
