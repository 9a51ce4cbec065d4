import type { Payment } from '@portal/contract/payments.ts'
import type { Deps } from '../../deps.ts'
import { guarded } from '../../platform/csv.ts'
import { type CsvColumn, csvFile } from '../../platform/http/csv-file.ts'
import type { ExportFile } from '../../platform/http/export-file.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { everyPayment } from './payments.queries.ts'

/** The words of the page. Typed cells are written as they are, free text is guarded (D82). */
const COLUMNS: readonly CsvColumn<Payment>[] = [
  ['Deal Name', (payment) => guarded(payment.deal_name)],
  ['Business', (payment) => guarded(payment.business_name)],
  ['LOID', (payment) => payment.loid],
  ['Commission', (payment) => payment.amount?.toFixed(2) ?? null],
  ['Status', (payment) => guarded(payment.status)],
  ['Paid On', (payment) => payment.paid_on],
  ['Note', (payment) => guarded(payment.note)],
]

/** All payments in one file. The security log says who took it. */
export async function paymentFile(
  deps: Deps,
  asked: { partnerId: string; day: string },
  security: NoteSecurity,
): Promise<ExportFile> {
  await security(deps.db, 'payments-exported')
  return csvFile(deps.db, asked.partnerId, 'payments.csv', COLUMNS, everyPayment(asked), deps.config.timezone)
}
