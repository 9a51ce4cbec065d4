import { Toast } from '@base-ui/react/toast'

export type ToastKind = 'success' | 'error' | 'warning' | 'info'

export interface ToastData {
  kind: ToastKind
  /** No other toast has it, also not the same message told again. */
  number: number
}

/** Section 9: 3 to 8 seconds; 4 unless told, 3 for success, 5 for errors. */
const DURATION_MS: Record<ToastKind, number> = { success: 3_000, error: 5_000, warning: 4_000, info: 4_000 }
const DURATION_MS_MIN = 3_000
const DURATION_MS_MAX = 8_000

export const toastManager = Toast.createToastManager<ToastData>()
let lastNumber = 0

/** Until `Toaster` is there, whose code comes after the page: what is to be shown then, and what asks for it. */
let isThere = false
const waiting: (() => void)[] = []
let askForToaster: (() => void) | undefined

/** Calls back with the first toast. */
export function onFirstToast(ask: () => void) {
  askForToaster = ask
  return () => {
    askForToaster = undefined
  }
}

/** Told by `Toaster` as it comes and goes. */
export function setToasterThere(value: boolean) {
  isThere = value
  if (!isThere) return
  for (const showIt of waiting.splice(0)) showIt()
}

function show(kind: ToastKind, text: string, durationMs = DURATION_MS[kind]) {
  if (!isThere) {
    waiting.push(() => show(kind, text, durationMs))
    askForToaster?.()
    return
  }
  lastNumber += 1
  const timeout = Math.min(DURATION_MS_MAX, Math.max(DURATION_MS_MIN, durationMs))
  const id = `${kind}: ${text}`
  // The same text again takes the place of the one that is up, so that a repeated click does not pile them.
  toastManager.close(id)
  toastManager.add({ id, description: text, timeout, data: { kind, number: lastNumber } })
}

/** Callable from anywhere; `Toaster` shows them. */
export const toast = {
  success: (text: string, durationMs?: number) => show('success', text, durationMs),
  error: (text: string, durationMs?: number) => show('error', text, durationMs),
  warning: (text: string, durationMs?: number) => show('warning', text, durationMs),
  info: (text: string, durationMs?: number) => show('info', text, durationMs),
  clear: () => {
    waiting.length = 0
    toastManager.close()
  },
}
