import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { CrmConflict, CrmRefused } from '../../zoho/errors.ts'

/** A partner of the portal with its record in the CRM. */
export interface PulledPartner {
  id: string
  zoho_id: string
}

/** What every reading of the CRM shares, be it for a run, a sweep, a notification or one record. */
export interface Pull {
  deps: Deps
  signal: AbortSignal
  /** The wanted partners by their ids in the CRM. Records of others are ignored. */
  ownersOf(zohoIds: readonly string[]): Promise<ReadonlyMap<string, PulledPartner>>
  /** Whether what this partner has is the pull's to remove. */
  mayRemoveFrom(partnerId: string): boolean
  /** Whether meeting this record is news for its partner (D35). */
  newsOf(partnerIds: readonly string[]): Promise<IsNews>
}

export type IsNews = (partnerId: string, record: { created_at: string }, isKnown: boolean) => boolean

/** What the CRM tells of a record beside its fields may be missing; the record itself counts all the same. */
export async function emptyWhenRefused<Item>(pull: Promise<Item[]>): Promise<Item[]> {
  try {
    return await pull
  } catch (error) {
    if (error instanceof CrmRefused) return []
    throw error
  }
}

/** What is wrong with a record, or undefined when it is the whole run: PostgreSQL's classes 22, 23 and 54 speak of data. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof CrmConflict) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:22|23|54)\w{3}$/.test(code) ? 'it cannot be stored' : undefined
}

/** What came of the records of a page. */
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
  /** The partner meets it for the first time, neither as a lead nor as a deal. */
  is_new: boolean
  outcome: Outcome
}

/** What was done to records, as far as a run counts it. */
export interface Done {
  records: readonly (Pick<AppliedRecord, 'module' | 'created_at' | 'is_new'> & { outcome: Outcome | 'removed' })[]
}

/** What a run has done is written in the transaction of what was done, and kept once that has ended. */
export interface PageTally {
  write(tx: Tx, done: Done): Promise<void>
  keep(done: Done): void
}
