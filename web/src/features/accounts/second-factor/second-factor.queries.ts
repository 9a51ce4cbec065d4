import {
  type Confirmation,
  confirmAccount,
  readSecondFactor,
  removeOtherAccess,
  type SecondFactor,
} from '@portal/contract/second-factor.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'

export function secondFactorQuery() {
  return queryOptions({
    queryKey: ['accounts', 'second-factor'],
    queryFn: ({ signal }) => call(readSecondFactor, { signal }),
  })
}

export function hasFactor(factor: SecondFactor): boolean {
  return factor.totp !== null || factor.passkeys.length > 0
}

export function confirm(body: Confirmation) {
  return call(confirmAccount, { body })
}

/** Ends the person's other sessions and every factor but the one that confirms. */
export function removeOthers(body: Confirmation) {
  return call(removeOtherAccess, { body })
}

export function showSecondFactor(queryClient: QueryClient, factor: SecondFactor) {
  queryClient.setQueryData(secondFactorQuery().queryKey, factor)
}
