import type { Deps } from '../deps.ts'
import { CrmUnavailable } from '../errors.ts'

const DAY_MS = 86_400_000

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
  const now = clock.now()
  if (known && Date.parse(known.fetched_at) > now.getTime() - DAY_MS) return known.choices
  try {
    const choices = field === 'lead-status' ? await crm.leadStatuses() : await crm.dealStages()
    const row = { choices: JSON.stringify(choices), fetched_at: now.toISOString() }
    await db
      .insertInto('crm_choices')
      .values({ field, ...row })
      .onConflict((conflict) => conflict.column('field').doUpdateSet(row))
      .execute()
    return choices
  } catch (error) {
    if (!(error instanceof CrmUnavailable)) throw error
    return known?.choices ?? specified
  }
}
