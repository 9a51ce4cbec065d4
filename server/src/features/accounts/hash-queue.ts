import PQueue from 'p-queue'
import { PortalError } from '../../platform/errors.ts'

const COME_BACK_SECONDS = 5

/**
 * Runs at most `atOnce` password hashes at a time. Further hashes wait in a queue. Those that go first overtake the
 * others, because strangers must not keep known browsers waiting (D131). If a hash waits too long, its request is refused
 * with 503 and `Retry-After` (D53).
 */
export function createHashQueue({ atOnce, waitMsMax }: { atOnce: number; waitMsMax: number }) {
  const queue = new PQueue({ concurrency: atOnce })

  return async <Result>(hash: () => Promise<Result>, goesFirst = false): Promise<Result> => {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMsMax)
    const run = () => {
      clearTimeout(timer)
      return hash()
    }
    try {
      return await queue.add(run, { signal: waiting.signal, priority: goesFirst ? 1 : 0 })
    } catch (error) {
      if (!waiting.signal.aborted) throw error
      throw new PortalError(503, 'UNAVAILABLE', 'The portal is busy. Please try again in a moment.', {
        retryAfterSeconds: COME_BACK_SECONDS,
      })
    }
  }
}
