import { useSyncExternalStore } from 'react'

const KEY = 'auth_sees_payments'

const listeners = new Set<() => void>()

/** Whether the person sees payments (D111), as the server last said. A reloaded page knows it at once. Null if unknown. */
export function readSeesPayments(): boolean | null {
  const stored = localStorage.getItem(KEY)
  return stored === null ? null : stored === 'true'
}

/** `null` forgets it, because the next answer about another person decides. */
export function storeSeesPayments(sees: boolean | null) {
  if (sees === readSeesPayments()) return
  if (sees === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, String(sees))
  for (const listener of listeners) listener()
}

export function onSeesPaymentsChange(listener: () => void): () => void {
  function handleStorage({ key }: StorageEvent) {
    if (key === KEY) listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', handleStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', handleStorage)
  }
}

export function useSeesPayments(): boolean {
  return useSyncExternalStore(onSeesPaymentsChange, readSeesPayments) === true
}
