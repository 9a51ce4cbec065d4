import type { Clock } from '../clock.ts'

/**
 * The CRM's clock, set by the Date header of the CRM's last answer. Before the first answer, it is the portal's own
 * clock. The times in CRM records come from the CRM's clock.
 */
export interface CrmClock extends Clock {
  /** Takes the time from an answer's Date header. */
  hear(date: string | null): void
}

export function openCrmClock(clock: Clock): CrmClock {
  let aheadMs = 0
  return {
    now: () => new Date(clock.now().getTime() + aheadMs),
    hear(date) {
      // The header has whole seconds, so the CRM's clock can be up to 999 ms ahead of the header.
      const ms = Date.parse(date ?? '') + 999
      if (!Number.isNaN(ms)) aheadMs = ms - clock.now().getTime()
    },
  }
}
