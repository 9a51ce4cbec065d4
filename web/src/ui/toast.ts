export type ToastKind = 'success' | 'error' | 'warning' | 'info'

export interface ToastItem {
  id: number
  kind: ToastKind
  text: string
  durationMs: number
}

/** Section 9: 3 to 8 seconds; 4 unless told, 3 for success, 5 for errors. */
const DURATION_MS: Record<ToastKind, number> = { success: 3_000, error: 5_000, warning: 4_000, info: 4_000 }
const DURATION_MS_MIN = 3_000
const DURATION_MS_MAX = 8_000
const SHOWN_MAX = 5

let items: readonly ToastItem[] = []
let lastId = 0
const listeners = new Set<() => void>()

function show(kind: ToastKind, text: string, durationMs = DURATION_MS[kind]) {
  lastId += 1
  const item = { id: lastId, kind, text, durationMs: Math.min(DURATION_MS_MAX, Math.max(DURATION_MS_MIN, durationMs)) }
  // The same text again takes the place of the one that is up, so that a repeated click does not pile them.
  publish([...items.filter((other) => other.kind !== kind || other.text !== text), item].slice(-SHOWN_MAX))
}

function publish(next: readonly ToastItem[]) {
  items = next
  for (const listener of listeners) listener()
}

/** Callable from anywhere; `Toaster` shows them. */
export const toast = {
  success: (text: string, durationMs?: number) => show('success', text, durationMs),
  error: (text: string, durationMs?: number) => show('error', text, durationMs),
  warning: (text: string, durationMs?: number) => show('warning', text, durationMs),
  info: (text: string, durationMs?: number) => show('info', text, durationMs),
  dismiss: (id: number) => publish(items.filter((item) => item.id !== id)),
  clear: () => publish([]),
}

export const toasts = {
  read: () => items,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}
