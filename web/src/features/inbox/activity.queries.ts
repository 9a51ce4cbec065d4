import { readActivity } from '@portal/contract/activity.ts'
import { RECORD_EVENT_TYPES } from '@portal/contract/event-types.ts'
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import type { ActivitySearch } from '../../app/search-params.ts'
import { zoneOfDays } from '../../format/time-zone.ts'

const NEWEST: string | undefined = undefined

/** Drops an unknown type from the filters. The previous list stays until the next one has loaded. */
export function activityLogQuery({ view: _, ...search }: ActivitySearch) {
  const filters = { ...search, type: RECORD_EVENT_TYPES.find((type) => type === search.type) }
  return infiniteQueryOptions({
    queryKey: ['inbox', 'activity', filters],
    queryFn: ({ pageParam, signal }) =>
      call(readActivity, { query: { ...filters, ...zoneOfDays(filters), cursor: pageParam }, signal }),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...LIST_FRESHNESS,
  })
}
