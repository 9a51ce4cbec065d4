import type { Import } from '@portal/contract/imports.ts'
import { IMPORT_UNDO_HOURS } from '@portal/contract/limits.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { Conflict } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { getImport, noSuchImport } from './get-import.ts'
import { UNDO_MS } from './imports.queries.ts'
import { lockToUndo, markUndoAsked } from './undo.queries.ts'
import { undoImportRows } from './undo-import-rows.job.ts'

/** Stores the wish with the job that carries it out, in one transaction. Asking again changes nothing. */
export function askUndo(
  { db, clock, jobs }: Pick<Deps, 'db' | 'clock' | 'jobs'>,
  partner: SessionCaller,
  importId: string,
  security: NoteSecurity,
): Promise<Import> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const found = isId(importId) ? await lockToUndo(tx, partner.id, importId) : undefined
    if (!found) throw noSuchImport()
    if (found.undo_asked_at !== null) return getImport(tx, partner, importId)
    const problem = whyNot(found, now)
    if (problem !== undefined) throw new Conflict('CONFLICT', problem)
    await markUndoAsked(tx, partner, importId, now.toISOString())
    await jobs.enqueue(tx, undoImportRows, { partnerId: partner.id, importId })
    await security(tx, 'import-undone', { detail: `${formatNumber(found.submitted)} rows` })
    return getImport(tx, partner, importId)
  })
}

type Found = NonNullable<Awaited<ReturnType<typeof lockToUndo>>>

function whyNot({ state, done_at, submitted, has_rows }: Found, now: Date): string | undefined {
  if (state === 'checked') return 'This file has not been submitted, so there is nothing to undo.'
  if (done_at === null) return 'This import is still being submitted. It can be undone once it has ended.'
  if (now.getTime() >= Date.parse(done_at) + UNDO_MS || !has_rows) {
    return `This import ended more than ${IMPORT_UNDO_HOURS} hours ago, so it cannot be undone. Each lead can still be withdrawn on its page.`
  }
  return submitted === 0 ? 'This import submitted no rows, so there is nothing to undo.' : undefined
}
