import { useSyncExternalStore } from 'react'
import { isReachable } from '../../api/is-reachable.ts'
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
  return offlineSince
}

function subscribe(listener: () => void) {
  const handleLook = () => void look().then(listener)
  handleLook()
  window.addEventListener('offline', handleLook)
  window.addEventListener('online', handleLook)
  return () => {
    window.removeEventListener('offline', handleLook)
    window.removeEventListener('online', handleLook)
  }
}

/** A browser without a network calls itself offline, although it reaches a portal on the same machine. */
async function look(): Promise<void> {
  const now = new Date()
  const isReached = navigator.onLine || (await isReachable())
  // The connection may have come back during the request.
  offlineSince = isReached || navigator.onLine ? null : (offlineSince ?? now)
}
