import { isTimeZone } from '@portal/contract/calendar.ts'

/** The zone in which the pages show times. Undefined if the browser keeps it to itself or has no name for it. */
export function browserTimeZone(): string | undefined {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return isTimeZone(zone) ? zone : undefined
}

/** What a call for a list sends beside its days. The addresses that people share have no zone. */
export function zoneOfDays(days: {
  dateFrom?: string | undefined
  dateTo?: string | undefined
  changedFrom?: string | undefined
}): {
  timezone?: string
} {
  const zone = days.dateFrom || days.dateTo || days.changedFrom ? browserTimeZone() : undefined
  return zone === undefined ? {} : { timezone: zone }
}
