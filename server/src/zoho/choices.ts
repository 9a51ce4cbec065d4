import type { Deps } from '../deps.ts'
import { CrmUnavailable } from '../errors.ts'

const DAY_MS = 86_400_000
/** A page waits for the list, so the CRM gets no more than this. */
const CRM_MS_MAX = 2_000
/** How long the CRM is left alone after it did not answer. */
const PAUSE_MS = 60_000

/**
 * The CRM's own list of lead statuses or deal stages, kept for a day (D22). While the CRM is away an older list serves,
 * and the specification's where there is none yet.
 */
export async function crmChoices(
  { db, crm, clock }: Pick<Deps, 'db' | 'crm' | 'clock'>,
  field: 'lead-status' | 'deal-stage',
  specified: readonly string[],
): Promise<readonly string[]> {
  const known = await db
    .selectFrom('crm_choices')
    .select(['choices', 'fetched_at'])
    .where('field', '=', field)
    .executeTakeFirst()
  const now = clock.now().getTime()
  if (known && Date.parse(known.fetched_at) > now - DAY_MS) return known.choices
  try {
    const signal = AbortSignal.timeout(CRM_MS_MAX)
    const choices = field === 'lead-status' ? await crm.leadStatuses(signal) : await crm.dealStages(signal)
    await keep(choices, now)
    return choices
  } catch (error) {
    if (!(error instanceof CrmUnavailable)) throw error
    const choices = known?.choices ?? specified
    // For the pause every process takes these for fresh.
    await keep(choices, now - DAY_MS + PAUSE_MS)
    return choices
  }

  async function keep(choices: readonly string[], fetchedAt: number): Promise<void> {
    const row = { choices: JSON.stringify(choices), fetched_at: new Date(fetchedAt).toISOString() }
    await db
      .insertInto('crm_choices')
      .values({ field, ...row })
      .onConflict((conflict) => conflict.column('field').doUpdateSet(row))
      .execute()
  }
}
