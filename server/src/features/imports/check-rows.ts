import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { fold } from '@portal/contract/fold.ts'
import { IMPORT_FIELD_NAMES, type ImportColumn } from '@portal/contract/imports.ts'
import type { NewLead } from '@portal/contract/lead-form.ts'
import type { DuplicateLead } from '@portal/contract/leads.ts'
import { IMPORT_ROWS_MAX } from '@portal/contract/limits.ts'
import { unguarded } from '../../platform/csv.ts'
import type { Db } from '../../platform/db/database.ts'
import { DUPLICATES_SHOWN, duplicateOf, findLeadsAlike, type LeadAlike } from '../../records/leads/leads.queries.ts'
import { findUsualCountry } from '../accounts/usual-country.queries.ts'
import { checkRow, type RowValues } from './check-row.ts'
import { type CheckedRow, findKnownRows, type RowToCheck } from './imports.queries.ts'

/** Other requests are served each time that so many rows have been checked. */
const ROWS_AT_A_TIME = 100

/** Checks all rows of a file: by the form's rules, and against the partner's leads and the rows of earlier imports. */
export async function checkRows(
  db: Db,
  partnerId: string,
  columns: readonly ImportColumn[],
  rows: readonly RowToCheck[],
  now: Date,
): Promise<CheckedRow[]> {
  const usual = await findUsualCountry(db, partnerId)
  const checked = []
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_AT_A_TIME === 0) await setImmediate()
    checked.push({ ...row, ...checkRow({ ...valuesInFile(columns, row.cells), ...row.mended }, usual) })
  }
  const findDuplicates = await duplicateFinder(db, partnerId, checked, now)
  const hashes = rows.map(({ hash }) => hash)
  const known = await findKnownRows(db, partnerId, hashes)
  return checked.map((row) => ({
    ...row,
    keys: row.lead ? keysOf(row.lead) : [],
    duplicates: row.lead ? findDuplicates(row.lead) : [],
    known_as: known.get(row.hash) ?? null,
  }))
}

/** The text of each field that a column holds, without the apostrophe that the export puts before formulas (D82). */
export function valuesInFile(columns: readonly ImportColumn[], cells: readonly string[]): RowValues {
  const pairs = columns.map(({ field }, at) => [field, unguarded(cells[at] ?? '')] as const)
  return Object.fromEntries(pairs.filter(([field]) => field !== null))
}

/**
 * Gives each row a hash of its fields as the file has them. Equal rows of a file are counted, so that each of them is a
 * row of its own, and the same file has the same hashes again.
 */
export function hashRows<Row extends { cells: readonly string[] }>(
  columns: readonly ImportColumn[],
  rows: readonly Row[],
): (Row & { hash: string })[] {
  const seen = new Map<string, number>()
  return rows.map((row) => {
    const values = valuesInFile(columns, row.cells)
    const texts = JSON.stringify(IMPORT_FIELD_NAMES.map((field) => values[field]?.trim() || null))
    const count = seen.get(texts) ?? 0
    seen.set(texts, count + 1)
    return { ...row, hash: createHash('sha256').update(`${count}${texts}`).digest('hex') }
  })
}

/** Two rows of a file with a key in common are probably of one applicant (D18a). */
function keysOf({ email, phone, businessAbn }: NewLead): string[] {
  return [`email ${fold(email)}`, `phone ${phone}`, ...(businessAbn ? [`abn ${businessAbn}`] : [])]
}

/** Reads the partner's leads that are like one of the rows, and returns a function that finds those of one row. */
async function duplicateFinder(
  db: Db,
  partnerId: string,
  rows: readonly { lead: NewLead | null }[],
  now: Date,
): Promise<(lead: NewLead) => DuplicateLead[]> {
  const leads = rows.flatMap(({ lead }) => lead ?? [])
  const wanted = {
    emails: [...new Set(leads.map(({ email }) => email))],
    phones: [...new Set(leads.map(({ phone }) => phone))],
    abns: [...new Set(leads.flatMap(({ businessAbn }) => businessAbn ?? []))],
  }
  const found = await findLeadsAlike(db, partnerId, wanted, LEADS_ALIKE_MAX, now)
  const byKey = new Map<string, LeadAlike[]>()
  for (const alike of found) {
    const { email, phone, business_abn } = alike
    for (const key of [email && `email ${fold(email)}`, `phone ${phone}`, `abn ${business_abn}`]) {
      if (!key) continue
      const same = byKey.get(key)
      if (same) same.push(alike)
      else byKey.set(key, [alike])
    }
  }
  return (lead) => {
    const alike = new Set(keysOf(lead).flatMap((key) => byKey.get(key) ?? []))
    const newest = [...alike].toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))
    const { email, phone, businessAbn: abn } = lead
    return newest.slice(0, DUPLICATES_SHOWN).map((row) => duplicateOf(row, { email, phones: [phone], abn }))
  }
}

/** Four for each row: more would not change what a person reads. */
const LEADS_ALIKE_MAX = 4 * IMPORT_ROWS_MAX
