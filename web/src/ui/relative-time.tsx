import { useSyncExternalStore } from 'react'
import { formatRelativeTime, formatTimeBelow } from '../format/dates.ts'

const MINUTE_MS = 60_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let minutes = 0

/** For example `5 minutes ago`. Stays true while the page is open, even if nothing else on the page changes. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  useSyncExternalStore(subscribe, readMinutes)
  return <>{formatRelativeTime(at)}</>
}

/** The exact time, for the line below `RelativeTime`. */
export function TimeBelow({ at }: { at: string | null | undefined }) {
  useSyncExternalStore(subscribe, readMinutes)
  return <>{formatTimeBelow(at)}</>
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(tick, MINUTE_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick() {
  minutes += 1
  for (const listener of listeners) listener()
}

function readMinutes(): number {
  return minutes
}
