/** A lead or deal as this run knows it: what was done to it, and what has to be true of it at the end. */
export interface Tracked {
  module: 'Leads' | 'Deals'
  /** Number of the partner it was made for. */
  partner: number
  /** Known at once for a partner's own submission, and never for a record that staff made. */
  loid: string | undefined
  /** Known once somebody met it in the CRM. */
  zohoId: string | undefined
  isDeleted: boolean
  /** What the lead became. */
  deal: Tracked | undefined
  /** Staff gave it to another partner, or to the same. */
  isGiven: boolean
  /** What staff set last, by the CRM's field names. */
  staffSet: Map<string, unknown>
  log: string[]
}

export interface Ledger {
  records: Tracked[]
  /** Contents of the notes that were acknowledged, all different, and the number of the partner who wrote each. */
  notes: { content: string; record: Tracked; by: number | 'staff' }[]
}

export function openLedger(): Ledger {
  return { records: [], notes: [] }
}

export function track(ledger: Ledger, record: Pick<Tracked, 'module' | 'partner'> & Partial<Tracked>): Tracked {
  const tracked: Tracked = {
    loid: undefined,
    zohoId: undefined,
    isDeleted: false,
    deal: undefined,
    isGiven: false,
    staffSet: new Map(),
    log: [],
    ...record,
  }
  ledger.records.push(tracked)
  return tracked
}

/** For finding out later: in the portal's log, times are UTC too. */
export function writeDown(record: Tracked, what: string): void {
  record.log.push(`${new Date().toISOString()} ${what}`)
}
