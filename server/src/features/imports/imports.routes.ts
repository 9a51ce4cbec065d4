import {
  acceptImportOffers,
  changeImportColumns,
  discardImport,
  exportImportRows,
  listImportRows,
  listImports,
  mendImportRow,
  readImport,
  readImportTemplate,
  startImport,
  submitImport,
  undoImport,
} from '@portal/contract/imports.ts'
import type { Deps } from '../../deps.ts'
import { cutPage, offset } from '../../platform/db/paging.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { createWorkQueue } from '../../platform/work-queue.ts'
import { acceptOffers, changeColumns, discardCheck, mendRow } from './change-import.ts'
import { getImport } from './get-import.ts'
import { leftOutFile, templateFile } from './import-files.ts'
import { findImports, findRows } from './imports.queries.ts'
import { shownRow } from './shown-row.ts'
import { startCheck } from './start-import.ts'
import { submitRows } from './submit-import.ts'
import { askUndo } from './undo-import.ts'

/** A check of a large file takes a second of the processor's time. */
const CHECKS = { name: 'imports', points: 60, seconds: 3_600, text: 'Too many files: at most 60 an hour.' }
/** People choose columns one by one, and each choice checks all rows again. */
const CHECKS_AGAIN = {
  name: 'imports-checked-again',
  points: 300,
  seconds: 3_600,
  text: 'Too many changes to files: at most 300 an hour.',
}

/** A check holds its file and all its rows in memory, and keeps a processor busy. */
const inLine = createWorkQueue({ atOnce: 2, waitMsMax: 30_000 })

export function importRoutes(mount: Mount, deps: Deps): void {
  const { db } = deps

  mount(startImport, async ({ partner, query, bytes, limit, security }) => {
    await limit(CHECKS, partner.id)
    const file = (await bytes()) ?? Buffer.alloc(0)
    return inLine(() => startCheck(deps, partner, { name: query.name, file }, security))
  })
  mount(listImports, async ({ partner }) => ({ imports: await findImports(db, partner) }))
  mount(readImport, ({ partner, params }) => getImport(db, partner, params.id))
  mount(listImportRows, async ({ partner, params, query }) => {
    const { id, columns } = await getImport(db, partner, params.id)
    const { show, limit } = query
    const page = cutPage(await findRows(db, partner.id, id, { show, limit, offset: offset(query) }), query)
    return { data: { rows: page.rows.map((row) => shownRow(columns, row)) }, pagination: page.pagination }
  })
  mount(changeImportColumns, async ({ partner, params, body, limit }) => {
    await limit(CHECKS_AGAIN, partner.id)
    return inLine(() => changeColumns(deps, partner, params.id, body.fields))
  })
  mount(mendImportRow, ({ partner, params, body }) => mendRow(deps, partner, params.id, body))
  mount(acceptImportOffers, async ({ partner, params, limit }) => {
    await limit(CHECKS_AGAIN, partner.id)
    return inLine(() => acceptOffers(deps, partner, params.id))
  })
  mount(discardImport, ({ partner, params, security }) => discardCheck(deps, partner, params.id, security))
  mount(submitImport, ({ partner, params, body, security }) => submitRows(deps, partner, params.id, body, security))
  mount(undoImport, ({ partner, params, security }) => askUndo(deps, partner, params.id, security))
  mount(exportImportRows, ({ partner, params, security }) => leftOutFile(deps, partner, params.id, security))
  mount(readImportTemplate, async ({ partner }) => templateFile(partner.id))
}
