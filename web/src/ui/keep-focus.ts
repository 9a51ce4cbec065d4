import { type RefObject, useEffect, useRef } from 'react'

/** When `change` takes away what had the focus, a button of a form that closes, the focus goes to `ref`, not nowhere. */
export function useKeptFocus(ref: RefObject<HTMLElement | null>, change: string) {
  const before = useRef(change)
  useEffect(() => {
    if (before.current === change) return
    before.current = change
    if (document.activeElement === document.body) ref.current?.focus()
  }, [ref, change])
}
