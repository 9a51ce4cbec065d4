import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'

/**
 * The channel on which PostgreSQL notifies every process that a partner's deliveries are due. The payload is the
 * partner's id.
 */
export const DELIVERIES_DUE = 'deliveries_due'

export interface NewDelivery {
  id: string
  partner_id: string
  endpoint: string
  event_id: string | null
  event_type: string
  loid: string | null
  request_body: string
  /** Decides the order in which a partner's deliveries begin. */
  created_at: string
}

/**
 * Inserts deliveries that are due at once, and notifies every process. An event that already has a delivery gets no
 * second delivery.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  // The rows are one value instead of thousands, because an insert of many values takes longer to build than to run.
  await sql`
    insert into webhook_logs (id, partner_id, direction, status, endpoint, event_id, event_type, loid, request_body,
                              next_attempt_at, created_at)
    select id, partner_id, 'outbound', 'pending', endpoint, event_id, event_type, loid, request_body, created_at, created_at
      from json_to_recordset(${JSON.stringify(deliveries)}) as delivery (
        id uuid, partner_id uuid, endpoint text, event_id uuid, event_type text, loid text, request_body text,
        created_at timestamptz
      )
    on conflict do nothing
  `.execute(tx)
  await notifyDue(tx, new Set(deliveries.map((delivery) => delivery.partner_id)))
}

/** Tells the processes that these partners have deliveries that are due. */
export async function notifyDue(tx: Tx, partnerIds: Iterable<string>): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_DUE}, partner_id) from unnest(${[...partnerIds]}::text[]) as partner_id`.execute(
    tx,
  )
}

export interface Lane {
  partner_id: string
  /** When the partner's first delivery is due, or was due if it is under way. */
  due_at: string
  /** True if every attempt since `failing_since` has failed. */
  is_failing: boolean
}

/**
 * Every partner with deliveries that have not ended, except suspended partners, whose deliveries wait (D116). The query reads one row for each partner, however many deliveries
 * the partner has.
 */
export async function findLanesOfAllPartners(db: Db): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lane as (
      (select partner_id, next_attempt_at from webhook_logs
        where next_attempt_at is not null order by partner_id, next_attempt_at limit 1)
      union all
      select next.partner_id, next.next_attempt_at
        from lane,
             lateral (select partner_id, next_attempt_at from webhook_logs
                       where next_attempt_at is not null and partner_id > lane.partner_id
                       order by partner_id, next_attempt_at limit 1) next
    )
    select lane.partner_id, lane.next_attempt_at as due_at, endpoint.failing_since is not null as is_failing
      from lane join partners on partners.id = lane.partner_id and partners.access <> 'suspended'
      left join webhook_endpoints endpoint on endpoint.partner_id = lane.partner_id
  `.execute(db)
  return rows
}

export interface ClaimedDelivery {
  id: string
  partner_id: string
  body: string
  attempts: number
  attempts_before: number
  /** The current URL, or null if the partner no longer has an endpoint. */
  url: string | null
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
  failing_since: string | null
  disabled_reason: 'gone' | 'failing' | null
  is_active: boolean
}

/**
 * Claims up to `count` due deliveries of each partner for this process, the earliest due first. The claim lasts until
 * `until`. Deliveries that another process has claimed are skipped, and so are those of suspended partners.
 */
export async function claimDeliveriesOfPartners(
  db: Db,
  wanted: readonly { partnerId: string; count: number }[],
  { now, until }: { now: string; until: string },
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as materialized (
      select delivery.id
        from unnest(${wanted.map((lane) => lane.partnerId)}::uuid[], ${wanted.map((lane) => lane.count)}::int[])
               as lane (partner_id, count)
        join partners on partners.id = lane.partner_id and partners.access <> 'suspended',
             lateral (select id from webhook_logs
                       where partner_id = lane.partner_id and next_attempt_at <= ${now}
                         and (claimed_until is null or claimed_until <= ${now})
                       order by next_attempt_at, id
                       limit lane.count
                         for update skip locked) delivery
    ), claimed as (
      update webhook_logs set claimed_until = ${until} from due where webhook_logs.id = due.id
      returning webhook_logs.id, webhook_logs.partner_id, request_body, attempts, attempts_before, next_attempt_at
    )
    select claimed.id, claimed.partner_id, request_body as body, attempts, attempts_before,
           url, secret, previous_secret, previous_secret_until, failing_since, disabled_reason, is_active
      from claimed
      join partners on partners.id = claimed.partner_id
      left join webhook_endpoints endpoint on endpoint.partner_id = claimed.partner_id
     order by next_attempt_at, claimed.id
  `.execute(db)
  return rows
}

/** Ends the claims of deliveries whose attempts did not finish, so that these deliveries are due again at once. */
export async function handBackDeliveries(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('webhook_logs').set({ claimed_until: null }).where('id', 'in', ids).execute()
}

export interface AttemptOutcome {
  id: string
  partner_id: string
  /** The number of the attempt, from 1. */
  number: number
  /** The delivery's status after the attempt. 'pending' means that another attempt follows. */
  status: 'success' | 'failed' | 'error' | 'pending'
  endpoint: string
  response_status: number | null
  error_message: string | null
  response_body: string | null
  next_attempt_at: string | null
  started_at: string
  duration_ms: number
}

/**
 * Writes each attempt, the status of its delivery and the health of its endpoint, in one statement. If this process's
 * claim ran out and another process has since recorded an attempt with the same number, this process's attempt is not
 * recorded. A delivery that was ended during the attempt keeps its status and message, unless the attempt succeeded. A
 * delivery that a person sent again during the attempt is due again at once, unless the attempt succeeded. A delivery
 * whose bodies were erased during the attempt gets no body.
 */
export async function recordAttemptsOfPartners(db: Db | Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const isOpen: RawBuilder<boolean> = sql`(log.status = 'pending' or outcome.status = 'success')`
  const isSentAgain: RawBuilder<boolean> = sql`(outcome.status <> 'success' and log.next_attempt_at > outcome.started_at)`
  await sql`
    with outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(outcomes)}) as outcome (
        id uuid, partner_id uuid, number int, status text, endpoint text, response_status int, error_message text,
        response_body text, next_attempt_at timestamptz, started_at timestamptz, duration_ms int
      )
    ), recorded as (
      update webhook_logs log
         set attempts = outcome.number,
             claimed_until = null,
             endpoint = outcome.endpoint,
             response_status = outcome.response_status,
             response_body = case when log.request_body is not null then outcome.response_body end,
             status = case when ${isOpen} and not ${isSentAgain} then outcome.status else log.status end,
             error_message = case when ${isOpen} then outcome.error_message else log.error_message end,
             next_attempt_at = case when ${isSentAgain} then log.next_attempt_at when ${isOpen} then outcome.next_attempt_at end
        from outcome
       where log.id = outcome.id and log.attempts = outcome.number - 1
      returning log.id
    ), attempted as (
      insert into webhook_attempts (log_id, number, started_at, duration_ms, response_status, error_message)
      select id, number, started_at, duration_ms, response_status, error_message from outcome join recorded using (id)
    ), health as (
      select partner_id, endpoint as url, bool_or(status = 'success') as is_well, min(started_at) as since
        from outcome
       group by partner_id, endpoint
    )
    update webhook_endpoints endpoint
       set failing_since = case when not is_well then since end
      from health
     where endpoint.partner_id = health.partner_id and endpoint.url = health.url
       and (endpoint.failing_since is not null) = is_well
  `.execute(db)
}

/**
 * Ends the partner's waiting deliveries. Their status is 'failed' if the endpoint answered the last attempt, otherwise
 * 'error'.
 */
export async function endPendingDeliveries(tx: Tx, partnerId: string, why: string): Promise<void> {
  await tx
    .updateTable('webhook_logs')
    .set(ended(why))
    .where('partner_id', '=', partnerId)
    .where('next_attempt_at', 'is not', null)
    .execute()
}

/** Ends a delivery that this process has claimed. The status is chosen as in `endPendingDeliveries`. */
export async function endDelivery(db: Db, partnerId: string, id: string, why: string): Promise<void> {
  await db
    .updateTable('webhook_logs')
    .set(ended(why))
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .execute()
}

function ended(why: string) {
  return {
    status: sql<'failed' | 'error'>`case when response_status is null then 'error' else 'failed' end`,
    error_message: why,
    next_attempt_at: null,
    claimed_until: null,
  }
}

/**
 * Makes the delivery due at once. An ended delivery starts its retry schedule again. Returns undefined if the partner
 * has no delivery with this id.
 */
export async function reviveDelivery(
  tx: Tx,
  partnerId: string,
  id: string,
  now: string,
): Promise<{ id: string } | undefined> {
  const revived = await tx
    .updateTable('webhook_logs')
    .set((eb) => ({
      status: 'pending',
      next_attempt_at: now,
      attempts_before: sql<number>`case when ${eb.ref('status')} = 'pending' then attempts_before else attempts end`,
    }))
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .where('direction', '=', 'outbound')
    .returning('id')
    .executeTakeFirst()
  if (revived) await notifyDue(tx, [partnerId])
  return revived
}
