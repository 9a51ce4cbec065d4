import { useSyncExternalStore } from 'react'

const STORAGE_KEY = 'portal-keys'
const OFF = 'off'
const listeners = new Set<() => void>()

/** Whether single keys do something in this browser. People who dictate can turn them off (WCAG 2.1.4). */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(STORAGE_KEY) !== OFF)
}

/** Stores the choice in this browser. */
export function chooseSingleKeys(areOn: boolean) {
  if (areOn) localStorage.removeItem(STORAGE_KEY)
  else localStorage.setItem(STORAGE_KEY, OFF)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
