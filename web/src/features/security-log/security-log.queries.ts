import { readSecurityLog, SECURITY_KINDS } from '@portal/contract/security-log.ts'
import { readTeam } from '@portal/contract/team.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import type { SecurityLogSearch } from '../../app/search-params.ts'

/** The people that the filter offers: the whole team, including deactivated people. */
export function securityPeopleQuery() {
  return queryOptions({
    queryKey: ['security-log', 'people'],
    queryFn: async ({ signal }) => (await call(readTeam, { signal })).people,
  })
}

const NEWEST: string | undefined = undefined

/** Drops an unknown type from the filters. The previous list stays until the next one has loaded. */
export function securityLogQuery(search: SecurityLogSearch) {
  const filters = { ...search, type: SECURITY_KINDS.find((kind) => kind === search.type) }
  return infiniteQueryOptions({
    queryKey: ['security-log', 'entries', filters],
    queryFn: ({ pageParam, signal }) => call(readSecurityLog, { query: { ...filters, cursor: pageParam }, signal }),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...LIST_FRESHNESS,
  })
}
