import type { BegunSession } from '@portal/contract/accounts.ts'
import type { QueryClient } from '@tanstack/react-query'
import { storeRole } from '../api/role.ts'
import { storePersonId, storeToken } from '../api/token.ts'
import { sessionQuery } from './session.queries.ts'

/** Nothing of an earlier person's may be left in the cache. */
export function beginSession(queryClient: QueryClient, { token, partner, person }: BegunSession) {
  queryClient.clear()
  queryClient.setQueryData(
    sessionQuery().queryKey,
    {
      partnerId: partner.id,
      businessName: partner.businessName,
      partnerEmail: partner.email,
      personId: person.id,
      role: person.role,
      mustConfirmEmail: false,
    },
    // Old from the start: what signing in does not tell is asked where it is shown.
    { updatedAt: 0 },
  )
  storeRole(person.role)
  storePersonId(person.id)
  storeToken(token)
}
