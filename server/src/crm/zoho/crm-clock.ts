import type { Clock } from '../../platform/clock.ts'

/**
 * The CRM's clock, set by the Date header of the CRM's last answer; it then goes on by the processor's clock, so that no
 * other clock matters, even if it jumps. Before the first answer, it is the portal's clock. The times in CRM records come
 * from the CRM's clock.
 */
export interface CrmClock extends Clock {
  /** Takes the time from an answer's Date header. */
  hear(date: string | undefined): void
}

export function openCrmClock(clock: Clock): CrmClock {
  /** The CRM's time when `performance.now()` was 0. */
  let zeroMs: number | undefined
  return {
    now: () => (zeroMs === undefined ? clock.now() : new Date(zeroMs + performance.now())),
    hear(date) {
      // The header has whole seconds, so the CRM's clock can be up to 999 ms ahead of the header.
      const ms = Date.parse(date ?? '') + 999
      if (!Number.isNaN(ms)) zeroMs = ms - performance.now()
    },
  }
}
