/**
 * How many quick slots and how many slow slots a process has. An attempt uses a slow slot if it is slow or is expected
 * to be. An attempt that becomes slow moves to a slow slot even if all slow slots are taken.
 */
const QUICK_MAX = 100
const SLOW_MAX = 200
/**
 * An endpoint gets this many attempts at once after a success. It gets one attempt at a time after a failure or before
 * its first answer.
 */
const PER_ENDPOINT_MAX = 4
/** An attempt that has waited this long for its answer is slow. */
const SLOW_AFTER_MS = 1_000

interface Lane {
  inFlight: number
  mostAtOnce: number
  /** The host of the last attempt. Partners that use the same service have the same host. */
  host?: string
  /** True if the next attempt is expected to be slow, because an earlier attempt was slow or failed. */
  isSlow: boolean
}

export interface DeliveryLanes {
  /** Marks the partner as ready, because one of its deliveries may be due. */
  markReady(partnerId: string): void
  /** Marks the endpoint as failing. The failed attempts may have been made by another process. */
  learnFailing(partnerId: string): void
  /**
   * Returns the ready partners whose deliveries can begin now, in the order of their turns, and how many deliveries of
   * each can begin. The returned partners are then no longer ready.
   */
  take(): { partnerId: string; count: number }[]
  /**
   * Begins an attempt. `onSlow` is called if the attempt moves from a quick slot to a slow slot. The caller calls `end`
   * on the result when the attempt has ended.
   */
  begin(partnerId: string, host: string, onSlow: () => void): { end(isSuccess: boolean): void }
}

/**
 * Decides which partners' deliveries can begin and how many at once, so that hanging endpoints do not delay deliveries
 * to other endpoints. An attempt uses a quick slot for a second at most, and then waits for its answer in a slow slot.
 * Attempts to endpoints that are known to be slow or failing begin in a slow slot. An attempt also begins in a slow
 * slot if its host now has more slow attempts than a single endpoint can have. Partners take turns for each kind of
 * slot.
 */
export function openDeliveryLanes(): DeliveryLanes {
  // There are never more lanes than partners.
  const lanes = new Map<string, Lane>()
  // The ready partners, in the order of their turns.
  const ready = new Set<string>()
  const inFlight = { quick: 0, slow: 0 }
  // How many attempts in flight are slow, by host.
  const slowAt = new Map<string, number>()

  function laneOf(partnerId: string): Lane {
    const lane = lanes.get(partnerId) ?? { inFlight: 0, mostAtOnce: 1, isSlow: false }
    lanes.set(partnerId, lane)
    return lane
  }

  function kindOf({ isSlow, host = '' }: Lane): 'quick' | 'slow' {
    return isSlow || (slowAt.get(host) ?? 0) > PER_ENDPOINT_MAX ? 'slow' : 'quick'
  }

  function countSlow(host: string, change: number): void {
    const count = (slowAt.get(host) ?? 0) + change
    if (count === 0) slowAt.delete(host)
    else slowAt.set(host, count)
  }

  return {
    markReady(partnerId) {
      ready.add(partnerId)
    },
    learnFailing(partnerId) {
      const lane = laneOf(partnerId)
      lane.isSlow = true
      lane.mostAtOnce = 1
    },
    take() {
      const free = { quick: QUICK_MAX - inFlight.quick, slow: SLOW_MAX - inFlight.slow }
      const taken = [...ready].flatMap((partnerId) => {
        const lane = laneOf(partnerId)
        const kind = kindOf(lane)
        const count = Math.min(lane.mostAtOnce - lane.inFlight, free[kind])
        if (count <= 0) return []
        free[kind] -= count
        return { partnerId, count }
      })
      for (const { partnerId } of taken) ready.delete(partnerId)
      return taken
    },
    begin(partnerId, host, onSlow) {
      const lane = laneOf(partnerId)
      lane.host = host
      let kind = kindOf(lane)
      let isSlow = false
      lane.inFlight += 1
      inFlight[kind] += 1
      const turning = setTimeout(() => {
        lane.isSlow = true
        isSlow = true
        countSlow(host, 1)
        if (kind === 'slow') return
        inFlight.quick -= 1
        inFlight.slow += 1
        kind = 'slow'
        onSlow()
      }, SLOW_AFTER_MS)
      return {
        end(isSuccess) {
          clearTimeout(turning)
          lane.inFlight -= 1
          inFlight[kind] -= 1
          lane.mostAtOnce = isSuccess ? PER_ENDPOINT_MAX : 1
          lane.isSlow = !isSuccess || isSlow
          if (isSlow) countSlow(host, -1)
        },
      }
    },
  }
}
