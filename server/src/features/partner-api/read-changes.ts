import {
  type ApiDeal,
  type ApiLead,
  type ChangeEvent,
  GONE_REASONS,
  type Reading,
} from '@portal/contract/partner-reads.ts'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/database.ts'
import {
  type ChangedKind,
  findChanged,
  findHorizon,
  findListed,
  type ListedAfter,
  type Position,
} from './changes.queries.ts'
import { type Cursor, cursorText, type ListName, type Progress, readCursor } from './cursor.ts'

const KINDS: Record<ListName, readonly [ChangedKind, ...ChangedKind[]]> = {
  leads: ['lead'],
  deals: ['deal'],
  events: ['lead', 'deal'],
}

/**
 * Reads on from a cursor: first all records, then what changed, in the order of commits (D84). A reader that follows
 * the cursors gets every record, and each change of it that is still the last one, once. Reads from the primary,
 * because positions are its own.
 */
export async function readChanges(
  { db, reads, clock }: Pick<Deps, 'db' | 'reads' | 'clock'>,
  partnerId: string,
  list: ListName,
  { since, limit }: Reading,
): Promise<{ events: ChangeEvent[]; cursor: string; has_more: boolean }> {
  const { order, horizon } = await findHorizon(reads)
  const reader = { list, partner: partnerId, order }
  const today = clock.now().toISOString().slice(0, 10)
  const begin: Cursor = {
    ...reader,
    day: today,
    progress: { in: 'list', kind: KINDS[list][0], from: horizon, after: null },
  }
  const { day, progress } = since === undefined ? begin : readCursor(since, reader, { horizon, today })

  if (progress.in === 'list') {
    const { events, next } = await readList(db, partnerId, list, progress, limit)
    return { events, cursor: cursorText({ ...reader, day, progress: next }), has_more: true }
  }
  const changed = await readChanged(db, partnerId, list, { after: progress, horizon, limit })
  const has_more = changed.length > limit
  const events = changed.slice(0, limit)
  const { xid, place } = events.at(-1) ?? progress
  // What is not read yet may be as old as the cursor was, and is removed in time.
  const cursor = cursorText({ ...reader, day: has_more ? day : today, progress: { in: 'changes', xid, place } })
  return { events, cursor, has_more }
}

async function readList(
  db: Db,
  partnerId: string,
  list: ListName,
  { kind, from, after }: Extract<Progress, { in: 'list' }>,
  limit: number,
): Promise<{ events: ChangeEvent[]; next: Progress }> {
  const events = await findListedOf(db, kind, partnerId, { after, from, limit })
  const last = events.at(-1)
  const record = last?.lead ?? last?.deal
  if (record && events.length === limit) {
    return { events, next: { in: 'list', kind, from, after: { created_at: record.created_at, id: record.id } } }
  }
  const nextKind = KINDS[list][KINDS[list].indexOf(kind) + 1]
  if (nextKind === undefined) return { events, next: { in: 'changes', xid: from, place: '0' } }
  const rest = { in: 'list', kind: nextKind, from, after: null } as const
  const others = await readList(db, partnerId, list, rest, limit - events.length)
  return { events: [...events, ...others.events], next: others.next }
}

async function findListedOf(
  db: Db,
  kind: ChangedKind,
  partnerId: string,
  range: { after: ListedAfter | null; from: string; limit: number },
): Promise<ChangeEvent[]> {
  if (kind === 'lead') return (await findListed(db, kind, partnerId, range)).map(leadEvent)
  return (await findListed(db, kind, partnerId, range)).map(dealEvent)
}

function leadEvent(lead: ApiLead): ChangeEvent {
  return { type: 'lead.changed', loid: lead.loid, deal_loid: null, version: lead.version, lead, deal: null }
}

function dealEvent(deal: ApiDeal): ChangeEvent {
  return { type: 'deal.changed', loid: deal.loid, deal_loid: null, version: deal.version, lead: null, deal }
}

/** One more than `limit`, if there are as many. All kinds are read up to the same horizon, so that none is left behind. */
async function readChanged(
  db: Db,
  partnerId: string,
  list: ListName,
  { after, horizon, limit }: { after: Position; horizon: string; limit: number },
): Promise<(ChangeEvent & Position)[]> {
  const range = { after, horizon, limit: limit + 1 }
  const ofKind = async (kind: ChangedKind) => {
    if (kind === 'lead') {
      const changed = await findChanged(db, kind, partnerId, range)
      return changed.map(({ record, ...event }) => ({ ...event, lead: record, deal: null }))
    }
    const changed = await findChanged(db, kind, partnerId, range)
    return changed.map(({ record, ...event }) => ({ ...event, lead: null, deal: record }))
  }
  const ofKinds = await Promise.all(KINDS[list].map(ofKind))
  return ofKinds
    .flat()
    .toSorted(byPosition)
    .slice(0, limit + 1)
}

/** What the events say of records that are no longer listed. */
export function goneOf(events: readonly ChangeEvent[]) {
  return events.flatMap(({ type, loid, deal_loid, version }) => {
    const reason = GONE_REASONS.find((one) => type.endsWith(`.${one}`))
    return reason ? [{ loid, reason, deal_loid, version }] : []
  })
}

function byPosition(one: Position, other: Position): number {
  return Number(BigInt(one.xid) - BigInt(other.xid)) || Number(BigInt(one.place) - BigInt(other.place))
}
