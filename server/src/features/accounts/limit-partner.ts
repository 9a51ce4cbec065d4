import type { Deps } from '../../deps.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'

/**
 * More than people press a button or open records. Some nine credits a sync, and one to four a look, are less than a fifth
 * of a day's credits.
 */
const PER_MINUTE = 60
const PER_DAY = { syncs: 1_000, looks: 2_000 }

const COUNTED = {
  records: 'new records',
  notes: 'new notes',
  documents: 'new documents',
  changes: 'changes of profiles and leads',
  retries: 'retries',
  team: 'changes of the team',
  syncs: 'syncs',
  looks: 'looks for documents',
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
  const count = async (period: string, points: number, seconds: number) => {
    const text = `Too many ${COUNTED[kind]}: at most ${points} a ${period}.`
    await limit({ name: `${kind}-${period}`, points, seconds, text }, partner.id)
  }
  const isReading = kind === 'syncs' || kind === 'looks'
  await count('day', isReading ? PER_DAY[kind] : config.recordsPerDay, 86_400)
  await count('minute', isReading ? PER_MINUTE : config.recordsPerMinute, 60)
}
