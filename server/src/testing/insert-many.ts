import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Db } from '../platform/db/database.ts'
import { newId } from '../platform/db/ids.ts'
import { insertSet } from '../platform/db/row-sets.ts'
import { searchColumns } from '../platform/db/search-columns.ts'

/** On a slow machine, a statement of many more rows would take longer than the portal allows. */
const ROWS_PER_STATEMENT = 1_000

/** Inserts this many leads, newer than all other leads of the partner. */
export async function insertNewerLeads({ db }: Pick<Deps, 'db'>, partnerId: string, leads: number): Promise<void> {
  const lead = { business_name: 'Newer', lead_status: 'Lost Lead', lead_source: 'Newer desk' }
  await insertRows(db, 'leads', rowsOf('leads', partnerId, leads, lead, Date.now()))
}

export async function insertNewerDeals({ db }: Pick<Deps, 'db'>, partnerId: string, deals: number): Promise<void> {
  const inAnHour = Date.now() + 3_600_000
  const deal = { deal_name: 'Newer', stage: 'Closed' }
  await insertRows(db, 'deals', rowsOf('deals', partnerId, deals, deal, inAnHour))
}

async function insertRows(db: Db, table: 'leads' | 'deals', rows: ReturnType<typeof rowsOf>): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
    await db.transaction().execute((tx) => insertSet(tx, table, rows.slice(from, from + ROWS_PER_STATEMENT)))
}

function rowsOf(table: 'leads' | 'deals', partnerId: string, count: number, values: object, fromMs: number) {
  return Array.from({ length: count }, (_, i) => {
    const row = {
      ...values,
      id: newId(),
      partner_id: partnerId,
      loid: loidOf(partnerId, i + 1),
      created_at: new Date(fromMs + i).toISOString(),
      modified_time: new Date().toISOString(),
      crm: 'synced',
    }
    return { ...row, ...searchColumns(table, row) }
  })
}

/** A LOID without digits, so that a search for digits does not find it. */
function loidOf(partnerId: string, i: number): string {
  const partners = createHash('md5').update(partnerId).digest('hex').slice(0, 4)
  const digits = `${partners}${i.toString(16).padStart(4, '0')}`.toUpperCase()
  return `LO-${digits.replace(/\d/g, (digit) => 'GHJKMNPQRS'.charAt(Number(digit)))}`
}
