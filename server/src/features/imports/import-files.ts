import {
  IMPORT_FIELD_LABELS,
  IMPORT_FIELD_NAMES,
  type ImportColumn,
  type ImportFieldName,
} from '@portal/contract/imports.ts'
import type { Deps } from '../../deps.ts'
import { csvLine, guarded, unguarded } from '../../platform/csv.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { type CsvColumn, csvFile } from '../../platform/http/csv-file.ts'
import { ExportFile } from '../../platform/http/export-file.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { getImport } from './get-import.ts'
import { everyRowLeftOut, type RowFound } from './imports.queries.ts'

/** A file with a heading only, which an import understands without any help. */
export function templateFile(partnerId: string): ExportFile {
  const fields = IMPORT_FIELD_NAMES.filter((field) => field !== 'leadName')
  const heading = csvLine(fields.map((field) => IMPORT_FIELD_LABELS[field]))
  return new ExportFile(partnerId, 'leads-template.csv', heading, async () => undefined)
}

/** The rows that were not submitted, with what was mended, so that they can be imported again. The first column says why. */
export async function leftOutFile(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  partner: SessionCaller,
  importId: string,
  security: NoteSecurity,
): Promise<ExportFile> {
  const { columns } = await getImport(db, partner, importId)
  await security(db, 'import-rows-exported')
  const cells = columns.map((column, at): CsvColumn<RowFound> => {
    return [guarded(column.heading) ?? '', (row) => cellOf(column, at, row)]
  })
  const rows = everyRowLeftOut(db, partner.id, importId)
  return csvFile(db, partner.id, 'leads-left-out.csv', [['Why', whyLeftOut], ...cells], rows, config.timezone)
}

/** Why a row was not submitted, or would not be. */
export function whyLeftOut({ since, problems, known_as, duplicates, earlier, is_chosen }: RowFound): string {
  if (since !== null) return since
  if (known_as !== null) return `Imported before, as ${known_as}`
  const [duplicate] = duplicates
  const reasons = [
    ...problems.map(({ field, message }) => (field ? `${IMPORT_FIELD_LABELS[field]}: ${message}` : message)),
    ...(duplicate ? [`Looks like ${duplicate.loid}, which was submitted before`] : []),
    ...(earlier === null ? [] : [`Looks like row ${earlier} of the file`]),
  ]
  return reasons.join('; ') || (is_chosen ? 'Waits to be submitted' : 'Not submitted')
}

/** Numbers and amounts are written as they are, and other texts are guarded (D82). */
const TYPED = new Set<ImportFieldName | null>([
  'phone',
  'loanAmount',
  'monthlyTurnover',
  'propertyValue',
  'propertyDebt',
])
const NUMBER = /^\+?[\d .,()$-]*$/

function cellOf({ field }: ImportColumn, at: number, { cells, mended }: RowFound): string | null {
  const text = (field && mended[field]) ?? unguarded(cells[at] ?? '')
  return TYPED.has(field) && NUMBER.test(text) ? text : guarded(text)
}
