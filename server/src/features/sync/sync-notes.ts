import type { CrmModule, CrmNote } from '../../zoho/crm-records.ts'
import { applyCrmNotes, isForPartner } from '../notes/apply-crm-notes.ts'
import { applyInTransaction } from './apply-in-transaction.ts'
import { emptyWhenRefused, inParallel, type SyncContext } from './sync-context.ts'

/** A record that this run created or changed. */
export interface Pulled {
  zohoId: string
  loid: string
  businessName: string | null
  createdAt: string
  isNew: boolean
}

const PULLED_AT_ONCE = 8
/** Beyond this, listing all notes since the oldest of the records costs Zoho and the portal less. */
const ASKED_ONE_BY_ONE_MAX = 100
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
  const { signal, progress } = sync
  const { pulled, known, since } = options
  const present = known.filter((row) => row.archived_at === null).map((row) => asPulled(row, row.loid, false))
  const unseen = since === undefined ? [...present, ...pulled] : pulled.filter((record) => record.isNew)
  const listsAll = unseen.length > ASKED_ONE_BY_ONE_MAX
  const from = [since ?? [], listsAll ? unseen.map((record) => record.createdAt) : []].flat().sort()[0]
  const listed = from === undefined ? null : await sync.deps.crm.notesSince(earlier(from), signal)
  const wanted = listed && listsAll ? [] : listed ? unseen : [...unseen, ...pulled]
  const toAsk = [...new Map(wanted.map((record) => [record.zohoId, record])).values()]

  await progress.begin('Updating notes', toAsk.length)
  await inParallel(toAsk, PULLED_AT_ONCE, async (record) => {
    signal.throwIfAborted()
    await pullNotesOf(sync, module, record, since !== undefined)
    await progress.add(1)
  })
  const ofModule = (listed ?? []).filter((one) => one.module === module)
  const byRecord = Map.groupBy(ofModule, (one) => one.record_zoho_id)
  for (const record of new Map([...present, ...pulled].map((one) => [one.zohoId, one])).values()) {
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

/** The given notes of one record. */
export async function applyNotes(
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
  created_at: string
  archived_at: string | null
}

export function asPulled(
  record: { zoho_id: string; business_name: string | null; created_at: string },
  loid: string,
  isNew: boolean,
): Pulled {
  const { zoho_id: zohoId, business_name: businessName, created_at: createdAt } = record
  return { zohoId, loid, businessName, createdAt, isNew }
}

function earlier(instant: string): string {
  return new Date(Date.parse(instant) - OVERLAP_MS).toISOString()
}
