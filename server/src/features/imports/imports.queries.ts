import type { Import, ImportColumn, RowProblem, RowsShown } from '@portal/contract/imports.ts'
import type { NewLead } from '@portal/contract/lead-form.ts'
import type { DuplicateLead } from '@portal/contract/leads.ts'
import { IMPORT_MEMORY_DAYS, IMPORT_ROWS_KEPT_DAYS, IMPORT_UNDO_HOURS } from '@portal/contract/limits.ts'
import { type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { PERSON_NAME } from '../accounts/people.queries.ts'
import type { RowValues } from './check-row.ts'

/** A row as it was in the file, with its hash (`hashRows`), and what a person entered instead. */
export interface RowToCheck {
  number: number
  cells: string[]
  hash: string
  mended: RowValues
}

/** A row as the check leaves it. */
export interface CheckedRow extends RowToCheck {
  lead: NewLead | null
  problems: RowProblem[]
  keys: string[]
  duplicates: DuplicateLead[]
  known_as: string | null
}

interface NewImport {
  id: string
  partner_id: string
  person_id: string
  name: string | null
  columns: ImportColumn[]
  rows: number
  at: string
}

export async function insertImport(tx: Tx, { columns, at, ...row }: NewImport): Promise<void> {
  await tx
    .insertInto('imports')
    .values({ ...row, state: 'checked', columns: JSON.stringify(columns), created_at: at, changed_at: at })
    .execute()
}

/** Adds the rows, with the row of the file above that each is like. */
export async function insertRows(tx: Tx, partnerId: string, importId: string, rows: readonly CheckedRow[]) {
  const written = rows.map(({ hash, ...row }) => ({ ...row, hash: `\\x${hash}` }))
  await sql`
    insert into import_rows (partner_id, import_id, number, cells, mended, hash, lead, problems, keys, duplicates, known_as)
    select ${partnerId}, ${importId}, number, cells, mended, hash, lead, problems, keys, duplicates, known_as
      from json_populate_recordset(null::import_rows, ${JSON.stringify(written)}::json)`.execute(tx)
  await findEarlierRows(tx, partnerId, importId)
}

export async function replaceRows(tx: Tx, partnerId: string, importId: string, rows: readonly CheckedRow[]) {
  await tx.deleteFrom('import_rows').where('partner_id', '=', partnerId).where('import_id', '=', importId).execute()
  await insertRows(tx, partnerId, importId, rows)
}

export async function replaceRow(tx: Tx, partnerId: string, importId: string, row: CheckedRow): Promise<void> {
  await tx
    .deleteFrom('import_rows')
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .where('number', '=', row.number)
    .execute()
  await insertRows(tx, partnerId, importId, [row])
}

/**
 * Finds for each row the first row above it that has the same email, phone or business number, and has no problem. The
 * statements join nothing, because PostgreSQL knows nothing yet about rows that were just written.
 */
async function findEarlierRows(tx: Tx, partnerId: string, importId: string): Promise<void> {
  const { rows } = await sql<{ number: number; earlier: number }>`
    select number, min(first) as earlier from (
      select number, min(number) over (partition by key) as first
        from import_rows, unnest(keys) as key where partner_id = ${partnerId} and import_id = ${importId}) as keyed
     where first < number group by number`.execute(tx)
  const earlier = rows.map((row) => row.earlier)
  const numbers = rows.map((row) => row.number)
  await sql`
    update import_rows set earlier = null
     where partner_id = ${partnerId} and import_id = ${importId} and earlier is not null and number <> all(${numbers}::int[])`.execute(
    tx,
  )
  await sql`
    update import_rows set earlier = wanted.earlier
      from unnest(${numbers}::int[], ${earlier}::int[]) as wanted (number, earlier)
     where partner_id = ${partnerId} and import_id = ${importId} and import_rows.number = wanted.number
       and import_rows.earlier is distinct from wanted.earlier`.execute(tx)
}

export async function updateColumns(tx: Tx, partnerId: string, importId: string, columns: ImportColumn[]) {
  await tx
    .updateTable('imports')
    .set({ columns: JSON.stringify(columns) })
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .execute()
}

/** Locks the import until the transaction ends, and says that it changes now. Undefined if there is no such import. */
export function lockImport(tx: Tx, partnerId: string, importId: string, at: string) {
  return tx
    .updateTable('imports')
    .set({ changed_at: at })
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .returning(['id', 'state', 'columns', 'chosen', 'undo_asked_at', 'has_rows'])
    .executeTakeFirst()
}

/** Finds rows as they are before a check. */
export async function findRowsToCheck(tx: Tx, partnerId: string, importId: string, number?: number) {
  const rows = await tx
    .selectFrom('import_rows')
    .select(['number', 'cells', 'mended', 'problems', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .$if(number !== undefined, (query) => query.where('number', '=', number ?? 0))
    .orderBy('number')
    .execute()
  return rows
}

/** The LOIDs of rows that earlier imports have written, by the rows' hashes. */
export async function findKnownRows(db: Db, partnerId: string, hashes: readonly string[]) {
  const { rows } = await sql<{ hash: string; loid: string }>`
    select encode(hash, 'hex') as hash, loid from imported_rows
     where partner_id = ${partnerId} and hash = any(select decode(hex, 'hex') from unnest(${hashes}::text[]) as hex)`.execute(
    db,
  )
  return new Map(rows.map(({ hash, loid }) => [hash, loid]))
}

/** Removes an import that was not submitted. Returns whether there was one. */
export async function removeChecked(tx: Tx, partnerId: string, by: { importId: string } | { personId: string }) {
  const removal = await tx
    .deleteFrom('imports')
    .where('partner_id', '=', partnerId)
    .where('state', '=', 'checked')
    .where((eb) => ('importId' in by ? eb('id', '=', by.importId) : eb('person_id', '=', by.personId)))
    .executeTakeFirst()
  return removal.numDeletedRows > 0n
}

export interface Asker {
  id: string
  personId: string
}

const LISTED = 10

/** The partner's newest imports. Files of others that were not submitted are not among them. */
export async function findImports(db: Db, asker: Asker): Promise<Import[]> {
  const rows = await importsOf(db, asker)
    .where((eb) => eb.or([eb('imports.state', '<>', 'checked'), eb('imports.person_id', '=', asker.personId)]))
    .orderBy('imports.created_at', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map((row) => asImport(row, asker))
}

export async function findImport(db: Db | Tx, asker: Asker, importId: string): Promise<Import | undefined> {
  const row = await importsOf(db, asker).where('imports.id', '=', importId).executeTakeFirst()
  return row && asImport(row, asker)
}

function importsOf(db: Db | Tx, { id }: Asker) {
  return db
    .selectFrom('imports')
    .leftJoin('people', 'people.id', 'imports.person_id')
    .leftJoin('partners', 'partners.id', 'imports.partner_id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('import_rows as row')
          .whereRef('row.partner_id', '=', 'imports.partner_id')
          .whereRef('row.import_id', '=', 'imports.id')
          .select(({ fn, lit }) => [
            ...(['ready', 'wrong', 'duplicate', 'known'] as const).map((standing) =>
              fn.countAll<number>().filterWhere('standing', '=', standing).as(standing),
            ),
            fn.countAll<number>().filterWhere('outcome', '=', 'submitted').as('submitted_now'),
            fn.countAll<number>().filterWhere('outcome', '=', 'left-out').as('left_out_now'),
            fn.countAll<number>().filterWhere('since', 'is not', null).as('changed_now'),
            fn.countAll<number>().filterWhere('refused', '=', true).as('refused'),
            fn.countAll<number>().filterWhere('undo', '=', 'withdrawn').as('withdrawn_now'),
            fn.countAll<number>().filterWhere('undo', '=', 'kept').as('kept_now'),
            fn.countAll<number>().filterWhere(HAS_OFFER, '=', lit(true)).as('offers'),
          ])
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select(['imports.id', 'imports.name', 'imports.state', 'imports.columns', 'imports.rows', 'imports.person_id'])
    .select(['imports.chosen', 'imports.submitted', 'imports.changed', 'imports.created_at', 'imports.submitted_at'])
    .select(['imports.done_at', 'imports.changed_at', 'imports.has_rows'])
    .select(['imports.undo_asked_at', 'imports.undone_at', 'imports.withdrawn', 'imports.kept'])
    .select(['ready', 'wrong', 'duplicate', 'known', 'submitted_now', 'left_out_now', 'changed_now', 'offers'])
    .select(['withdrawn_now', 'kept_now', 'refused'])
    .select(sql<string | null>`case when people.id is not null then ${sql.raw(PERSON_NAME)} end`.as('by'))
    .where('imports.partner_id', '=', id)
}

const HAS_OFFER = sql<boolean>`row.problems @? '$[*].offer ? (@ != null)'`

type FoundImport = Awaited<ReturnType<ReturnType<typeof importsOf>['execute']>>[number]

function asImport(row: FoundImport, { personId }: Asker): Import {
  const { ready, wrong, duplicate, known, offers, chosen, has_rows, changed_at, done_at, undo_asked_at } = row
  const counts = { ready, wrong, duplicate, known }
  const submitted = has_rows ? Number(row.submitted_now) : row.submitted
  return {
    ...row,
    is_own: row.person_id === personId,
    standings: {
      ready: Number(counts.ready),
      wrong: Number(counts.wrong),
      duplicate: Number(counts.duplicate),
      known: Number(counts.known),
    },
    offers: Number(offers),
    submitted,
    left_out: has_rows ? Number(row.left_out_now) : (chosen ?? 0) - submitted,
    changed: has_rows ? Number(row.changed_now) : row.changed,
    refused: undo_asked_at === null && has_rows ? Number(row.refused) : 0,
    undo_until: done_at !== null && undo_asked_at === null && submitted > 0 && has_rows ? undoUntil(done_at) : null,
    undo:
      undo_asked_at === null
        ? null
        : {
            asked_at: undo_asked_at,
            done_at: row.undone_at,
            withdrawn: has_rows ? Number(row.withdrawn_now) : row.withdrawn,
            kept: has_rows ? Number(row.kept_now) : row.kept,
          },
    rows_kept_until: has_rows ? new Date(Date.parse(changed_at) + IMPORT_ROWS_KEPT_DAYS * DAY_MS).toISOString() : null,
  }
}

const DAY_MS = 86_400_000
export const UNDO_MS = IMPORT_UNDO_HOURS * 3_600_000

function undoUntil(doneAt: string): string {
  return new Date(Date.parse(doneAt) + UNDO_MS).toISOString()
}

type RowQuery = SelectQueryBuilder<Tables, 'import_rows', object>
type RowExpression = ExpressionBuilder<Tables, 'import_rows'>

const SHOWN: Record<RowsShown, (eb: RowExpression) => ReturnType<RowExpression['and']>> = {
  all: (eb) => eb.and([]),
  ready: (eb) => eb.and({ standing: 'ready' }),
  wrong: (eb) => eb.and({ standing: 'wrong' }),
  duplicate: (eb) => eb.and({ standing: 'duplicate' }),
  known: (eb) => eb.and({ standing: 'known' }),
  submitted: (eb) => eb.and({ outcome: 'submitted' }),
  'left-out': (eb) => eb.and([eb('outcome', 'is distinct from', 'submitted')]),
  changed: (eb) => eb.and([eb('since', 'is not', null)]),
  withdrawn: (eb) => eb.and({ undo: 'withdrawn' }),
  kept: (eb) => eb.and({ undo: 'kept' }),
}

export type RowFound = Awaited<ReturnType<ReturnType<typeof selectRows>['execute']>>[number]

function selectRows(query: RowQuery) {
  return query.select([
    'number',
    'cells',
    'mended',
    'lead',
    'problems',
    'standing',
    'duplicates',
    'earlier',
    'known_as',
    'is_chosen',
    'outcome',
    'since',
    'loid',
    'undo',
    'kept_because',
  ])
}

/** Reads one row too many, which tells whether there are more. */
export function findRows(
  db: Db | Tx,
  partnerId: string,
  importId: string,
  { show, limit, offset }: { show: RowsShown; limit: number; offset: number },
): Promise<RowFound[]> {
  return selectRows(rowsOf(db, partnerId, importId))
    .where(SHOWN[show])
    .orderBy('number')
    .limit(limit + 1)
    .offset(offset)
    .execute()
}

/** All rows that were not submitted, in the order of the file. */
export function everyRowLeftOut(db: Db, partnerId: string, importId: string): RawBuilder<RowFound> {
  return sql`${selectRows(rowsOf(db, partnerId, importId))
    .where(SHOWN['left-out'])
    .orderBy('number')}`
}

export function findRow(
  db: Db | Tx,
  partnerId: string,
  importId: string,
  number: number,
): Promise<RowFound | undefined> {
  return selectRows(rowsOf(db, partnerId, importId))
    .where('number', '=', number)
    .executeTakeFirst()
}

export function rowsOf(db: Db | Tx, partnerId: string, importId: string) {
  return db.selectFrom('import_rows').where('partner_id', '=', partnerId).where('import_id', '=', importId)
}

/**
 * Removes rows of imports that nobody has changed since this time, at most `rowsMax`, and the files' names: they hold
 * applicants' data. Returns how many rows it removed.
 */
export async function removeRowsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  // First the imports, so that nobody changes one whose rows are going.
  await sql`
    update imports set has_rows = false, name = null, columns = '[]'
     where has_rows and changed_at < ${before} and state <> 'submitting' and (undo_asked_at is null or undone_at is not null)`.execute(
    db,
  )
  const { numAffectedRows } = await sql`
    delete from import_rows where (partner_id, import_id, number) in (
      select row.partner_id, row.import_id, row.number
        from imports join import_rows as row on row.partner_id = imports.partner_id and row.import_id = imports.id
       where not imports.has_rows limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Removes imports whose rows need not be remembered any longer (D83), and those that were not submitted before their
 * rows went. Returns how many.
 */
export async function removeImportsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('imports')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('imports')
        .select('id')
        .where('has_rows', '=', false)
        .where((row) => row.or([row('done_at', '<', before), row('state', '=', 'checked')]))
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

export const IMPORT_MEMORY_MS = IMPORT_MEMORY_DAYS * DAY_MS
export const IMPORT_ROWS_MS = IMPORT_ROWS_KEPT_DAYS * DAY_MS
