const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** How long after each failure the next attempt comes (D35): ten attempts in all, over three days. */
const DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
export const ATTEMPTS_MAX = DELAYS_MS.length + 1
/** Each delay is up to a tenth longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.1
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS

/**
 * Returns when to try again after this many failures, or undefined after the last failure. `random` is from 0 to 1. The
 * receiver's Retry-After, capped at a day, is a lower bound for the delay.
 */
export function nextAttemptAt(failures: number, now: Date, random: number, retryAfterMs = 0): Date | undefined {
  const delayMs = DELAYS_MS[failures - 1]
  if (delayMs === undefined) return undefined
  const jittered = delayMs * (1 + JITTER * random)
  return new Date(now.getTime() + Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)))
}

/**
 * Reads a `Retry-After` in seconds or as a date, if the answer's status is 429 or 503. Returns 0 for anything else.
 */
export function retryAfterMs(answer: { status: number; headers: Record<string, string> }, now: Date): number {
  const text = answer.headers['retry-after']?.trim()
  if (!text || (answer.status !== 429 && answer.status !== 503)) return 0
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime())
}
