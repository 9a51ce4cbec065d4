import type { StageHistoryEntry } from '@portal/contract/deals.ts'
import type { StatusHistoryEntry } from '@portal/contract/leads.ts'
import type { Note } from '@portal/contract/notes.ts'
import type { TimelineEntry } from '@portal/contract/timeline.ts'

/** An entry of the timeline, or one of the two lines of a deal's recent activity. */
export type Line = Omit<TimelineEntry, 'type'> & { type: TimelineEntry['type'] | 'created' | 'noted' }

const OF_LENDER = { by: null, is_lender: true, value: null, days: null, text: null }

/** The present status or stage, of which only the beginning is known. */
export function presentLine(type: 'status' | 'stage', value: string, since: string) {
  return { ...OF_LENDER, id: 'present', type, value, at: since }
}

export function statusLine({ status, ...entry }: StatusHistoryEntry): Line {
  return changeLine('status', status, entry)
}

export function stageLine({ stage, ...entry }: StageHistoryEntry): Line {
  return changeLine('stage', stage, entry)
}

function changeLine(
  type: 'status' | 'stage',
  value: string,
  { id, changed_time, changed_by, duration, description }: Omit<StatusHistoryEntry, 'status'>,
): Line {
  const text = description === value ? null : description
  return { ...OF_LENDER, id, type, value, at: changed_time, by: changed_by, days: duration, text }
}

export function noteLine({ id, created_at, created_by, submitted_by, content }: Note): Line {
  const by = submitted_by ?? created_by
  return { ...OF_LENDER, id, type: 'note', at: created_at, by, is_lender: submitted_by === null, text: content }
}

export function activityLine(type: 'created' | 'noted', at: string, by: string | null): Line {
  return { ...OF_LENDER, id: type, type, at, by }
}
