import { readDealTimeline, readLeadTimeline } from '@portal/contract/timeline.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

/** The lead or deal whose page shows the timeline. A lead and the deal it became have one timeline. */
export interface TimelineOf {
  kind: 'lead' | 'deal'
  loid: string
}

/**
 * Fetches the latest part of the timeline, or the part before the given entry. Each key begins with the key of the
 * latest part.
 */
export function timelineQuery({ kind, loid }: TimelineOf, before?: string) {
  return queryOptions({
    queryKey: [kind === 'lead' ? 'leads' : 'deals', 'timeline', loid, ...(before === undefined ? [] : [before])],
    queryFn: ({ signal }) =>
      call(kind === 'lead' ? readLeadTimeline : readDealTimeline, { params: { id: loid }, query: { before }, signal }),
    enabled: loid !== '',
    // New entries at the top change the key of an earlier part. Its old entries stay until the new ones have loaded.
    placeholderData: before === undefined ? undefined : keepPreviousData,
    ...LIST_FRESHNESS,
  })
}
