/** A lead or deal as this run knows it: what happened to it, and what must be true of it at the end. */
export interface Tracked {
  module: 'Leads' | 'Deals'
  /** The number of the partner that the record belongs to now. */
  partner: number
  /**
   * Known at once if a partner submitted the record. The deal that a lead becomes has the lead's LOID. Undefined for
   * all other records.
   */
  loid: string | undefined
  /** Known once the record has been found in the CRM. */
  zohoId: string | undefined
  isDeleted: boolean
  isConverted: boolean
  /** The deal that the lead became. */
  deal: Tracked | undefined
  /** Whether staff gave the record to a partner, even if that partner already had it. */
  isGiven: boolean
  /** The values that staff set last, under the CRM's field names. */
  staffSet: Map<string, unknown>
  log: string[]
}

/** Notes a difference between portal and CRM, and the record that it is about. */
export type Differ = (what: string, record?: Tracked) => void

/** The lines before a partner asks for a change. */
export const TO_BE = { corrected: 'to be corrected', withdrawn: 'to be withdrawn' }

export interface Ledger {
  records: Tracked[]
  /**
   * The acknowledged notes. No two have the same content. `by` is the number of the partner that wrote the note, or
   * 'staff'.
   */
  notes: { content: string; record: Tracked; by: number | 'staff' }[]
  /** The files that partners sent and the portal accepted. No two have the same name. Staff may delete them in the CRM. */
  files: { name: string; record: Tracked; isRemoved: boolean }[]
  /** The names of the files that staff attached for the partner. No two are the same. */
  attachments: { name: string; record: Tracked }[]
  /** What staff ask of partners, each with a subject of its own. `wasAccepted` stays when staff ask again. */
  tasks: { subject: string; zohoId: string; record: Tracked; wasAccepted: boolean; isRemoved: boolean }[]
  /** How many reset links each partner asked for, by its number, and how many of these requests were accepted. */
  resets: Map<number, { asked: number; accepted: number }>
  /** Answers that no request may get. */
  faults: string[]
  /** Whether the API user may read nothing, or could not a moment ago. */
  isHidden: boolean
}

export function openLedger(): Ledger {
  return {
    records: [],
    notes: [],
    files: [],
    attachments: [],
    tasks: [],
    resets: new Map(),
    faults: [],
    isHidden: false,
  }
}

export function track(ledger: Ledger, record: Pick<Tracked, 'module' | 'partner'> & Partial<Tracked>): Tracked {
  const tracked: Tracked = {
    loid: undefined,
    zohoId: undefined,
    isDeleted: false,
    isConverted: false,
    deal: undefined,
    isGiven: false,
    staffSet: new Map(),
    log: [],
    ...record,
  }
  ledger.records.push(tracked)
  return tracked
}

/**
 * Writes down what happened to the record, for debugging. The time is in UTC, while the portal's log has the local
 * time.
 */
export function writeDown(record: Tracked, what: string): void {
  record.log.push(`${new Date().toISOString()} ${what}`)
}
