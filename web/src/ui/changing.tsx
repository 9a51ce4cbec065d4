import type { ReactNode } from 'react'
import { changeMark, useChanges } from './change-mark.ts'

interface ChangingProps {
  /** The watched value. */
  value: string
  /** The context of the value, such as a record. A value in another scope is no change. */
  scope: string
  /** For screen readers, once it has changed. */
  announcement: string
  children: ReactNode
}

/** Marks something small for some seconds when others change it while somebody looks, and announces it politely. */
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
