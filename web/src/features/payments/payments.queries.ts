import { readDealPayment } from '@portal/contract/payments.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

/** The commission of a deal. Only people who see payments may ask. */
export function dealPaymentQuery(loid: string, sees: boolean) {
  return queryOptions({
    queryKey: ['payments', 'deal', loid],
    queryFn: ({ signal }) => call(readDealPayment, { params: { id: loid }, signal }),
    enabled: sees && loid !== '',
    ...LIST_FRESHNESS,
  })
}
