import type { Db } from '../platform/db/database.ts'
import { newId } from '../platform/db/ids.ts'

/** Adds what the lender asks about this lead, as if its task had been read from the CRM. Returns the request's id. */
export async function insertRequest(db: Db, loid: string): Promise<string> {
  const id = newId()
  const digits = BigInt(`0x${id.replaceAll('-', '')}`)
    .toString()
    .slice(-18)
  const { zoho_id } = await db
    .updateTable('leads')
    .set((eb) => ({ zoho_id: eb.fn.coalesce('zoho_id', eb.val(digits)) }))
    .where('loid', '=', loid)
    .returning('zoho_id')
    .executeTakeFirstOrThrow()
  const now = new Date().toISOString()
  const task = {
    zoho_id: digits,
    record_zoho_id: zoho_id ?? digits,
    subject: 'Bank statements',
    is_named: true,
    reason: null,
    due_on: null,
  }
  const times = { asked_at: now, crm_modified_time: now, answered_at: null, answered_before: null }
  await db
    .insertInto('requests')
    .values({ id, ...task, ...times, status: 'Not Started', state: 'asked' })
    .execute()
  return id
}
