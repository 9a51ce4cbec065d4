import { wholeDays } from '@portal/contract/calendar.ts'
import { HISTORY_ENTRIES_MAX } from '@portal/contract/limits.ts'
import type { HistoryKind } from '@portal/contract/meanings.ts'
import { type RawBuilder, sql } from 'kysely'
import { compiler, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { newId } from '../../platform/db/ids.ts'
import { insertSet } from '../../platform/db/row-sets.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { Write } from '../../platform/db/write-together.ts'
import type { HistoryPlan, KnownEntry } from './plan-history.ts'

/**
 * Names one history. A deal's LOID can have histories of both kinds, because the lead's history stays readable (D18).
 */
export interface HistoryOf {
  kind: HistoryKind
  partnerId: string
  loid: string
}

/**
 * A record and its partner. The record's entries belong to the same partner. Queries name the partner as well as the
 * LOID, because the index of histories begins with the partner.
 */
interface Owned {
  partner_id: string
  loid: string
}

/** One line of a history: `value` is the status or the stage. */
export interface HistoryEntry {
  id: string
  value: string
  changed_time: string
  changed_by: string | null
  description: string | null
  origin: 'submitted' | 'crm' | 'observed'
  duration: number
}

/**
 * Finds at most a thousand entries, the latest first. An entry lasts until the next entry of its record. A record's
 * latest entry lasts until the record ended, or until now (D26, D51).
 */
export async function findHistory(
  reads: Reads,
  kind: HistoryKind,
  partnerId: string,
  records: readonly { loid: string; ended_at: string | null }[],
  now: Date,
): Promise<HistoryEntry[]> {
  const until = new Map(records.map(({ loid, ended_at }) => [loid, ended_at ?? now.toISOString()]))
  const entries = await sendNamed<Omit<HistoryEntry, 'duration'> & { loid: string }>(reads, {
    sql: `select id, loid, value, changed_time, changed_by, description, origin
            from history_entries
           where partner_id = $1 and loid = any($2) and kind = $3
           order by changed_time desc, id desc
           limit ${HISTORY_ENTRIES_MAX}`,
    parameters: [partnerId, [...until.keys()], kind],
  })
  return entries.map(({ loid, ...entry }) => {
    const duration = wholeDays(entry.changed_time, until.get(loid) ?? entry.changed_time)
    until.set(loid, entry.changed_time)
    return { ...entry, duration }
  })
}

/** The first entry: the status or stage that the record began with (D26). */
export function insertOfFirstEntry(
  { kind, partnerId, loid }: HistoryOf,
  entry: Pick<HistoryEntry, 'value' | 'changed_time' | 'changed_by' | 'description'>,
): Write {
  return compiler
    .insertInto('history_entries')
    .values({
      id: newId(new Date(entry.changed_time)),
      partner_id: partnerId,
      kind,
      loid,
      origin: 'submitted',
      crm_entry_id: null,
      ...entry,
    })
    .compile()
}

/** The portal's entries for these records, by LOID, with the oldest entry of each history first. */
export async function findKnownHistories(
  tx: Tx,
  kind: HistoryKind,
  records: readonly Owned[],
): Promise<Map<string, KnownEntry[]>> {
  if (records.length === 0) return new Map()
  const { rows } = await sql<KnownEntry & { loid: string }>`
    select entry.loid, entry.value, entry.origin, entry.changed_time, entry.crm_entry_id
      from ${listed(records)}
      join history_entries as entry using (partner_id, loid)
     where entry.kind = ${kind}
     order by entry.changed_time, entry.id`.execute(tx)
  return Map.groupBy(rows, (row) => row.loid)
}

function listed(records: readonly Owned[]): RawBuilder<unknown> {
  const partnerIds = records.map((record) => record.partner_id)
  const loids = records.map((record) => record.loid)
  return sql`unnest(${partnerIds}::uuid[], ${loids}::text[]) as listed (partner_id, loid)`
}

/**
 * Writes the planned entries of many histories of one kind. Existing entries stay unchanged, except that a plan can
 * replace the observed entries of its history.
 */
export async function writeHistories(
  tx: Tx,
  kind: HistoryKind,
  plans: readonly (Owned & { plan: HistoryPlan })[],
  now: Date,
): Promise<void> {
  const replaced = plans.filter(({ plan }) => plan.replacesObserved)
  if (replaced.length > 0) {
    await sql`
      delete from history_entries as entry
       using ${listed(replaced)}
       where entry.partner_id = listed.partner_id and entry.loid = listed.loid and entry.kind = ${kind}
         and entry.origin = 'observed'`.execute(tx)
  }
  const rows = plans.flatMap(({ partner_id, loid, plan }) =>
    // Ids are made in the order of the entries, so that entries of the same second keep their order.
    plan.entries.map((entry) => ({ ...entry, id: newId(now), partner_id, kind, loid })),
  )
  await insertSet(tx, 'history_entries', rows)
}

/**
 * Moves histories to the partners that their records were given to. Removes the name and the comment from the submitted
 * entries, because the new partners must not learn who submitted the records.
 */
export async function moveHistories(
  tx: Tx,
  kind: HistoryKind,
  moves: readonly { loid: string; fromPartnerId: string; toPartnerId: string }[],
): Promise<void> {
  if (moves.length === 0) return
  const loids = moves.map((move) => move.loid)
  const formerIds = moves.map((move) => move.fromPartnerId)
  const partnerIds = moves.map((move) => move.toPartnerId)
  await sql`
    update history_entries as entry
       set partner_id = moved.partner_id,
           changed_by = case when entry.origin <> 'submitted' then entry.changed_by end,
           description = case when entry.origin <> 'submitted' then entry.description end
      from unnest(${loids}::text[], ${formerIds}::uuid[], ${partnerIds}::uuid[]) as moved (loid, former_id, partner_id)
     where entry.partner_id = moved.former_id and entry.loid = moved.loid and entry.kind = ${kind}`.execute(tx)
}

/** Removes the history of records that were removed for good. */
export async function removeHistoryOfAllPartners(tx: Tx, kind: HistoryKind, records: readonly Owned[]): Promise<void> {
  await sql`
    delete from history_entries as entry
     using ${listed(records)}
     where entry.partner_id = listed.partner_id and entry.loid = listed.loid and entry.kind = ${kind}`.execute(tx)
}
