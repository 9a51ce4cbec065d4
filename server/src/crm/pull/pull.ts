import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { CrmConflict } from '../../records/crm-records.ts'

/** A partner of the portal with its record in the CRM. */
export interface PulledPartner {
  id: string
  zoho_id: string
}

/** What every pull has, whether it is for a run, a sweep, a notification or a single record. */
export interface Pull {
  deps: Deps
  signal: AbortSignal
  /** The partners that the pull covers, by their ids in the CRM. Records of other partners are ignored. */
  ownersOf(zohoIds: readonly string[]): Promise<ReadonlyMap<string, PulledPartner>>
  /** Whether the pull may remove this partner's records. */
  mayRemoveFrom(partnerId: string): boolean
  /** True if records are applied although the portal has their versions, because it read them under other field names. */
  readsAgain?: boolean
  /** Returns a function that decides whether a record is news to its partner (D35). */
  newsOf(partnerIds: readonly string[]): Promise<IsNews>
}

export type IsNews = (partnerId: string, record: { created_at: string }, isKnown: boolean) => boolean

/**
 * Why this record cannot be stored, or undefined if the error is not about one record. PostgreSQL's error classes 22,
 * 23 and 54 are about data.
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
  id: string
  module: 'Leads' | 'Deals'
  zoho_id: string
  partner_id: string
  loid: string
  business_name: string | null
  created_at: string
  crm_modified_time: string | null
  notes_due: boolean
  /** True if an earlier pull has left the record's notes due. */
  notes_were_due: boolean
  /**
   * True if the record is new to the partner or has returned. False for the deal of a lead that the partner already
   * had.
   */
  is_new: boolean
  outcome: Outcome
}

/** The changes to records that a run counts. */
export interface Done {
  records: readonly (Pick<AppliedRecord, 'module' | 'created_at' | 'is_new'> & { outcome: Outcome | 'removed' })[]
}

/**
 * Counts the changes of a run. `write` stores the counts in the transaction of the changes. `keep` keeps them in memory
 * after this transaction has been committed.
 */
export interface PageTally {
  write(tx: Tx, done: Done): Promise<void>
  keep(done: Done): void
}
