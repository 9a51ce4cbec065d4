import type { TrendPeriod } from '@portal/contract/dashboard.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Section } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { trendsQuery } from './dashboard.queries.ts'
import { Trends } from './trends.tsx'

const PERIODS = [
  { value: 'week', label: 'Weeks' },
  { value: 'month', label: 'Months' },
] as const

export function TrendsSection() {
  const [period, setPeriod] = useState<TrendPeriod>('week')
  const trends = useQuery(trendsQuery(period))

  return (
    <Section
      title="Leads and Deals Over Time"
      padded={false}
      action={<Segmented label="By week or month" options={PERIODS} value={period} onValue={setPeriod} />}
    >
      {trends.isError && !trends.data ? (
        <LoadFailure text="Failed to fetch trends" query={trends} />
      ) : trends.data ? (
        // After a switch between weeks and months, these are the old points until the new points have loaded.
        <Trends points={trends.data.points} period={trends.data.period} />
      ) : (
        <Spinner label="Loading trends" />
      )}
    </Section>
  )
}
