import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import type { Hearer } from '../../platform/db/listen.ts'
import { EVENTS_TO_DELIVER } from '../../records/events/events.ts'
import { ATTEMPT_MS_MAX, attemptDelivery } from './attempt-delivery.ts'
import {
  type ClaimedDelivery,
  claimDeliveriesOfPartners,
  DELIVERIES_DUE,
  endDelivery,
  findLanesOfAllPartners,
  handBackDeliveries,
} from './deliveries.queries.ts'
import { openDeliveryLanes } from './delivery-lanes.ts'
import { NOT_SENT, reasonToDisable } from './disable-endpoint.ts'
import { fanOutEvents } from './fan-out-events.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { openAttemptRecorder } from './record-attempts.ts'

/**
 * A claim lasts this long, which is longer than an attempt. When the claims of a killed process end, its deliveries are
 * due again.
 */
const CLAIM_MS = ATTEMPT_MS_MAX + 10_000
/**
 * The dispatcher looks for work at least this often, even without a notification, to find deliveries that killed
 * processes or broken connections left behind.
 */
const LOOK_EVERY_MS = 5_000
/** The dispatcher's timer is never shorter than this, however many retries are due one after another. */
const LOOK_MS_MIN = 250
const AGAIN_AFTER_ERROR_MS = 1_000

export interface Dispatcher extends Hearer {
  /**
   * Waits at most `timeoutMs` for attempts under way. Deliveries whose attempts are still unfinished are handed back,
   * and another process or the restarted portal sends them again (D4).
   */
  stop(timeoutMs: number): Promise<void>
}

/**
 * Turns events into deliveries, and attempts the deliveries that are due (D35). Each process that runs jobs has one
 * dispatcher. The dispatchers share the work by claiming deliveries in the database. A dispatcher sleeps until
 * PostgreSQL notifies it or the next attempt is due, for at most `LOOK_EVERY_MS`.
 */
export function startDispatcher(deps: Pick<Deps, 'db' | 'secrets' | 'clock' | 'config' | 'spans' | 'log'>): Dispatcher {
  const { db, clock, log } = deps
  const lanes = openDeliveryLanes()
  const aborting = new AbortController()
  const record = openAttemptRecorder(deps, aborting.signal)
  const underWay = new Set<Promise<void>>()
  const unfinished: string[] = []
  let isStopping = false
  let looking: NodeJS.Timeout | undefined
  let lookAtMs = Number.POSITIVE_INFINITY

  const fanOut = oneAtATime(async () => {
    let isMore = true
    while (isMore && !isStopping) isMore = await fanOutEvents(deps)
  }, handleError)

  const look = oneAtATime(async () => {
    lookIn(LOOK_EVERY_MS)
    const nowMs = clock.now().getTime()
    for (const lane of await findLanesOfAllPartners(db)) {
      if (lane.is_failing) lanes.learnFailing(lane.partner_id)
      const dueInMs = Date.parse(lane.due_at) - nowMs
      if (dueInMs <= 0) lanes.markReady(lane.partner_id)
      else lookIn(dueInMs)
    }
    claim.ask()
  }, handleError)

  const claim = oneAtATime(async () => {
    const wanted = isStopping ? [] : lanes.take()
    if (wanted.length === 0) return
    const now = clock.now()
    const until = new Date(now.getTime() + CLAIM_MS)
    const claimed = await claimDeliveriesOfPartners(db, wanted, { now: now.toISOString(), until: until.toISOString() })
    for (const delivery of claimed) begin(delivery)
    for (const { partnerId, count } of wanted) {
      if (claimed.filter((delivery) => delivery.partner_id === partnerId).length < count) continue
      lanes.markReady(partnerId)
      claim.ask()
    }
  }, handleError)

  function begin(delivery: ClaimedDelivery): void {
    const delivering = deliver(delivery).catch((error: unknown) => {
      unfinished.push(delivery.id)
      log.error({ err: error, delivery: delivery.id }, 'a delivery will be attempted again')
    })
    underWay.add(delivering)
    void delivering.then(() => underWay.delete(delivering))
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { id, partner_id, url } = delivery
    if (url === null) return endDelivery(db, partner_id, id, NOT_SENT.removed)
    if (!delivery.is_active) return endDelivery(db, partner_id, id, NOT_SENT.inactive)
    if (delivery.disabled_reason) return endDelivery(db, partner_id, id, NOT_SENT[delivery.disabled_reason])

    const place = lanes.begin(partner_id, new URL(url).host, claim.ask)
    const outcome = await attemptDelivery(deps, { ...delivery, url }, aborting.signal)
    place.end(outcome?.status === 'success')
    claim.ask()
    if (!outcome) {
      unfinished.push(id)
      return
    }
    log.debug({ delivery: id, attempt: outcome.number, answered: outcome.response_status }, 'delivery attempted')
    await record(outcome, reasonToDisable(delivery, outcome))
    if (outcome.next_attempt_at) lookIn(Date.parse(outcome.next_attempt_at) - clock.now().getTime())
  }

  function lookIn(wantedMs: number): void {
    const ms = Math.max(wantedMs, LOOK_MS_MIN)
    const atMs = performance.now() + ms
    if (isStopping || atMs >= lookAtMs) return
    clearTimeout(looking)
    lookAtMs = atMs
    looking = setTimeout(lookNow, ms)
  }

  function lookNow(): void {
    lookAtMs = Number.POSITIVE_INFINITY
    fanOut.ask()
    look.ask()
  }

  function handleError(error: unknown): void {
    log.warn({ err: error }, 'the webhook dispatcher failed and will try again')
    lookIn(AGAIN_AFTER_ERROR_MS)
  }

  return {
    channels: {
      [EVENTS_TO_DELIVER]: () => fanOut.ask(),
      [DELIVERIES_DUE]: (partnerId) => {
        lanes.markReady(partnerId)
        claim.ask()
      },
    },
    onConnect: lookNow,
    async stop(timeoutMs) {
      isStopping = true
      clearTimeout(looking)
      await Promise.all([fanOut.idle(), look.idle(), claim.idle()])
      await Promise.race([Promise.all(underWay), sleep(timeoutMs, undefined, { ref: false })])
      aborting.abort()
      await Promise.all(underWay)
      await handBackDeliveries(db, unfinished).catch(handleError)
    },
  }
}
