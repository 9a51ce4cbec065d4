import { useSyncExternalStore } from 'react'
import { formatRelativeTime, formatTimeBelow } from '../format/dates.ts'

const MINUTE_MS = 60_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let minutes = 0

interface RelativeTimeProps {
  at: string | null | undefined
  /** Set this if words of the same sentence come before the time. */
  isInSentence?: boolean
}

/** For example `5 minutes ago`. Stays true while the page is open, even if nothing else on the page changes. */
export function RelativeTime({ at, isInSentence = false }: RelativeTimeProps) {
  useSyncExternalStore(subscribe, readMinutes)
  const text = formatRelativeTime(at)
  return <>{isInSentence ? text.replace(/^Just/, 'just') : text}</>
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
