import {
  exportPayments,
  openStatement,
  readDealPayment,
  readPaymentSums,
  readPayments,
  readStatements,
  type Statement,
} from '@portal/contract/payments.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Answer, call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { saveFile } from '../views/save-file.ts'

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

/** The lender's statements. Not among the payments, which each change of a deal makes stale: a look costs the CRM a call. */
export function statementsQuery() {
  return queryOptions({
    queryKey: ['statements'],
    queryFn: ({ signal }) => call(readStatements, { signal }),
    ...LIST_FRESHNESS,
  })
}

/** Saves a statement, or says why it could not. */
export async function saveStatement({ id, name }: Statement): Promise<void> {
  try {
    const { fetchFile, saveFile } = await import('../../api/download.ts')
    saveFile(await fetchFile(openStatement, { params: { id } }), name)
  } catch (error) {
    toast.failure(error)
  }
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
export function savePayments(): Promise<void> {
  return saveFile(exportPayments, {}, 'payments.csv')
}
