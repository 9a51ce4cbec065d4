import { CompiledQuery, Transaction } from 'kysely'
import type pg from 'pg'
import type { Tx } from './database.ts'
import { sendNamed } from './send-named.ts'

/** A statement that writes, and whose result nobody reads. */
export type Write = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Sends the writes as one statement, which is a transaction of its own unless it is sent in one. They all see the tables
 * as they were before. Only the last may itself begin with `with`.
 */
export async function writeTogether(to: pg.Pool | Tx, writes: readonly Write[]): Promise<void> {
  const statement = together(writes)
  if (to instanceof Transaction) await to.executeQuery(CompiledQuery.raw(statement.sql, [...statement.parameters]))
  else await sendNamed(to, statement)
}

function together(writes: readonly Write[]): Write {
  const parameters: unknown[] = []
  const texts = writes.map((write) => {
    const from = parameters.length
    parameters.push(...write.parameters)
    return write.sql.replace(/\$(\d+)/g, (_, place) => `$${from + Number(place)}`)
  })
  const last = texts.pop() ?? ''
  const others = texts.map((text, i) => `write_${i} as (${text})`).join(', ')
  if (others === '') return { sql: last, parameters }
  const [, after] = /^\s*with\s([^]*)$/i.exec(last) ?? []
  return { sql: after === undefined ? `with ${others} ${last}` : `with ${others}, ${after}`, parameters }
}
