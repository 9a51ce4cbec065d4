import { exportPayments, readDealPayment, readPaymentSums, readPayments } from '@portal/contract/payments.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Answer, call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { toast } from '../../ui/toast.ts'

export type PaymentsAnswer = Answer<typeof readPayments>

/** A page of what the lender pays. */
export function paymentsQuery(page: number) {
  return queryOptions({
    queryKey: ['payments', 'list', page],
    queryFn: ({ signal }) => call(readPayments, { query: { page }, signal }),
    placeholderData: keepPreviousData,
    ...LIST_FRESHNESS,
  })
}

/** What was paid this month and what is coming. Only people who see payments may ask. */
export function paymentSumsQuery(sees: boolean) {
  return queryOptions({
    queryKey: ['payments', 'sums'],
    queryFn: ({ signal }) => call(readPaymentSums, { signal }),
    enabled: sees,
    ...LIST_FRESHNESS,
  })
}

/** The commission of a deal. Only people who see payments may ask. */
export function dealPaymentQuery(loid: string, sees: boolean) {
  return queryOptions({
    queryKey: ['payments', 'deal', loid],
    queryFn: ({ signal }) => call(readDealPayment, { params: { id: loid }, signal }),
    enabled: sees && loid !== '',
    ...LIST_FRESHNESS,
  })
}

/** Saves all payments in a file, or says why it could not. */
export async function savePayments(): Promise<void> {
  try {
    const { download } = await import('../../api/download.ts')
    await download(exportPayments, {}, 'payments.csv')
  } catch (error) {
    toast.error(failureText(error))
  }
}
