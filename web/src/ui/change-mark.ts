import { useState } from 'react'

/**
 * The value of `data-changed` for an element that has changed this many times while it was shown. styles.css marks the
 * element for a few seconds.
 */
export function changeMark(changes: number | undefined): 'once' | 'again' | undefined {
  if (!changes) return undefined
  return changes % 2 === 1 ? 'once' : 'again'
}

/**
 * How often `value` has changed while it was shown. The value of another scope, such as another record, does not count
 * as a change.
 */
export function useChanges(value: string, scope: string): number {
  const [seen, setSeen] = useState({ value, scope, changes: 0 })
  if (scope !== seen.scope) setSeen({ value, scope, changes: 0 })
  else if (value !== seen.value) setSeen({ value, scope, changes: seen.changes + 1 })
  return seen.changes
}
