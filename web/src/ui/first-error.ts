import { useEffect } from 'react'

/**
 * Scrolls to the first field in error whenever one of the values changes, such as the number of submissions. The
 * browser scrolls to a field that gets the focus, but not to one that has it already.
 */
export function useFirstErrorInView(...attempt: unknown[]) {
  useEffect(() => {
    document.querySelector('form [aria-invalid=true]')?.scrollIntoView({ block: 'center' })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the values only say when to look
  }, attempt)
}
