import type { ReactNode } from 'react'
import { AfterPaint } from '../../ui/after-paint.tsx'
import { CardSkeleton, Skeleton } from '../../ui/skeleton.tsx'

/** Lays out the page of a lead or deal: what happened, and beside it the facts. On a phone the facts come after it. */
export function ReferralPanels({ timeline, facts }: { timeline: ReactNode; facts: ReactNode }) {
  return (
    <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_23rem]">
      <div className="min-w-0">{timeline}</div>
      <div className="stack min-w-0 gap-8">
        <AfterPaint waiting={null}>{facts}</AfterPaint>
      </div>
    </div>
  )
}

/** Has about the height of the content that is loading. */
export function ReferralOutline({ label, fields }: { label: string; fields: number }) {
  return (
    <div role="status" aria-label={label}>
      <Skeleton className="mb-6 h-10" />
      <ReferralPanels timeline={<CardSkeleton fields={4} />} facts={<CardSkeleton fields={fields} />} />
    </div>
  )
}
