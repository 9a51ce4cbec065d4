import PQueue from 'p-queue'
import { Busy } from './errors.ts'

/**
 * Runs at most `atOnce` pieces of work at a time that keep a processor busy, such as password hashes. Further ones wait in
 * a queue; those that go first overtake the others. If one waits too long, its request is refused with 503 and
 * `Retry-After` (D53).
 */
export function createWorkQueue({ atOnce, waitMsMax }: { atOnce: number; waitMsMax: number }) {
  const queue = new PQueue({ concurrency: atOnce })

  return async <Result>(work: () => Promise<Result>, goesFirst = false): Promise<Result> => {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMsMax)
    const run = () => {
      clearTimeout(timer)
      return work()
    }
    try {
      return await queue.add(run, { signal: waiting.signal, priority: goesFirst ? 1 : 0 })
    } catch (error) {
      if (!waiting.signal.aborted) throw error
      throw new Busy()
    }
  }
}
