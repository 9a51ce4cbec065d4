import type { Import } from '@portal/contract/imports.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPerson } from '../accounts/people.queries.ts'
import { checkRows, hashRows } from './check-rows.ts'
import { getImport } from './get-import.ts'
import { insertImport, insertRows, removeChecked } from './imports.queries.ts'
import { readCsv } from './read-csv.ts'
import { recogniseColumns } from './recognise-columns.ts'

/** Checks a file and keeps it for its person, in place of the person's file that was not submitted. Submits nothing. */
export async function startCheck(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  partner: SessionCaller,
  { name, file }: { name: string | undefined; file: Buffer },
  security: NoteSecurity,
): Promise<Import> {
  const csv = await readCsv(file)
  const columns = recogniseColumns(csv)
  const now = clock.now()
  const rows = hashRows(columns, csv.rows).map((row) => ({ ...row, mended: {} }))
  const checked = await checkRows(db, partner.id, columns, rows, now)
  const id = newId(now)
  return db.transaction().execute(async (tx) => {
    // Of two files that a person brings at once, the later one takes the other's place.
    await lockPerson(tx, partner.personId)
    await removeChecked(tx, partner.id, { personId: partner.personId })
    await insertImport(tx, {
      id,
      partner_id: partner.id,
      person_id: partner.personId,
      name: name ?? null,
      columns,
      rows: rows.length,
      at: now.toISOString(),
    })
    await insertRows(tx, partner.id, id, checked)
    await security(tx, 'import-checked', { detail: `${rows.length} rows` })
    return getImport(tx, partner, id)
  })
}
