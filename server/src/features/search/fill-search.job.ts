import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { fillSearch, type SearchedTable } from '../../platform/db/search-columns.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'

/** Few enough that no other statement waits long for a row. */
const ROWS_AT_ONCE = 500
/** The queue fails a job that runs for a quarter of an hour, so a run must end earlier. The next run goes on. */
const RUN_MS_MAX = 10 * 60_000

/**
 * Fills in the search columns of leads and deals that a version before 0.3.0 has written. It does so batch by batch, in
 * order of partner and id, and leaves rows that a transaction holds to the next run.
 */
export const fillSearchColumns = defineJob({
  name: 'fill-search',
  payload: z.object({}),
  schedule: '* * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 60, delaySecondsMax: 600, giveUpAfterDays: 1 },
  async run({ db }, _, signal) {
    const end = performance.now() + RUN_MS_MAX
    for (const table of ['deals', 'leads'] as const) await fillTable(db, table, end, signal)
  },
})

async function fillTable(db: Deps['db'], table: SearchedTable, end: number, signal: AbortSignal): Promise<void> {
  let which = sql<boolean>`true`
  while (performance.now() < end) {
    signal.throwIfAborted()
    const filled = await db.transaction().execute((tx) => fillSearch(tx, table, which, ROWS_AT_ONCE))
    const last = filled.at(-1)
    if (!last || filled.length < ROWS_AT_ONCE) return
    // Goes on behind these rows: the index still has their entries until a vacuum.
    which = sql`(partner_id, id) > (${last.partner_id}::uuid, ${last.id}::uuid)`
  }
}
