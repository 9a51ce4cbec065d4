import { listLeadStatuses } from '@portal/contract/leads.ts'
import { readDealTimeline, readLeadTimeline } from '@portal/contract/timeline.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export type RecordKind = 'lead' | 'deal'

/** The lead or deal whose page shows the timeline. A lead and the deal that it became share one timeline. */
export interface TimelineOf {
  kind: RecordKind
  loid: string
}

/** The index of the position (`before`) in the query key of an earlier part. */
const POSITION = 3

/**
 * Fetches the latest part of the timeline or, given a part's `earlier.before`, the part before that part. Each key
 * begins with the key of the latest part.
 */
export function timelineQuery({ kind, loid }: TimelineOf, before?: string) {
  return queryOptions({
    queryKey: [kind === 'lead' ? 'leads' : 'deals', 'timeline', loid, ...(before === undefined ? [] : [before])],
    queryFn: ({ signal }) =>
      call(kind === 'lead' ? readLeadTimeline : readDealTimeline, { params: { id: loid }, query: { before }, signal }),
    enabled: loid !== '',
    // New entries at the top change the key of an earlier part. The part's old entries stay until the part has loaded
    // under its new key. The entries of the latest part, which has no position in its key, must not be shown instead.
    placeholderData: (previous, query) => (before && query?.queryKey[POSITION] ? previous : undefined),
    ...LIST_FRESHNESS,
  })
}

/** The statuses and the verdicts by which leads can be listed. */
export function leadStatusesQuery() {
  return queryOptions({
    queryKey: ['leads', 'statuses'],
    queryFn: ({ signal }) => call(listLeadStatuses, { signal }),
  })
}
