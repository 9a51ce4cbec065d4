import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form'
import { Failure } from '../../api/failure.ts'

/** Shows the server's messages on the named fields. Returns whether there were any. */
export function showFieldErrors<Values extends FieldValues>(
  error: unknown,
  names: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): boolean {
  if (!(error instanceof Failure)) return false
  const known = names.filter((name) => error.fields[name] !== undefined)
  for (const [position, name] of known.entries()) {
    setError(name, { type: 'server', message: error.fields[name] }, { shouldFocus: position === 0 })
  }
  return known.length > 0
}
