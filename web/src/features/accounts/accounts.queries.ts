import { readAccess } from '@portal/contract/access.ts'
import { type Profile, readProfile } from '@portal/contract/accounts.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { sessionQuery } from '../../session/session.queries.ts'

export function profileQuery() {
  return queryOptions({
    queryKey: ['accounts', 'profile'],
    queryFn: ({ signal }) => call(readProfile, { signal }),
  })
}

/** Everything that can get in (D130). */
export function accessQuery() {
  return queryOptions({
    queryKey: ['accounts', 'access'],
    queryFn: ({ signal }) => call(readAccess, { signal }),
    ...LIST_FRESHNESS,
  })
}

/** Shows a changed profile at once, in the sidebar too. */
export function showChangedProfile(queryClient: QueryClient, profile: Profile) {
  queryClient.setQueryData(profileQuery().queryKey, profile)
  queryClient.setQueryData(
    sessionQuery().queryKey,
    (partner) => partner && { ...partner, businessName: profile.business_name },
  )
}
