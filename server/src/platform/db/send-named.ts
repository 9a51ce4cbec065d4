import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'
import type { Reads } from './hot-reads.ts'
import { recordingStatement } from './record-statement.ts'

/** A sender of named statements. Kysely compiles a statement, and the pool sends it by name. */
export interface Sender {
  db: Db
  pool: pg.Pool
}

/** The maximum number of names. PostgreSQL keeps a plan for each name in every connection. */
const NAMES_MAX = 200
const names = new Map<string, string>()

/**
 * Sends a statement under its own name, so that PostgreSQL can keep its plan in each connection. Planning takes as long
 * as running the statement. `connections` is a pool or, for the quick statements of every visit, the hot reads. Use
 * this only for statements with few different texts; the number of different values does not matter.
 */
export async function sendNamed<Row>(
  connections: Reads,
  statement: CompiledQuery<Row> | Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<Row[]> {
  return send(connections, statement, nameOf(statement.sql))
}

/**
 * Sends a statement that PostgreSQL plans for its values. A statement whose values decide which index is best, such as
 * a list with filters, must not have a name: after five times it is planned for any values, and then reads on and on for
 * a status that few have.
 */
export function sendForValues<Row>(connections: Reads, statement: CompiledQuery<Row>): Promise<Row[]> {
  return send(connections, statement, undefined)
}

async function send<Row>(
  connections: Reads,
  { sql: text, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
  name: string | undefined,
): Promise<Row[]> {
  const statement = { name, text, values: [...parameters], rowMode: 'array' as const }
  const { rows, fields } = await recordingStatement(text, () => connections.query(statement))
  const toRow = rowMaker(fields.map((field) => field.name))
  return rows.map((values) => toRow(values))
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size === NAMES_MAX) return known
  const name = `statement-${names.size}`
  names.set(text, name)
  return name
}

const rowMakers = new Map<string, Function>()

/**
 * Compiles a function such as `values => ({ id: values[0], … })`. The function takes a seventh of the time that the
 * driver takes to set one property after another.
 */
function rowMaker(columns: string[]): Function {
  const key = columns.join()
  const known = rowMakers.get(key)
  if (known) return known
  const properties = columns.map((column, i) => `${JSON.stringify(column)}: values[${i}]`)
  // oxlint-disable-next-line typescript/no-implied-eval -- the column names come from the portal's own statements
  const maker = new Function('values', `return { ${properties.join(', ')} }`)
  rowMakers.set(key, maker)
  return maker
}
