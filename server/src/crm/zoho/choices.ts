import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/database.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { Crm } from './crm.ts'

const DAY_MS = 86_400_000
/** The first request that needs the list waits for it, so the CRM gets no more time than this. */
const CRM_MS_MAX = 2_000
/** If the CRM does not answer, the portal waits this long before it asks again. */
const PAUSE_MS = 60_000

/**
 * The CRM's own list of lead statuses or deal stages, kept for a day (D22). While one process asks for a new list, all
 * callers use the old list, so nobody waits. If there is no list yet and the CRM gives no list, the specification's list
 * is used.
 */
export async function crmChoices(
  { db, crm, clock, log }: { db: Db; crm: Crm; clock: Clock; log: Logger },
  field: 'lead-status' | 'deal-stage',
  specified: readonly string[],
): Promise<readonly string[]> {
  const known = await db
    .selectFrom('crm_choices')
    .select(['choices', 'fetched_at'])
    .where('field', '=', field)
    .executeTakeFirst()
  const now = clock.now().getTime()
  const old = new Date(now - DAY_MS).toISOString()
  if (known && known.fetched_at > old) return known.choices
  if (!(await beginToAsk())) return known?.choices ?? specified
  const asked = ask()
  return known?.choices ?? asked

  /** Whether this process must ask the CRM. During the pause all other callers treat the old list as fresh. */
  async function beginToAsk(): Promise<boolean> {
    const fetched_at = new Date(now - DAY_MS + PAUSE_MS).toISOString()
    const begun = await db
      .insertInto('crm_choices')
      .values({ field, choices: JSON.stringify(specified), fetched_at })
      .onConflict((conflict) =>
        conflict.column('field').doUpdateSet({ fetched_at }).where('crm_choices.fetched_at', '<=', old),
      )
      .executeTakeFirst()
    return begun.numInsertedOrUpdatedRows === 1n
  }

  async function ask(): Promise<readonly string[]> {
    const signal = AbortSignal.timeout(CRM_MS_MAX)
    try {
      const choices = field === 'lead-status' ? await crm.leadStatuses(signal) : await crm.dealStages(signal)
      // Zoho lists no choices if it does not know the field.
      if (choices.length === 0) return specified
      const row = { choices: JSON.stringify(choices), fetched_at: new Date(now).toISOString() }
      await db.updateTable('crm_choices').set(row).where('field', '=', field).execute()
      return choices
    } catch (error) {
      if (!(error instanceof CrmUnavailable))
        log.warn({ err: error, field }, 'the list of choices could not be renewed')
      return specified
    }
  }
}
