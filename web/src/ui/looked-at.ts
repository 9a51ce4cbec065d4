import { useSyncExternalStore } from 'react'

/** A page counts as looked at for this long after a key, a click or a scroll (D127). */
const LOOK_MS = 30_000
const SIGNS = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const

let usedAt = Number.NEGATIVE_INFINITY
const listeners = new Set<() => void>()

/** Follows from the start whether the person uses the page. Returns a function that ends this. */
export function watchUse(): () => void {
  for (const sign of SIGNS) window.addEventListener(sign, handleUse, { passive: true, capture: true })
  return () => {
    for (const sign of SIGNS) window.removeEventListener(sign, handleUse, { capture: true })
    usedAt = Number.NEGATIVE_INFINITY
  }
}

function handleUse() {
  usedAt = Date.now()
  for (const listener of listeners) listener()
}

/** Whether somebody looks at the page: its window has the focus, and the person has just used it. Visible is not read. */
export function useLookedAt(): boolean {
  return useSyncExternalStore(subscribe, isLookedAt)
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  window.addEventListener('focus', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('focus', listener)
  }
}

function isLookedAt(): boolean {
  return document.hasFocus() && Date.now() - usedAt <= LOOK_MS
}
