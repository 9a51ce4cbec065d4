import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Deps } from '../deps.ts'
import { defineJob } from '../jobs/define-job.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { findPartnerToPush, markPartnerPushed, markPartnerPushFailed } from './partners-in-crm.queries.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'

export const pushPartner = defineJob({
  name: 'push-partner',
  payload: z.object({ partnerId: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId }, signal) {
    await givingUpWhenRefused(pushPartnerNow(deps, partnerId, { signal }), (problem) =>
      markPartnerPushFailed(deps.db, partnerId, problem),
    )
  },
  giveUp: ({ db }, { partnerId }) => markPartnerPushFailed(db, partnerId, NOT_REACHED),
})

/**
 * The partner's CRM id, after its record there was made or brought up to date; undefined when the partner is gone. A
 * caller whom the id that it knew of does not help says which (null for none), and gets another if there is one by now.
 *
 * One push of a partner at a time, in all processes: two at once would find no record in the CRM and make two. The
 * lock is the connection's, not a transaction's, because the CRM is called under it; it ends with a process that dies.
 */
export async function pushPartnerNow(
  { db, crm }: Pick<Deps, 'db' | 'crm'>,
  partnerId: string,
  { signal, useless }: { signal?: AbortSignal | undefined; useless?: string | null },
): Promise<string | undefined> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(${partnerId}, 2)`
    await sql`select pg_advisory_lock(${lock})`.execute(connection)
    try {
      const partner = await findPartnerToPush(connection, partnerId)
      if (!partner) return undefined
      const isOther = useless !== undefined && partner.zoho_id !== useless
      if (isOther && partner.zoho_id !== null) return partner.zoho_id
      const pushed = await crm.upsertPartner(partner, signal)
      await markPartnerPushed(connection, partnerId, pushed, partner.modified_time)
      return pushed.zoho_id
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection)
    }
  })
}
