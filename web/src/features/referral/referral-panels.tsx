import type { ReactNode } from 'react'
import { CardSkeleton, Skeleton } from '../../ui/skeleton.tsx'

interface ReferralPanelsProps {
  timeline: ReactNode
  notes: ReactNode
  /**
   * Histories and summaries. Try Again must be their only button, because on a phone the tab key reaches them before
   * the fields, which are drawn above them.
   */
  histories: ReactNode
  fields: ReactNode
}

/**
 * Lays out the page of a lead or deal: the timeline with the fields below it, and the notes and histories beside them.
 * On a phone the notes come before the fields, and the histories after them.
 */
export function ReferralPanels({ timeline, notes, histories, fields }: ReferralPanelsProps) {
  return (
    <div className="flex flex-col gap-5 lg:grid lg:grid-cols-3 lg:grid-rows-[auto_1fr] lg:items-start">
      <div className="min-w-0 lg:col-span-2">{timeline}</div>
      <div className="contents lg:col-start-3 lg:row-span-2 lg:row-start-1 lg:grid lg:grid-cols-1 lg:gap-5">
        {notes}
        <div className="order-last grid grid-cols-1 gap-5">{histories}</div>
      </div>
      <div className="grid grid-cols-1 gap-5 lg:col-span-2">{fields}</div>
    </div>
  )
}

/** Has about the height of the content that is loading. */
export function ReferralOutline({ label, fields }: { label: string; fields: number }) {
  return (
    <div role="status" aria-label={label}>
      <div className="panel mb-5 p-5">
        <div className="flex justify-around">
          {['a', 'b', 'c', 'd', 'e'].map((step) => (
            <div key={step} className="grid justify-items-center gap-3">
              <Skeleton className="size-6 rounded-full" />
              <Skeleton className="h-3.5 w-12 sm:w-20" />
            </div>
          ))}
        </div>
        <Skeleton className="mt-8 h-4 w-52" />
        <Skeleton className="mt-3 h-4 w-4/5" />
      </div>
      <ReferralPanels
        timeline={<CardSkeleton fields={3} />}
        notes={<CardSkeleton fields={3} />}
        histories={<CardSkeleton fields={2} />}
        fields={<CardSkeleton fields={fields} />}
      />
    </div>
  )
}
