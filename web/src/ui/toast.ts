import { Toast } from '@base-ui/react/toast'
import { failureText } from '../api/failure.ts'

export type ToastKind = 'success' | 'error' | 'warning' | 'info'

export interface ToastData {
  kind: ToastKind
  /** No other toast has this number, not even a repeat of the same message. */
  number: number
}

/** Section 9 demands 3 to 8 seconds. The default is 4, with 3 for success and 5 for errors. */
const DURATION_MS: Record<ToastKind, number> = { success: 3_000, error: 5_000, warning: 4_000, info: 4_000 }
const DURATION_MS_MIN = 3_000
const DURATION_MS_MAX = 8_000

export const toastManager = Toast.createToastManager<ToastData>()
let lastNumber = 0

/**
 * The code of `Toaster` loads after the page. Until then, these variables hold the toasts to show later, and the
 * function that loads the code.
 */
let isThere = false
const waiting: { id: string; show: () => void }[] = []
let askForToaster: (() => void) | undefined

/** Calls `ask` for each toast that comes before `Toaster` appears. Returns a function that stops this. */
export function onFirstToast(ask: () => void) {
  askForToaster = ask
  return () => {
    askForToaster = undefined
  }
}

/** `Toaster` calls this when it appears and when it disappears. */
export function setToasterThere(value: boolean) {
  isThere = value
  if (!isThere) return
  for (const one of waiting.splice(0)) one.show()
}

/** Only one toast that just informs is shown at a time: a newer one replaces it. */
const INFORMING = 'informing'

function show(kind: ToastKind, text: string, durationMs = DURATION_MS[kind]): string {
  // A repeated text replaces the toast on the screen, so that repeated clicks do not pile toasts up.
  const id = kind === 'info' || kind === 'success' ? INFORMING : `${kind}: ${text}`
  if (!isThere) {
    waiting.push({ id, show: () => show(kind, text, durationMs) })
    askForToaster?.()
    return id
  }
  lastNumber += 1
  const timeout = Math.min(DURATION_MS_MAX, Math.max(DURATION_MS_MIN, durationMs))
  toastManager.close(id)
  toastManager.add({ id, description: text, timeout, data: { kind, number: lastNumber } })
  return id
}

/** Shows toasts through `Toaster`. Any code can call these functions. Each returns the id with which `close` works. */
export const toast = {
  success: (text: string, durationMs?: number) => show('success', text, durationMs),
  error: (text: string) => show('error', text),
  failure: (error: unknown) => show('error', failureText(error)),
  warning: (text: string, durationMs?: number) => show('warning', text, durationMs),
  info: (text: string, durationMs?: number) => show('info', text, durationMs),
  close: (id: string) => {
    waiting.splice(0, waiting.length, ...waiting.filter((one) => one.id !== id))
    toastManager.close(id)
  },
  clear: () => {
    waiting.length = 0
    toastManager.close()
  },
}
