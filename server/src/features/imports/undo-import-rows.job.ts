import * as z from 'zod/mini'
import { CrmUnavailable } from '../../platform/errors.ts'
import { defineJob, NotYet } from '../../platform/jobs/define-job.ts'
import { findRowsToUndo, findUndo, finishUndo } from './undo.queries.ts'
import { keepRow, undoRow } from './undo-row.ts'

const ROWS_AT_A_TIME = 100

/** After so many failures one after the other, the CRM is down, and the job waits. */
const FAILURES_MAX = 3

/**
 * Withdraws the leads of an import that nobody has touched (D83), one after the other. What became of a row is stored with
 * the row, so a second run continues where a killed one stopped.
 */
export const undoImportRows = defineJob({
  name: 'undo-import-rows',
  payload: z.object({ partnerId: z.string(), importId: z.string() }),
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 7 },
  async run(deps, { partnerId, importId }, signal) {
    const undo = await findUndo(deps.db, partnerId, importId)
    if (!undo) return
    let waiting = 0
    let failures = 0
    for (let after = 0; ; ) {
      const rows = await findRowsToUndo(deps.db, partnerId, importId, after, ROWS_AT_A_TIME)
      for (const row of rows) {
        signal.throwIfAborted()
        after = row.number
        try {
          if (!(await undoRow(deps, undo, row, signal))) waiting += 1
          failures = 0
        } catch (error) {
          failures += 1
          if (!(error instanceof CrmUnavailable) || failures === FAILURES_MAX) throw error
          waiting += 1
        }
      }
      if (rows.length < ROWS_AT_A_TIME) break
    }
    if (waiting > 0) throw new NotYet(`${waiting} rows cannot be decided yet`)
    await finishUndo(deps.db, partnerId, importId, deps.clock.now().toISOString())
  },
  async giveUp({ db, clock }, { partnerId, importId }) {
    for (;;) {
      const rows = await findRowsToUndo(db, partnerId, importId, 0, ROWS_AT_A_TIME)
      for (const row of rows) await keepRow(db, row)
      if (rows.length === 0) break
    }
    await finishUndo(db, partnerId, importId, clock.now().toISOString())
  },
})
