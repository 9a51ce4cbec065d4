import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** When `change` takes away what had the focus, a button of a form that closes, the focus goes to `ref`, not nowhere. */
export function useKeptFocus(ref: RefObject<HTMLElement | null>, change: string) {
  const before = useRef(change)
  useEffect(() => {
    if (before.current === change) return
    before.current = change
    if (document.activeElement === document.body) ref.current?.focus()
  }, [ref, change])
}

/**
 * For a button that is disabled by what it did, the last page for instance, which takes the focus away: it goes to `ref`
 * as soon as that can have it. The click has to call what is returned.
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
