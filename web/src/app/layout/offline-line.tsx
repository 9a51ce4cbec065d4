import { useSyncExternalStore } from 'react'
import { formatTimeOfDay } from '../../format/dates.ts'

let offlineSince: Date | null = null

/** Says that the page shows what was known when the connection was lost. It lies over the page, so that nothing moves. */
export function OfflineLine() {
  const since = useSyncExternalStore(subscribe, readOfflineSince)
  return (
    <div role="status" className="pointer-events-none sticky top-15 z-10 h-0 text-center print:hidden">
      {since && (
        <span className="inline-block rounded-b-md bg-ink px-3 text-xs/5 font-medium text-surface max-sm:-translate-y-1.5 max-sm:rounded-md">
          Offline, as of {formatTimeOfDay(since)}
        </span>
      )}
    </div>
  )
}

function readOfflineSince(): Date | null {
  offlineSince = navigator.onLine ? null : (offlineSince ?? new Date())
  return offlineSince
}

function subscribe(listener: () => void) {
  window.addEventListener('offline', listener)
  window.addEventListener('online', listener)
  return () => {
    window.removeEventListener('offline', listener)
    window.removeEventListener('online', listener)
  }
}
