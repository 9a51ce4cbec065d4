import { listSubmitters } from '@portal/contract/submitted-by.ts'
import { readTeam } from '@portal/contract/team.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export function teamQuery() {
  return queryOptions({
    queryKey: ['team'],
    queryFn: ({ signal }) => call(readTeam, { signal }),
    // The team also changes without an action on this page, when people accept invitations.
    ...LIST_FRESHNESS,
  })
}

export function refreshTeam(queryClient: QueryClient) {
  return queryClient.invalidateQueries({ queryKey: teamQuery().queryKey })
}

/** All people of the partner, sorted by name. Every role may read them. */
export function submittersQuery() {
  return queryOptions({
    queryKey: ['team', 'submitters'],
    queryFn: ({ signal }) => call(listSubmitters, { signal }),
  })
}
