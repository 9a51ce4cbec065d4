import type { Clock } from '../clock.ts'

/**
 * The CRM's clock, from the Date header of its last answer; the portal's own clock before the first. Records have the
 * CRM's times.
 */
export interface CrmClock extends Clock {
  /** What an answer's Date header says. */
  hear(date: string | null): void
}

export function openCrmClock(clock: Clock): CrmClock {
  let aheadMs = 0
  return {
    now: () => new Date(clock.now().getTime() + aheadMs),
    hear(date) {
      // The header tells whole seconds: its second is over at the latest when the next one begins.
      const ms = Date.parse(date ?? '') + 999
      if (!Number.isNaN(ms)) aheadMs = ms - clock.now().getTime()
    },
  }
}
