import { formatNumber } from '@portal/contract/numbers.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import type { Sync } from './use-sync.ts'

/**
 * The progress of a long sync (D31). This box floats over the page, so that the list below does not move when the box
 * appears or disappears.
 */
export function SyncProgress({ sync }: { sync: Sync }) {
  const { kind, progress } = sync
  if (!progress) return null
  const { phase, done, total } = progress
  const isCounted = total > 0
  return (
    <section
      aria-label="Sync progress"
      className="fixed bottom-[calc(var(--bottom-bar)+1rem)] left-4 z-20 w-[min(22rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-4 shadow-lg lg:left-64"
    >
      <p className="font-medium">Syncing {kind} with the CRM</p>
      <p className="mt-0.5 mb-3 flex justify-between gap-4 text-[0.8125rem] text-muted tabular-nums">
        <span className="truncate first-letter:uppercase">{phase ?? 'starting'}</span>
        {isCounted && (
          <span className="shrink-0">
            {formatNumber(done)} of {formatNumber(total)}
          </span>
        )}
      </p>
      <ProgressBar
        label={`Syncing ${kind} with the CRM`}
        percent={isCounted ? Math.min(100, (done / total) * 100) : undefined}
      />
    </section>
  )
}
