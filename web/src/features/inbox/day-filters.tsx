import { useQuery } from '@tanstack/react-query'
import { browserTimeZone } from '../../format/time-zone.ts'
import { DateFilter } from '../../ui/filter-field.tsx'
import { timeZoneQuery } from './inbox.queries.ts'

interface Days {
  dateFrom?: string | undefined
  dateTo?: string | undefined
  /** Another day beside the two, which has a field of its own. */
  changedFrom?: string | undefined
}

interface DayFiltersProps {
  days: Days
  onChange: (change: Omit<Days, 'changedFrom'>) => void
}

/**
 * The two filters that limit a list to some days. They are days in the zone in which the page shows times (D146). If the
 * lender works in another zone, a line names this one.
 */
export function DayFilters({ days: { dateFrom = '', dateTo = '', changedFrom = '' }, onChange }: DayFiltersProps) {
  const zone = browserTimeZone()
  const isUsed = dateFrom !== '' || dateTo !== '' || changedFrom !== ''
  const { data } = useQuery({ ...timeZoneQuery(), enabled: isUsed && zone !== undefined })
  const isElsewhere = isUsed && data !== undefined && zone !== undefined && data.time_zone !== zone
  return (
    <>
      <DateFilter label="Date From" value={dateFrom} onValue={(date) => onChange({ dateFrom: date || undefined })} />
      <DateFilter label="Date To" value={dateTo} onValue={(date) => onChange({ dateTo: date || undefined })} />
      {isElsewhere && (
        <p className="order-1 col-span-full self-center text-[0.8125rem] text-muted xl:col-span-4">{`These are days in your time zone, ${zone}.`}</p>
      )}
    </>
  )
}
