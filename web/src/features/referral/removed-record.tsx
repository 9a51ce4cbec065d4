import type { RemovedRecord as Removed } from '@portal/contract/answer.ts'
import { Archive } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDate } from '../../format/dates.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

interface RemovedRecordProps {
  kind: 'lead' | 'deal'
  removed: Removed
  back: ReactNode
  action: ReactNode
}

/** The page of a lead or deal that the lender has removed. If the lender restores the record, its page returns (D129). */
export function RemovedRecord({ kind, removed, back, action }: RemovedRecordProps) {
  const { business_name, value, removed_at } = removed
  return (
    <>
      <PageHeader title={business_name ?? (kind === 'lead' ? 'Lead' : 'Deal')} back={back} />
      <div className="frame">
        <EmptyState
          icon={<Archive />}
          title={`The lender removed this ${kind} on ${formatDate(removed_at)}`}
          text={`Its last ${kind === 'lead' ? 'status' : 'stage'} was ${value}. If this surprises you, ask the lender.`}
          action={action}
        />
      </div>
    </>
  )
}
