import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Moves the focus to `ref` if the element that has the focus is removed when the value of `change` changes, for example
 * a button of a form that closes.
 */
export function useKeptFocus(ref: RefObject<HTMLElement | null>, change: string) {
  const before = useRef(change)
  useEffect(() => {
    if (before.current === change) return
    before.current = change
    if (document.activeElement === document.body) ref.current?.focus()
  }, [ref, change])
}

/**
 * Keeps the focus near a part that is removed while the focus is in it, for example a failure after Try Again. The
 * focus moves to the nearest ancestor that stays, so reading and tabbing continue there.
 */
export function useFocusLeftBehind(ref: RefObject<HTMLElement | null>) {
  useLayoutEffect(() => {
    const part = ref.current
    return () => {
      if (!part?.contains(document.activeElement)) return
      const around = elementsAround(part)
      // When the microtask runs, the part has been removed.
      queueMicrotask(() => {
        const stays = around.find((element) => element.isConnected)
        if (stays && document.activeElement === document.body) focusForNow(stays)
      })
    }
  }, [ref])
}

/** The ancestors inside the page's `main`, the nearest first. */
function elementsAround({ parentElement: parent }: HTMLElement): HTMLElement[] {
  return parent?.closest('main') ? [parent, ...elementsAround(parent)] : []
}

/** Makes the element focusable while it has the focus. */
function focusForNow(element: HTMLElement) {
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  }
  element.focus({ preventScroll: true })
}

/**
 * Moves the focus to `ref` after a click on a button has disabled that button, such as Next on the last page. Waits
 * until `ref` can take focus. The button's click handler must call the returned function.
 */
export function useFocusOnceDisabled(isDisabled: boolean, ref: RefObject<HTMLElement | null>): () => void {
  const isPressed = useRef(false)
  useLayoutEffect(() => {
    if (!isPressed.current || !isDisabled) return
    const focused = document.activeElement
    if (focused === document.body || focused?.matches(':disabled')) ref.current?.focus()
    if (document.activeElement === ref.current) isPressed.current = false
  })
  return () => {
    isPressed.current = true
  }
}
