import type { SignedInPartner } from '@portal/contract/accounts.ts'
import type { QueryClient } from '@tanstack/react-query'
import { storeToken } from '../api/token.ts'
import { sessionQuery } from './session.queries.ts'

/** Nothing of an earlier partner's may be left in the cache. */
export function beginSession(queryClient: QueryClient, token: string, partner: SignedInPartner) {
  queryClient.clear()
  // Old from the start: what signing in does not tell is asked where it is shown.
  queryClient.setQueryData(sessionQuery().queryKey, { ...partner, mustConfirmEmail: false }, { updatedAt: 0 })
  storeToken(token)
}
