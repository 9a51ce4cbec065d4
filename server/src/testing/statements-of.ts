import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../platform/db/tables.ts'

export interface Statement {
  text: string
  values: unknown[]
}

/** A source of reads, which sends all statements over one pool. */
export interface Recorder {
  pool: pg.Pool
  reads: pg.Pool
  db: Kysely<Tables>
}

/** Runs the product's own query and returns the statements that it sent. */
export async function statementsOf(pool: pg.Pool, run: (recorder: Recorder) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const recording = new pg.Pool({ ...pool.options, max: 1 })
  recording.on('connect', (client) => keep(client, statements))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: recording }) })
  await run({ pool: recording, reads: recording, db })
  await recording.end()
  return statements
}

function keep(client: pg.PoolClient, statements: Statement[]): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const recordingQuery = (...args: unknown[]) => {
    const [first, second] = args
    const statement = typeof first === 'string' ? { text: first, values: second } : (first as Statement)
    statements.push({ text: statement.text, values: Array.isArray(statement.values) ? statement.values : [] })
    return query(...args)
  }
  client.query = recordingQuery as typeof client.query
}
