import {
  IMPORT_FIELD_LABELS,
  IMPORT_FIELD_NAMES,
  type ImportColumn,
  type ImportFieldName,
} from '@portal/contract/imports.ts'
import type { Deps } from '../../deps.ts'
import { csvLine, guarded, unguarded } from '../../platform/csv.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { ExportFile } from '../../platform/http/export-file.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { getImport } from './get-import.ts'
import { findRows, type RowFound } from './imports.queries.ts'

const ROWS_AT_A_TIME = 500

/** A file with a heading only, which an import understands without any help. */
export function templateFile(): ExportFile {
  const fields = IMPORT_FIELD_NAMES.filter((field) => field !== 'leadName')
  const heading = csvLine(fields.map((field) => IMPORT_FIELD_LABELS[field]))
  return new ExportFile('leads-template.csv', heading, async () => undefined)
}

/** The rows that were not submitted, with what was mended, so that they can be imported again. The first column says why. */
export async function leftOutFile(
  { db }: Pick<Deps, 'db'>,
  partner: SessionCaller,
  importId: string,
  security: NoteSecurity,
): Promise<ExportFile> {
  const { columns } = await getImport(db, partner, importId)
  await security(db, 'import-rows-exported')
  const heading = csvLine(['Why', ...columns.map((column) => guarded(column.heading))])
  return new ExportFile('leads-left-out.csv', heading, async (write) => {
    for (let offset = 0; ; offset += ROWS_AT_A_TIME) {
      const rows = await findRows(db, partner.id, importId, { show: 'left-out', limit: ROWS_AT_A_TIME, offset })
      const lines = rows.slice(0, ROWS_AT_A_TIME).map((row) => csvLine([whyLeftOut(row), ...cellsOf(columns, row)]))
      await write(lines.join(''))
      if (rows.length <= ROWS_AT_A_TIME) return
    }
  })
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

function cellsOf(columns: readonly ImportColumn[], { cells, mended }: RowFound): (string | null)[] {
  return columns.map(({ field }, at) => {
    const text = (field && mended[field]) ?? unguarded(cells[at] ?? '')
    return TYPED.has(field) && NUMBER.test(text) ? text : guarded(text)
  })
}
