/** How many attempts of a process can be quick at once, and how many can be slow or expected to become slow. */
const QUICK_MAX = 100
const SLOW_MAX = 200
/**
 * How many attempts at once go to an endpoint that answers well. An endpoint that fails or has not answered yet gets
 * one.
 */
const PER_ENDPOINT_MAX = 4
/** An attempt that has waited this long is slow and no longer counts as quick. */
const SLOW_AFTER_MS = 1_000

interface Lane {
  inFlight: number
  mostAtOnce: number
  /** Its last answer was late or missing, so the next one is expected to be late too. */
  isSlow: boolean
}

export interface DeliveryLanes {
  /** Says that a delivery of this partner may be due. */
  markReady(partnerId: string): void
  /** Used before this process has sent anything, because the database knows whether the endpoint fails. */
  learn(partnerId: string, isFailing: boolean): void
  /** The deliveries that can begin now, from each ready partner in turn. These partners are then no longer ready. */
  take(): { partnerId: string; count: number }[]
  /** Call `end` on the result when the attempt has ended. */
  begin(partnerId: string, onSlow: () => void): { end(isSuccess: boolean): void }
}

/**
 * Decides which partners may send and how much at once, so that no endpoint delays another's deliveries, however many hang.
 * An attempt holds a quick place for a second at most, then waits for its answer in a slow place. Endpoints known to be slow
 * or failing begin in a slow place. Partners take turns for each kind of place.
 */
export function openDeliveryLanes(): DeliveryLanes {
  // There are never more lanes than partners.
  const lanes = new Map<string, Lane>()
  // In the order of their turns.
  const ready = new Set<string>()
  const inFlight = { quick: 0, slow: 0 }

  function laneOf(partnerId: string): Lane {
    const lane = lanes.get(partnerId) ?? { inFlight: 0, mostAtOnce: 1, isSlow: false }
    lanes.set(partnerId, lane)
    return lane
  }

  return {
    markReady(partnerId) {
      ready.add(partnerId)
    },
    learn(partnerId, isFailing) {
      if (!lanes.has(partnerId)) laneOf(partnerId).isSlow = isFailing
    },
    take() {
      const free = { quick: QUICK_MAX - inFlight.quick, slow: SLOW_MAX - inFlight.slow }
      const taken = [...ready].flatMap((partnerId) => {
        const lane = laneOf(partnerId)
        const kind = lane.isSlow ? 'slow' : 'quick'
        const count = Math.min(lane.mostAtOnce - lane.inFlight, free[kind])
        if (count <= 0) return []
        free[kind] -= count
        return { partnerId, count }
      })
      for (const { partnerId } of taken) ready.delete(partnerId)
      return taken
    },
    begin(partnerId, onSlow) {
      const lane = laneOf(partnerId)
      let kind: 'quick' | 'slow' = lane.isSlow ? 'slow' : 'quick'
      lane.inFlight += 1
      inFlight[kind] += 1
      const turning = setTimeout(() => {
        lane.isSlow = true
        if (kind === 'slow') return
        inFlight.quick -= 1
        inFlight.slow += 1
        kind = 'slow'
        onSlow()
      }, SLOW_AFTER_MS)
      const startedAt = performance.now()
      return {
        end(isSuccess) {
          clearTimeout(turning)
          lane.inFlight -= 1
          inFlight[kind] -= 1
          lane.mostAtOnce = isSuccess ? PER_ENDPOINT_MAX : 1
          lane.isSlow = !isSuccess || performance.now() - startedAt > SLOW_AFTER_MS
        },
      }
    },
  }
}
