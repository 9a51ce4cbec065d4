import type { CrmModule, CrmNote } from '../../zoho/crm-records.ts'
import { applyCrmNotes, isForPartner } from '../notes/apply-crm-notes.ts'
import { applyInTransaction } from './apply-in-transaction.ts'
import { emptyWhenRefused, inParallel, type SyncContext } from './sync-context.ts'

/** A record that this run created or changed. */
export interface Pulled {
  zohoId: string
  loid: string
  businessName: string | null
  isNew: boolean
}

const PULLED_AT_ONCE = 8
/** Zoho's seconds and its clock against ours. */
const OVERLAP_MS = 5 * 60_000

/**
 * A new note may leave its record's Modified_Time as it was. So besides the notes of what this run met for the first
 * time, all notes written since the last run are looked through for the partner's. Where Zoho does not let the portal
 * list all notes, those of the changed records must do; in a partner's first sync every record is asked for its notes.
 */
export async function pullNotes(
  sync: SyncContext,
  module: CrmModule,
  options: { pulled: readonly Pulled[]; known: readonly KnownRecord[]; since: string | undefined },
): Promise<void> {
  const { deps, signal, progress } = sync
  const { pulled, since } = options
  const present = options.known.filter((row) => row.archived_at === null).map(asPulled)
  const listed = since === undefined ? null : await deps.crm.notesSince(earlier(since), signal)
  const toAsk = listed ? pulled.filter((record) => record.isNew) : pulled
  const all =
    since === undefined ? [...new Map([...present, ...toAsk].map((one) => [one.zohoId, one])).values()] : toAsk

  await progress.begin('Updating notes', all.length)
  await inParallel(all, PULLED_AT_ONCE, async (record) => {
    signal.throwIfAborted()
    await pullNotesOf(sync, module, record, since !== undefined)
    await progress.add(1)
  })
  const ofModule = (listed ?? []).filter((one) => one.module === module)
  const byRecord = Map.groupBy(ofModule, (one) => one.record_zoho_id)
  for (const record of present) {
    const notes = byRecord.get(record.zohoId)?.map((one) => one.note)
    if (notes) await applyNotes(sync, module, record, notes, since !== undefined)
  }
}

/** All notes of one record. */
export async function pullNotesOf(
  sync: SyncContext,
  module: CrmModule,
  record: Pulled,
  isNews: boolean,
): Promise<void> {
  const { crm } = sync.deps
  await applyNotes(sync, module, record, await emptyWhenRefused(crm.notes(module, record.zohoId, sync.signal)), isNews)
}

async function applyNotes(
  { deps, partnerId }: SyncContext,
  module: CrmModule,
  { zohoId, loid, businessName, isNew }: Pulled,
  every: readonly CrmNote[],
  isNews: boolean,
): Promise<void> {
  const notes = deps.config.crmNotes === 'portal' ? every.filter(isForPartner) : every
  if (notes.length === 0) return
  const parent = { partnerId, loid, on: module === 'Leads' ? ('lead' as const) : ('deal' as const), businessName }
  // What a record brings along when it is met for the first time is no news beside the record itself.
  const when = { now: deps.clock.now(), isNews: isNews && !isNew }
  await applyInTransaction(deps, zohoId, (tx) => applyCrmNotes(tx, parent, notes, when))
}

interface KnownRecord {
  zoho_id: string
  loid: string
  business_name: string | null
  archived_at: string | null
}

function asPulled(row: KnownRecord): Pulled {
  return { zohoId: row.zoho_id, loid: row.loid, businessName: row.business_name, isNew: false }
}

function earlier(instant: string): string {
  return new Date(Date.parse(instant) - OVERLAP_MS).toISOString()
}
