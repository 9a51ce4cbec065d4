import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { notifyDue } from './deliveries.queries.ts'

export interface EndpointInTrouble {
  partner_id: string
  business_name: string
  url: string
  failing_since: string | null
  disabled_at: string | null
  /** Deliveries that wait for their next attempt. */
  waiting: number
  /** What the last failed attempt met. */
  problem: string | null
}

/** Finds the endpoints that are failing or disabled, the longest in trouble first. */
export async function findEndpointsInTroubleOfAllPartners(db: Db, limit: number): Promise<EndpointInTrouble[]> {
  const { rows } = await sql<EndpointInTrouble>`
    select partner_id, partners.business_name, url, failing_since, disabled_at, logs.waiting, last.problem
      from webhook_endpoints
      join partners on partners.id = partner_id
     cross join lateral (
       select count(*)::integer as waiting from webhook_logs
        where partner_id = webhook_endpoints.partner_id and next_attempt_at is not null) as logs
      left join lateral (
       select attempts.error_message as problem
         from webhook_logs join webhook_attempts as attempts on log_id = webhook_logs.id
        where partner_id = webhook_endpoints.partner_id and status <> 'success' and direction = 'outbound'
        order by webhook_logs.created_at desc, number desc limit 1) as last on true
     where failing_since is not null or disabled_at is not null
     order by coalesce(failing_since, disabled_at) limit ${limit}`.execute(db)
  return rows
}

/**
 * Enables the partner's endpoint if it was disabled, and makes its waiting deliveries due now. Returns how many wait;
 * undefined if there is no endpoint.
 */
export async function tryEndpointAgain(tx: Tx, partnerId: string, at: string): Promise<number | undefined> {
  const { rows: enabled } = await sql`
    update webhook_endpoints set disabled_at = null, disabled_reason = null,
           failing_since = case when disabled_at is null then failing_since end, updated_at = ${at}
     where partner_id = ${partnerId} returning partner_id`.execute(tx)
  if (enabled.length === 0) return undefined
  const { numAffectedRows } = await sql`
    update webhook_logs set next_attempt_at = ${at}
     where partner_id = ${partnerId} and next_attempt_at is not null`.execute(tx)
  await notifyDue(tx, [partnerId])
  return Number(numAffectedRows ?? 0)
}
