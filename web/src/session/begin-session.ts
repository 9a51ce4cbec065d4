import type { BegunSession } from '@portal/contract/accounts.ts'
import type { QueryClient } from '@tanstack/react-query'
import { storeRole } from '../api/role.ts'
import { storePersonId, storeToken } from '../api/token.ts'
import { storeSeesPayments } from './sees-payments.ts'
import { sessionQuery } from './session.queries.ts'
import { storeUnverified } from './unverified-email.ts'

/** Starts a session and empties the cache, so that no data of an earlier person remains. */
export function beginSession(queryClient: QueryClient, { token, partner, person }: BegunSession) {
  queryClient.clear()
  queryClient.setQueryData(
    sessionQuery().queryKey,
    {
      partnerId: partner.id,
      businessName: partner.businessName,
      partnerEmail: partner.email,
      personId: person.id,
      personName: '',
      role: person.role,
      seesPayments: false,
      hasUnverifiedEmail: person.hasUnverifiedEmail,
      mustConfirmEmail: false,
      hold: null,
      hiddenRecords: 0,
      crmTakesNone: false,
      manager: null,
      announcement: null,
      agreement: null,
    },
    // This data is stale from the start, so a page that needs the other fields of the session fetches them.
    { updatedAt: 0 },
  )
  storeRole(person.role)
  storeSeesPayments(null)
  storeUnverified(person.hasUnverifiedEmail)
  storePersonId(person.id)
  storeToken(token)
}
