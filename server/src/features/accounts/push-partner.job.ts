import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { CrmPartnerGone } from '../../zoho/errors.ts'
import { findPartner, markPartnerPushed, markPartnerPushFailed } from './accounts.queries.ts'
import { givingUpWhenRefused } from './refused.ts'

/** How everything that waits for the CRM is retried (D23). */
export const PUSH_RETRY = { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 7 }

export const pushPartner = defineJob({
  name: 'push-partner',
  payload: z.object({ partnerId: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId }, signal) {
    await pushPartnerNow(deps, partnerId, { signal })
  },
  giveUp: ({ db }, { partnerId }) => markPartnerPushFailed(db, partnerId),
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
      const partner = await findPartner(connection, partnerId)
      if (!partner) return undefined
      const isOther = useless !== undefined && partner.zoho_id !== useless
      if (isOther && partner.zoho_id !== null) return partner.zoho_id
      const zohoId = await crm.upsertPartner(partner, signal)
      await markPartnerPushed(connection, partnerId, zohoId, partner.modified_time)
      return zohoId
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection)
    }
  })
}

/**
 * Pushes what names its partner in the CRM by an id. A partner who is not there yet gets a record first, and one whose
 * record was deleted gets another. Undefined when the partner is gone.
 */
export async function pushForPartner<Result>(
  deps: Pick<Deps, 'db' | 'crm'>,
  partnerId: string,
  push: (partnerZohoId: string) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  const partner = await findPartner(deps.db, partnerId)
  const zohoId = partner?.zoho_id ?? (await recordInsteadOf(null))
  if (zohoId === undefined) return undefined
  const pushed = push(zohoId).catch(async (error: unknown) => {
    if (!(error instanceof CrmPartnerGone)) throw error
    const other = await recordInsteadOf(zohoId)
    return other === undefined ? undefined : push(other)
  })
  return givingUpWhenRefused(pushed)

  function recordInsteadOf(useless: string | null) {
    return givingUpWhenRefused(pushPartnerNow(deps, partnerId, { signal, useless }))
  }
}
