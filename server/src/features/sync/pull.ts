import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { CrmConflict, CrmRefused } from '../../zoho/errors.ts'

/** A partner of the portal with its record in the CRM. */
export interface PulledPartner {
  id: string
  zoho_id: string
}

/** The parts that every pull shares: that of a run, a sweep, a notification or one record. */
export interface Pull {
  deps: Deps
  signal: AbortSignal
  /** The wanted partners by their ids in the CRM. Records of other partners are ignored. */
  ownersOf(zohoIds: readonly string[]): Promise<ReadonlyMap<string, PulledPartner>>
  /** Whether the pull may remove this partner's records. */
  mayRemoveFrom(partnerId: string): boolean
  /** Whether this record is news to its partner when the portal first sees it (D35). */
  newsOf(partnerIds: readonly string[]): Promise<IsNews>
}

export type IsNews = (partnerId: string, record: { created_at: string }, isKnown: boolean) => boolean

/** A record counts even if its history or notes are missing. */
export async function emptyWhenRefused<Item>(pull: Promise<Item[]>): Promise<Item[]> {
  try {
    return await pull
  } catch (error) {
    if (error instanceof CrmRefused) return []
    throw error
  }
}

/**
 * The fault of the record, or undefined if the whole run is at fault. PostgreSQL's error classes 22, 23 and 54 are
 * about data.
 */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof CrmConflict) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:22|23|54)\w{3}$/.test(code) ? 'it cannot be stored' : undefined
}

/** The outcome of a page's records. */
export interface Applied {
  records: AppliedRecord[]
  problems: SyncProblem[]
}

type Outcome = 'created' | 'updated' | 'converted' | 'skipped'

export interface AppliedRecord {
  module: 'Leads' | 'Deals'
  zoho_id: string
  partner_id: string
  loid: string
  business_name: string | null
  created_at: string
  notes_due: boolean
  /** The partner had the record before neither as a lead nor as a deal. */
  is_new: boolean
  outcome: Outcome
}

/** The changes of records that a run counts. */
export interface Done {
  records: readonly (Pick<AppliedRecord, 'module' | 'created_at' | 'is_new'> & { outcome: Outcome | 'removed' })[]
}

/** A run's counts are written in the transaction of the changes. They are kept in memory once that has committed. */
export interface PageTally {
  write(tx: Tx, done: Done): Promise<void>
  keep(done: Done): void
}
