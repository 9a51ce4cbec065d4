import { type Profile, readProfile } from '@portal/contract/accounts.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { sessionQuery } from '../../session/session.queries.ts'

export function profileQuery() {
  return queryOptions({
    queryKey: ['accounts', 'profile'],
    queryFn: ({ signal }) => call(readProfile, { signal }),
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
