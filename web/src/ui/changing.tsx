import type { ReactNode } from 'react'
import { changeMark, useChanges } from './change-mark.ts'

interface ChangingProps {
  /** The watched value. */
  value: string
  /** The context of the value, such as a record. The value of another scope does not count as a change. */
  scope: string
  /** Read out by screen readers after a change. */
  announcement: string
  children: ReactNode
}

/** Marks a small part of the page for a few seconds when its value changes, and announces the change politely. */
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
