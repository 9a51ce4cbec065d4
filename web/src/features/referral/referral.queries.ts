import { readDealTimeline, readLeadTimeline } from '@portal/contract/timeline.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

/** Whether the lead's page or the deal's page asks. The answer is the same. */
export interface TimelineOf {
  kind: 'lead' | 'deal'
  loid: string
}

/** The latest part, or the part before that entry. The key of the latest part is the beginning of all keys. */
export function timelineQuery({ kind, loid }: TimelineOf, before?: string) {
  return queryOptions({
    queryKey: [kind === 'lead' ? 'leads' : 'deals', 'timeline', loid, ...(before === undefined ? [] : [before])],
    queryFn: ({ signal }) =>
      call(kind === 'lead' ? readLeadTimeline : readDealTimeline, { params: { id: loid }, query: { before }, signal }),
    enabled: loid !== '',
    // New entries at the top move the point where the earlier part begins.
    placeholderData: before === undefined ? undefined : keepPreviousData,
    ...LIST_FRESHNESS,
  })
}
