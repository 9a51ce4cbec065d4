import type { AttentionItem } from '@portal/contract/attention.ts'
import { wholeDays } from '@portal/contract/dates.ts'
import { ATTENTION_MAX } from '@portal/contract/limits.ts'
import { placeOf } from '@portal/contract/way.ts'
import type { Deps } from '../../deps.ts'
import { QUOTE_LENGTH, shortened } from '../../events/activity.ts'
import { findUsualTimes, type UsualTimeOfValue } from '../../history/usual-times.queries.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { findFailedPushes, findUnmoved, findUnreadNotes } from './attention.queries.ts'

const DAY_MS = 86_400_000
/** A record needs attention after twice the usual time in its status or stage, but never before a week (D74). */
const TIMES_USUAL = 2
const DAYS_MIN = 7

const OF_ALL_KINDS = { retry: null, note: null, standing: null }

/**
 * Finds the items that need the person's attention (D74): failed pushes, then the lender's notes, then records that do
 * not move.
 */
export async function findAttention(
  { db, pool, clock }: Pick<Deps, 'db' | 'pool' | 'clock'>,
  { id, personId }: SessionCaller,
): Promise<{ items: AttentionItem[]; has_more: boolean }> {
  const now = clock.now()
  const usual = (await findUsualTimes(db, id)).filter(({ kind, value }) => placeOf(kind, value).outcome === 'open')
  const [failed, notes, leads, deals] = await Promise.all([
    findFailedPushes(pool, id, personId),
    findUnreadNotes(pool, id, personId),
    findUnmovedOf('lead-status'),
    findUnmovedOf('deal-stage'),
  ])
  const items = [
    ...failed.map(({ kind, problem, ...found }) => ({
      ...itemOf('crm-failed', kind, found),
      retry: { kind, id: kind === 'note' ? found.record_id : found.loid, problem },
    })),
    ...notes.map(({ content, by, count, ...found }) => ({
      ...itemOf('lender-note', found.about, found),
      note: { content: shortened(content, QUOTE_LENGTH), by, count },
    })),
    ...leads,
    ...deals,
  ]
  return { items: items.slice(0, ATTENTION_MAX), has_more: items.length > ATTENTION_MAX }

  async function findUnmovedOf(kind: UsualTimeOfValue['kind']): Promise<AttentionItem[]> {
    const times = new Map(usual.filter((time) => time.kind === kind).map((time) => [time.value, time]))
    const overdue = [...times.values()].map(({ value, days }) => ({ value, before: overdueBefore(days, now) }))
    if (overdue.length === 0) return []
    const rows = await findUnmoved(pool, id, personId, kind === 'lead-status' ? 'lead' : 'deal', overdue)
    return rows.flatMap(({ value, ...found }) => {
      const time = times.get(value)
      if (!time) return []
      const days = wholeDays(found.at, now.toISOString())
      const standing = { value, days, usual_days: time.days, usual_of: time.of }
      return [{ ...itemOf('no-movement', found.about, found), standing }]
    })
  }
}

function overdueBefore(usualDays: number, now: Date): string {
  return new Date(now.getTime() - Math.max(DAYS_MIN, TIMES_USUAL * usualDays) * DAY_MS).toISOString()
}

function itemOf(
  kind: AttentionItem['kind'],
  of: 'lead' | 'deal' | 'note',
  found: { record_id: string; version: number; loid: string; about: 'lead' | 'deal'; name: string | null; at: string },
): AttentionItem {
  const { record_id, version, loid, about, name, at } = found
  const id = [kind, of, record_id, version].join('.')
  return { id, kind, loid, about, name: name ?? 'A business without a name', at, ...OF_ALL_KINDS }
}
