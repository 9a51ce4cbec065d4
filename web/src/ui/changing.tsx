import type { ReactNode } from 'react'
import { changeMark, useChanges } from './change-mark.ts'

interface ChangingProps {
  /** What is watched. */
  value: string
  /** Where it stands: in another scope another value is no change. */
  scope: string
  /** For screen readers, once it has changed. */
  announcement: string
  children: ReactNode
}

/** Something small that others change while one looks at it: marked for some seconds, and said politely. */
export function Changing({ value, scope, announcement, children }: ChangingProps) {
  const changes = useChanges(value, scope)
  return (
    <>
      <span data-changed={changeMark(changes)} className="inline-flex min-w-0">
        {children}
      </span>
      <span aria-live="polite" className="sr-only">
        {changes > 0 && announcement}
      </span>
    </>
  )
}
