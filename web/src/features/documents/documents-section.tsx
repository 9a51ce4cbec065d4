import { lazy, Suspense } from 'react'
import { Card } from '../../ui/card.tsx'
import type { TimelineOf } from '../referral/referral.queries.ts'
import { DocumentsOutline } from './documents-outline.tsx'

/** Loads after the page, so that no list and no first visit waits for it. */
const DocumentsPanel = lazy(async () => ({ default: (await import('./documents-panel.tsx')).DocumentsPanel }))

interface DocumentsSectionProps {
  of: TimelineOf
  /** Called after a file has arrived or was taken back. */
  onChange: () => void
}

/** The documents of a lead or deal, with the way to send more. */
export function DocumentsSection({ of, onChange }: DocumentsSectionProps) {
  return (
    <Suspense
      fallback={
        <Card title="Documents">
          <DocumentsOutline />
        </Card>
      }
    >
      <DocumentsPanel key={of.loid} loid={of.loid} onChange={onChange} />
    </Suspense>
  )
}
