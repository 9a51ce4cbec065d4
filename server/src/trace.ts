import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** Where a piece of work belongs (W3C trace context): one id from the caller's request to the calls that came of it. */
export interface Trace {
  /** 32 hexadecimal digits. */
  traceId: string
  /** Who asked for it: 16 hexadecimal digits; absent where the portal itself began. */
  parentId?: string
}

const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/
const current = new AsyncLocalStorage<Trace>()

/** Undefined for text that is no `traceparent`: the work then begins a trace. */
export function readTraceparent(text: unknown): Trace | undefined {
  const [, traceId, parentId] = (typeof text === 'string' && TRACEPARENT.exec(text)) || []
  return traceId && parentId ? { traceId, parentId } : undefined
}

/** The trace that begins with something that has a UUID: a request, a job, a delivery. */
export function traceOf(uuid: string): Trace {
  return { traceId: uuid.replaceAll('-', '') }
}

/** What the next one is told: the same trace, and a call of its own. */
export function traceparent({ traceId }: Trace): string {
  return `00-${traceId}-${randomBytes(8).toString('hex')}-01`
}

/** Everything that `work` begins belongs to the trace. */
export function inTrace<Result>(trace: Trace, work: () => Result): Result {
  return current.run(trace, work)
}

export function currentTrace(): Trace | undefined {
  return current.getStore()
}
