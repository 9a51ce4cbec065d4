import { ATTENTION_KINDS, REMIND_DAYS_MAX, REMIND_LATER } from '@portal/contract/attention.ts'
import { reaches } from '@portal/contract/roles.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { Conflict, Invalid, NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findRequestLoid } from '../../records/requests/requests.queries.ts'
import { findLoid, insertDone, insertPutAway } from './attention.queries.ts'
import { markSeen } from './mark-seen.ts'

const DAY_MS = 86_400_000
const TABLES = { lead: 'leads', deal: 'deals', note: 'notes' } as const

/** The parts of an item's id: the item's kind, the kind and id of its record, and the version. */
const ItemId = z.tuple([
  z.enum(ATTENTION_KINDS),
  z.enum(['lead', 'deal', 'note', 'request', 'webhook']),
  z.guid(),
  z.string().check(z.regex(/^\d{1,16}$/)),
])

type SettleDeps = Pick<Deps, 'db' | 'pool' | 'clock'>

/** Marks this version of an item as done for the whole business. A later version needs attention again (D127). */
export async function markItemDone(deps: SettleDeps, caller: SessionCaller, itemId: string): Promise<void> {
  const { kind, record_id, version, loid } = await readItem(deps, caller, itemId)
  if (kind === 'request') throw new Conflict('CONFLICT', 'Answer what the lender asks')
  const at = deps.clock.now().toISOString()
  await insertDone(deps.db, { partner_id: caller.id, kind, record_id, version }, at)
  if (loid !== undefined) await markSeen(deps, caller, { until: at, loid })
}

/**
 * Hides this version of an item from the person, until the given time or for as long as nothing changes. A later
 * version is shown at once.
 */
export async function hideItem(
  deps: SettleDeps,
  caller: SessionCaller,
  itemId: string,
  until: string | null,
): Promise<void> {
  const { kind, record_id, version, loid } = await readItem(deps, caller, itemId)
  const now = deps.clock.now()
  const hidden_until = until === null ? null : laterThan(now, until)
  const item = { person_id: caller.personId, kind, record_id, version, hidden_until }
  await insertPutAway(deps.db, item, now.toISOString())
  if (loid !== undefined) await markSeen(deps, caller, { until: now.toISOString(), loid })
}

function laterThan(now: Date, until: string): string {
  const ms = Date.parse(until) - now.getTime()
  if (ms <= 0 || ms > REMIND_DAYS_MAX * DAY_MS) throw new Invalid('VALIDATION', REMIND_LATER, { until: REMIND_LATER })
  return new Date(until).toISOString()
}

async function readItem({ db }: SettleDeps, { id: partnerId, role }: SessionCaller, itemId: string) {
  const parsed = ItemId.safeParse(itemId.split('.'))
  if (!parsed.success) throw noSuchItem()
  const [kind, of, record_id, version] = parsed.data
  const item = { kind, record_id, version: Number(version) }
  if (of === 'webhook') {
    if (record_id !== partnerId || !reaches(role, 'owner')) throw noSuchItem()
    return { ...item, loid: undefined }
  }
  const loid =
    of === 'request'
      ? await findRequestLoid(db, partnerId, record_id)
      : await findLoid(db, partnerId, TABLES[of], record_id)
  if (loid === undefined) throw noSuchItem()
  return { ...item, loid }
}

function noSuchItem(): NotFound {
  return new NotFound('There is no such item')
}
