import type { Deps } from '../../deps.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'

/** More than people press a button, and at some nine credits a sync less than a fifth of a day's credits. */
const SYNCS_PER_MINUTE = 60
const SYNCS_PER_DAY = 1_000

const COUNTED = {
  records: 'new records',
  notes: 'new notes',
  documents: 'new documents',
  changes: 'changes of profiles and leads',
  syncs: 'syncs',
}

/**
 * Counts what costs credits of the lender's CRM, which all partners share, against the partner's limits by minute and
 * by day, or throws `TooMany` (D122).
 */
export async function limitPartner(
  { config }: Pick<Deps, 'config'>,
  { limit, partner }: { limit: Limit; partner: { id: string } },
  kind: keyof typeof COUNTED,
): Promise<void> {
  const isSync = kind === 'syncs'
  const count = async (period: string, points: number, seconds: number) => {
    const text = `Too many ${COUNTED[kind]}: at most ${points} a ${period}.`
    await limit({ name: `${kind}-${period}`, points, seconds, text }, partner.id)
  }
  await count('day', isSync ? SYNCS_PER_DAY : config.recordsPerDay, 86_400)
  await count('minute', isSync ? SYNCS_PER_MINUTE : config.recordsPerMinute, 60)
}
