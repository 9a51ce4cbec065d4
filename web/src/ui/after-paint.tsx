import { type ReactNode, useDeferredValue } from 'react'

interface AfterPaintProps {
  /** Stands in the place until then. */
  waiting: ReactNode
  children: ReactNode
}

/**
 * Draws its content only when the rest of the page is there. A slow phone then shows the upper part of a long page
 * sooner, and can react to the person between both.
 */
export function AfterPaint({ waiting, children }: AfterPaintProps) {
  const isDue = useDeferredValue(true, false)
  return <>{isDue ? children : waiting}</>
}
