import type { DealSyncResult, FullSyncResult, LeadSyncResult } from '@portal/contract/sync.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { isId } from '../../../platform/db/ids.ts'
import type { SyncRunRow } from '../../../platform/db/tables.ts'
import { NotFound } from '../../../platform/errors.ts'

export type SyncKind = SyncRunRow['kind']
export type SyncResult = FullSyncResult | LeadSyncResult | DealSyncResult

/** Inserts a run. Returns false if another run of the partner is under way: a partner never has two at once (D30). */
export async function insertRun(
  tx: Tx,
  run: { id: string; partner_id: string; kind: SyncKind; started_at: string },
): Promise<boolean> {
  const row = await tx
    .insertInto('sync_runs')
    .values({ ...run, status: 'running' })
    .onConflict((conflict) => conflict.column('partner_id').where('status', '=', 'running').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the partner's run under way, if there is one. If the run and this request are not for the same records, the
 * run now pulls both leads and deals.
 */
export function joinRun(tx: Tx, partnerId: string, kind: SyncKind): Promise<SyncRunRow | undefined> {
  return tx
    .updateTable('sync_runs')
    .set({ kind: sql<SyncKind>`case when kind = ${kind} then kind else 'all' end` })
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst()
}

export async function getRun(db: Db, partnerId: string, runId: string): Promise<SyncRunRow> {
  const query = db.selectFrom('sync_runs').selectAll().where('partner_id', '=', partnerId)
  const run = isId(runId) ? await query.where('id', '=', runId).executeTakeFirst() : undefined
  if (!run) throw new NotFound('Sync run not found')
  return run
}

/** The partners with a run under way. */
export async function findSyncingPartners(db: Db): Promise<string[]> {
  const runs = await db.selectFrom('sync_runs').select('partner_id').where('status', '=', 'running').execute()
  return runs.map((run) => run.partner_id)
}

export async function updateProgress(
  db: Db | Tx,
  partnerId: string,
  runId: string,
  progress: { phase: string; done: number; total: number; result: string },
): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set(progress)
    .where('partner_id', '=', partnerId)
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .execute()
}

/**
 * Locks the run, so that no request joins it until the transaction ends. Returns false if the run has ended, or if a
 * request has extended it since the caller read its `kind`.
 */
export async function holdRun(tx: Tx, run: Pick<SyncRunRow, 'id' | 'partner_id' | 'kind'>): Promise<boolean> {
  const row = await tx
    .selectFrom('sync_runs')
    .select('id')
    .where('partner_id', '=', run.partner_id)
    .where('id', '=', run.id)
    .where('status', '=', 'running')
    .where('kind', '=', run.kind)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Marks the run as succeeded. The caller has locked the run. */
export async function finishRun(
  tx: Tx,
  run: Pick<SyncRunRow, 'id' | 'partner_id'>,
  result: SyncResult,
  at: string,
): Promise<void> {
  await tx
    .updateTable('sync_runs')
    .set((eb) => ({
      status: 'succeeded',
      phase: null,
      done: eb.ref('total'),
      result: JSON.stringify(result),
      finished_at: at,
    }))
    .where('partner_id', '=', run.partner_id)
    .where('id', '=', run.id)
    .execute()
}

/** Marks the run as failed. Its result so far stays, because the next run reads it (see `findNotesLeft`). */
export async function failRun(db: Db, partnerId: string, runId: string, error: string, at: string): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({ status: 'failed', error, finished_at: at })
    .where('partner_id', '=', partnerId)
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .execute()
}

/** Returns when the partner's last successful run of this kind began, or undefined before the first such run. */
export async function findLastSuccess(
  db: Db,
  partnerId: string,
  kind: Exclude<SyncKind, 'all'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('sync_runs')
    .select('started_at')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'succeeded')
    .where('kind', 'in', [kind, 'all'])
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.started_at
}

/** The creation time of the oldest record whose notes the partner's failed runs have not read, or null. */
export async function findNotesLeft(db: Db, partnerId: string): Promise<string | null> {
  const { left } = await db
    .selectFrom('sync_runs')
    .select(sql<string | null>`min(result ->> 'notes_since')`.as('left'))
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'failed')
    .executeTakeFirstOrThrow()
  return left
}

/** Returns which of these partners have finished a first sync of this kind. */
export async function findSyncedPartners(
  db: Db,
  partnerIds: readonly string[],
  kind: Exclude<SyncKind, 'all'>,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sync_runs')
    .select('partner_id')
    .distinct()
    .where((eb) => eb('partner_id', '=', eb.fn.any(eb.val(partnerIds))))
    .where('status', '=', 'succeeded')
    .where('kind', 'in', [kind, 'all'])
    .execute()
  return new Set(rows.map((row) => row.partner_id))
}

/**
 * Removes old runs, but keeps each partner's last successful run of each kind. That run decides which records are news
 * to the partner (D35) and how far back notes must be read.
 */
export async function removeRunsOfAllPartners(db: Db, startedBefore: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('sync_runs')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sync_runs as run')
        .select('run.id')
        .where('run.started_at', '<', startedBefore)
        .where('run.status', '!=', 'running')
        .where((or) =>
          or.or([
            or('run.status', '=', 'failed'),
            or.exists(
              or
                .selectFrom('sync_runs as later')
                .select('later.id')
                .whereRef('later.partner_id', '=', 'run.partner_id')
                .whereRef('later.started_at', '>', 'run.started_at')
                .where('later.status', '=', 'succeeded')
                .where((either) =>
                  either.or([either('later.kind', '=', 'all'), either('later.kind', '=', either.ref('run.kind'))]),
                ),
            ),
          ]),
        )
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
