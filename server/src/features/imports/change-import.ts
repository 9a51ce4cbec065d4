import type { Import, ImportFieldName, ImportRow } from '@portal/contract/imports.ts'
import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { Invalid, NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { checkRows, hashRows } from './check-rows.ts'
import { getImport, lockChecked, noSuchImport } from './get-import.ts'
import { findRow, findRowsToCheck, removeChecked, replaceRow, replaceRows, updateColumns } from './imports.queries.ts'
import { shownRow } from './shown-row.ts'

type ImportDeps = Pick<Deps, 'db' | 'clock'>

/** Says what each column holds, and checks all rows again. */
export function changeColumns(
  { db, clock }: ImportDeps,
  partner: SessionCaller,
  importId: string,
  fields: readonly (ImportFieldName | null)[],
): Promise<Import> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const { columns: before } = await lockChecked(tx, partner.id, importId, now)
    if (fields.length !== before.length) {
      const text = `fields must have ${before.length} entries, one for each column`
      throw new Invalid('VALIDATION', text, { fields: text })
    }
    const columns = before.map((column, at) => ({ ...column, field: fields[at] ?? null }))
    const rows = hashRows(columns, await findRowsToCheck(tx, partner.id, importId))
    await updateColumns(tx, partner.id, importId, columns)
    await replaceRows(tx, partner.id, importId, await checkRows(tx, partner.id, columns, rows, now))
    return getImport(tx, partner, importId)
  })
}

/** Puts other texts in place of a row's, and checks the row again. The file's own texts are kept beside them. */
export function mendRow(
  { db, clock }: ImportDeps,
  partner: SessionCaller,
  importId: string,
  { number, values }: { number: number; values: ImportRow['values'] },
): Promise<{ import: Import; row: ImportRow }> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const { columns } = await lockChecked(tx, partner.id, importId, now)
    const [row] = await findRowsToCheck(tx, partner.id, importId, number)
    if (!row) throw new NotFound('Row not found')
    const mended = { ...row, mended: { ...row.mended, ...values } }
    for (const checked of await checkRows(tx, partner.id, columns, [mended], now)) {
      await replaceRow(tx, partner.id, importId, checked)
    }
    const written = await findRow(tx, partner.id, importId, number)
    if (!written) throw new Error('the row was written in this transaction')
    return { import: await getImport(tx, partner, importId), row: shownRow(columns, written) }
  })
}

/** Takes over every mending that is offered. */
export function acceptOffers({ db, clock }: ImportDeps, partner: SessionCaller, importId: string): Promise<Import> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const { columns } = await lockChecked(tx, partner.id, importId, now)
    const rows = await findRowsToCheck(tx, partner.id, importId)
    const mended = rows.map((row) => ({
      ...row,
      mended: {
        ...row.mended,
        ...Object.fromEntries(row.problems.flatMap(({ field, offer }) => (field && offer ? [[field, offer]] : []))),
      },
    }))
    await replaceRows(tx, partner.id, importId, await checkRows(tx, partner.id, columns, mended, now))
    return getImport(tx, partner, importId)
  })
}

export async function discardCheck(
  { db, clock }: ImportDeps,
  partner: SessionCaller,
  importId: string,
  security: NoteSecurity,
): Promise<Record<never, never>> {
  return db.transaction().execute(async (tx) => {
    await lockChecked(tx, partner.id, importId, clock.now())
    if (!isId(importId) || !(await removeChecked(tx, partner.id, { importId }))) throw noSuchImport()
    await security(tx, 'import-discarded')
    return {}
  })
}
