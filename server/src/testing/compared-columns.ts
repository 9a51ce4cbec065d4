import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

/** The columns whose change fires this trigger. */
export async function comparedColumns(db: Db, trigger: string): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_triggerdef(oid) as definition from pg_trigger where tgname = ${trigger}`.execute(db)
  return Array.from((rows[0]?.definition ?? '').matchAll(/\bold\.(\w+)/g), ([, column = '']) => column)
}
