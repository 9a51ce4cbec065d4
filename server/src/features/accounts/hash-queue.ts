import PQueue from 'p-queue'
import { PortalError } from '../../errors.ts'

const COME_BACK_SECONDS = 5

/**
 * Runs at most `atOnce` password hashes at a time. Further hashes wait in a queue. If a hash waits too long, its
 * request is refused with 503 and `Retry-After` (D53).
 */
export function createHashQueue({ atOnce, waitMsMax }: { atOnce: number; waitMsMax: number }) {
  const queue = new PQueue({ concurrency: atOnce })

  return async <Result>(hash: () => Promise<Result>): Promise<Result> => {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMsMax)
    const run = () => {
      clearTimeout(timer)
      return hash()
    }
    try {
      return await queue.add(run, { signal: waiting.signal })
    } catch (error) {
      if (!waiting.signal.aborted) throw error
      throw new PortalError(503, 'UNAVAILABLE', 'The portal is busy. Please try again in a moment.', {
        retryAfterSeconds: COME_BACK_SECONDS,
      })
    }
  }
}
