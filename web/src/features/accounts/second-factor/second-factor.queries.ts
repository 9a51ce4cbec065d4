import { readSecondFactor, type SecondFactor } from '@portal/contract/second-factor.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'

export function secondFactorQuery() {
  return queryOptions({
    queryKey: ['accounts', 'second-factor'],
    queryFn: ({ signal }) => call(readSecondFactor, { signal }),
  })
}

export function showSecondFactor(queryClient: QueryClient, factor: SecondFactor) {
  queryClient.setQueryData(secondFactorQuery().queryKey, factor)
}
