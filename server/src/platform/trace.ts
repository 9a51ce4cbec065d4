import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/**
 * The trace that a piece of work belongs to (W3C trace context): one id, from the caller's request to every call that
 * the request caused.
 */
export interface Trace {
  /** 32 hexadecimal digits. */
  traceId: string
  /** The parent span: 16 hexadecimal digits. Absent if no `traceparent` came with the work and no span has begun. */
  parentId?: string
  /** False if the caller does not record this trace and wants nobody to record it. */
  isSampled?: boolean
  /** Records the trace's spans. Absent without OpenTelemetry (D95). */
  spans?: Spans | undefined
}

/** Records spans. A span is one step of a trace, with its start and end. */
export interface Spans {
  /** Begins a span in the trace, under the trace's parent span. */
  begin(trace: Trace, what: SpanStart): Span
}

export interface SpanStart {
  name: string
  kind: 'server' | 'client' | 'consumer'
  /** General values only: no id, no person's address, no value from an SQL statement, no secret. */
  attributes?: Record<string, string | number>
  /** The time of the start. If absent, it is now. */
  startedAtMs?: number
}

export interface Span {
  /** The trace of everything that this work begins. */
  trace: Trace
  answered(status: number): void
  /** The error's message is not recorded, because the message may contain what somebody entered. */
  failed(error: unknown): void
  end(): void
}

const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/
const SAMPLED = 0x01
const current = new AsyncLocalStorage<Trace>()

/** Parses a `traceparent`. Returns undefined for any other text, so that the work begins a new trace. */
export function readTraceparent(text: unknown): Trace | undefined {
  const [, traceId, parentId, flags = ''] = (typeof text === 'string' && TRACEPARENT.exec(text)) || []
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0
  return traceId && parentId ? { traceId, parentId, isSampled } : undefined
}

/** A new trace for the request, job or delivery with this UUID. The trace's id is the UUID without the hyphens. */
export function traceOf(uuid: string): Trace {
  return { traceId: uuid.replaceAll('-', '') }
}

/**
 * The `traceparent` header of a call to another service. It names the trace and the current span, or a random span if
 * nothing is recorded.
 */
export function traceparent({ traceId, parentId, isSampled = true, spans }: Trace): string {
  const askedBy = (spans && parentId) || randomBytes(8).toString('hex')
  return `00-${traceId}-${askedBy}-${isSampled ? '01' : '00'}`
}

/** Runs `work`. Everything that `work` begins belongs to the trace. */
export function inTrace<Result>(trace: Trace, work: () => Result): Result {
  return current.run(trace, work)
}

export function currentTrace(): Trace | undefined {
  return current.getStore()
}

/** Records the work as a span of the trace, if anything is recorded. */
export async function inSpan<Result>(
  what: SpanStart,
  work: (span?: Span) => Promise<Result>,
  trace = currentTrace(),
): Promise<Result> {
  const span = trace?.spans?.begin(trace, what)
  if (!span) return work()
  try {
    return await inTrace(span.trace, () => work(span))
  } catch (error) {
    span.failed(error)
    throw error
  } finally {
    span.end()
  }
}
