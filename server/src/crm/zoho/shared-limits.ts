import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/database.ts'

/** The organisation's limits on calls, which all processes of the portal share (D57). */
export interface SharedLimits {
  /** Await this before a call. Asks the database at most every few seconds. */
  refresh(): Promise<void>
  /** How many calls this process may have in flight. */
  callsAtOnceMax(): number
  /**
   * Whether less than a tenth of the day's credits is left. If so, the portal reads no records, histories or notes,
   * except for a push.
   */
  isShort(): boolean
  /** Counts a call that is sent, its price, and the partner that it serves. */
  add(credits: number, partnerId?: string): void
  /** See `Crm.partnersOverShare`. */
  partnersOverShare(): ReadonlyMap<string, number>
  /** Records the remaining credits that Zoho's answer named. Pass null if it named no number. */
  told(creditsLeft: number | null): void
  /** HTTP calls of this process since its start, including refused calls. */
  callsOfThisProcess(): number
  usage(): Promise<CrmUsage>
  /** Saves the counts that have not been saved yet, and frees this process's share of the calls for the others. */
  close(): Promise<void>
}

/** The calls and credits of all processes in the last 24 hours, the period of Zoho's limit. */
export interface CrmUsage {
  calls: number
  /** The credits that the portal has counted by Zoho's price list. */
  credits: number
  creditsPerDay: number
  /**
   * The remaining credits according to Zoho. Null until half of the day's credits are used, because until then Zoho
   * names no number. Also null if Zoho's last number is old.
   */
  creditsLeft: number | null
}

interface Shared extends Omit<CrmUsage, 'creditsPerDay'> {
  callers: number
}

const CALLS_AT_ONCE_MAX = 10
const REFRESH_EVERY_MS = 5_000
/** A process that makes no calls for this time leaves its share to the other processes. */
const CALLER_SECONDS = 15
/** Zoho's number of remaining credits is ignored when it is older than this, so that calls resume and bring a new one. */
const TOLD_MINUTES = 10
const HOUR_MS = 3_600_000
/** The part of a day's credits that one partner may use while others wait (D122). */
const SHARE_MAX = 0.2

/**
 * Counts calls in memory. While calls are made, each process adds its counts to the database every few seconds and
 * reads the counts of all processes. A killed process loses only the counts of its last few seconds. Processes that
 * begin to call in the same few seconds may together exceed the limit of ten calls until the next exchange. Zoho then
 * answers 429, and the call is tried again. With more than ten processes, each process may still have one call in
 * flight.
 */
export function openSharedLimits(options: { creditsPerDay: number; db: Db; clock: Clock; log: Logger }): SharedLimits {
  const { creditsPerDay, db, clock, log } = options
  const caller = randomUUID()
  let calls = 0
  let unwritten = { calls: 0, credits: 0, ofPartners: new Map<string, number>() }
  let overShare: ReadonlyMap<string, number> = new Map()
  /** Undefined while there is nothing to write. */
  let unwrittenTold: number | null | undefined
  let shared: Shared = { callers: 1, calls: 0, credits: 0, creditsLeft: null }
  let exchangedAtMs = Number.NEGATIVE_INFINITY
  let exchanging: Promise<void> | undefined

  async function exchange(): Promise<void> {
    exchangedAtMs = performance.now()
    const written = unwritten
    const told = unwrittenTold
    unwritten = { calls: 0, credits: 0, ofPartners: new Map() }
    unwrittenTold = undefined
    try {
      const now = clock.now().getTime()
      await sql`
        with caller as (
          insert into crm_callers (id, seen_at) values (${caller}, now())
              on conflict (id) do update set seen_at = excluded.seen_at
        ), told as (
          insert into crm_credits_left (credits, told_at) select ${told ?? 0}::integer, now() where ${told ?? null}::integer is not null
              on conflict (connection) do update set credits = excluded.credits, told_at = excluded.told_at
        ), of_partners as (
          insert into crm_partner_credits (hour, partner_id, credits)
          select ${hourOf(now)}, partner_id, credits
            from unnest(${[...written.ofPartners.keys()]}::uuid[], ${[...written.ofPartners.values()]}::integer[]) as used (partner_id, credits)
           order by partner_id
              on conflict (hour, partner_id) do update set credits = crm_partner_credits.credits + excluded.credits
        ), silent as (
          delete from crm_credits_left where ${told === null}
        )
        insert into crm_calls (hour, calls, credits)
             values (${hourOf(now)}, ${written.calls}, ${written.credits})
        on conflict (hour) do update
                set calls = crm_calls.calls + excluded.calls, credits = crm_calls.credits + excluded.credits`.execute(
        db,
      )
      const { rows } = await sql<Shared>`
        select (select count(*) from crm_callers where seen_at > now() - make_interval(secs => ${CALLER_SECONDS}))::integer as callers,
               coalesce(sum(calls), 0)::integer as calls,
               coalesce(sum(credits), 0)::integer as credits,
               (select credits from crm_credits_left where told_at > now() - make_interval(mins => ${TOLD_MINUTES})) as "creditsLeft"
          from crm_calls
         where hour > ${instant(now - 24 * HOUR_MS)}`.execute(db)
      shared = rows[0] ?? shared
      tellOverShare(await findOverShare(db, creditsPerDay, instant(now - 24 * HOUR_MS)))
    } catch (error) {
      // The next exchange saves these counts too. If a later answer has set `unwrittenTold`, even to null, that value
      // stays.
      for (const [partnerId, credits] of written.ofPartners) count(partnerId, credits)
      unwritten = {
        ...unwritten,
        calls: unwritten.calls + written.calls,
        credits: unwritten.credits + written.credits,
      }
      if (unwrittenTold === undefined) unwrittenTold = told
      log.warn({ err: error }, 'the counts of CRM calls could not be shared with other processes')
    }
  }

  function count(partnerId: string, credits: number): void {
    unwritten.ofPartners.set(partnerId, (unwritten.ofPartners.get(partnerId) ?? 0) + credits)
  }

  function tellOverShare(found: ReadonlyMap<string, number>): void {
    for (const [partnerId, credits] of found) {
      if (overShare.has(partnerId)) continue
      log.warn({ partnerId, credits, creditsPerDay }, 'a partner has used more than a fifth of the day’s CRM credits')
    }
    overShare = found
  }

  function exchangeOnce(): Promise<void> {
    exchanging ??= exchange().finally(() => {
      exchanging = undefined
    })
    return exchanging
  }

  async function refresh(): Promise<void> {
    if (performance.now() - exchangedAtMs > REFRESH_EVERY_MS) await exchangeOnce()
  }

  return {
    refresh,
    callsAtOnceMax: () => Math.max(1, Math.floor(CALLS_AT_ONCE_MAX / shared.callers)),
    isShort: () => (shared.creditsLeft ?? creditsPerDay - shared.credits) < creditsPerDay / 10,
    partnersOverShare: () => overShare,
    add(credits, partnerId) {
      calls++
      unwritten = { ...unwritten, calls: unwritten.calls + 1, credits: unwritten.credits + credits }
      if (partnerId !== undefined) count(partnerId, credits)
    },
    told(creditsLeft) {
      unwrittenTold = creditsLeft
    },
    callsOfThisProcess: () => calls,
    async usage() {
      await exchangeOnce()
      const { calls: ofAll, credits, creditsLeft } = shared
      return { calls: ofAll, credits, creditsPerDay, creditsLeft }
    },
    close: async () => {
      await exchanging
      if (unwritten.calls > 0) await exchangeOnce()
      await db.deleteFrom('crm_callers').where('id', '=', caller).execute()
    },
  }
}

function hourOf(ms: number): string {
  return instant(Math.floor(ms / HOUR_MS) * HOUR_MS)
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}

/** The partners whose calls cost more than their share since this time, the greatest use first. */
async function findOverShare(db: Db, creditsPerDay: number, since: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ partner_id: string; credits: number }>`
    select partner_id, sum(credits)::integer as credits from crm_partner_credits where hour > ${since}
     group by partner_id having sum(credits) > ${SHARE_MAX * creditsPerDay} order by 2 desc`.execute(db)
  return new Map(rows.map(({ partner_id, credits }) => [partner_id, credits]))
}

/** Removes the counts of old hours, and the rows of processes that ended. Returns how many hours it removed. */
export async function removeUsage(db: Db, before: string): Promise<number> {
  await db.deleteFrom('crm_callers').where('seen_at', '<', before).execute()
  await db.deleteFrom('crm_partner_credits').where('hour', '<', before).execute()
  const removal = await db.deleteFrom('crm_calls').where('hour', '<', before).executeTakeFirst()
  return Number(removal.numDeletedRows)
}

/** How many calls of the last 24 hours have read histories again whose records changed in another field (D126). */
export async function findLater(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ later: number }>`
    select coalesce(sum(later), 0)::integer as later from crm_calls where hour > ${instant(now.getTime() - 24 * HOUR_MS)}`.execute(
    db,
  )
  return rows[0]?.later ?? 0
}

export async function countLater(db: Db, now: Date, later: number): Promise<void> {
  await sql`
    insert into crm_calls (hour, calls, credits, later) values (${hourOf(now.getTime())}, 0, 0, ${later})
    on conflict (hour) do update set later = crm_calls.later + excluded.later`.execute(db)
}
