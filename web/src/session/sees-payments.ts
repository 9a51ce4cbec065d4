import { useSyncExternalStore } from 'react'

const KEY = 'auth_sees_payments'

/** `before` is null if it was not known. */
type Listener = (before: boolean | null) => void
const listeners = new Set<Listener>()

/** Whether the person sees payments (D111), as the server last said. A reloaded page knows it at once. Null if unknown. */
export function readSeesPayments(): boolean | null {
  return parse(localStorage.getItem(KEY))
}

/** `null` forgets it, because the next answer about another person decides. */
export function storeSeesPayments(sees: boolean | null) {
  const before = readSeesPayments()
  if (sees === before) return
  if (sees === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, String(sees))
  for (const listener of listeners) listener(before)
}

export function onSeesPaymentsChange(listener: Listener): () => void {
  function handleStorage({ key, oldValue }: StorageEvent) {
    if (key === KEY) listener(parse(oldValue))
  }
  listeners.add(listener)
  window.addEventListener('storage', handleStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', handleStorage)
  }
}

function parse(stored: string | null): boolean | null {
  return stored === null ? null : stored === 'true'
}

export function useSeesPayments(): boolean {
  return useSyncExternalStore(onSeesPaymentsChange, readSeesPayments) === true
}
