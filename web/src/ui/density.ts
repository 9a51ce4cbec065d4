import { useSyncExternalStore } from 'react'

const STORAGE_KEY = 'portal-rows'
const COMFORTABLE = 'comfortable'
const listeners = new Set<() => void>()

/** Whether the person wants two lines in each row of a list. By default a row has one line. */
export function useComfortableRows(): boolean {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(STORAGE_KEY) === COMFORTABLE)
}

/** Stores the choice in this browser. */
export function chooseComfortableRows(isComfortable: boolean) {
  if (isComfortable) localStorage.setItem(STORAGE_KEY, COMFORTABLE)
  else localStorage.removeItem(STORAGE_KEY)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
