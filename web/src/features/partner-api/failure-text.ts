import { Failure } from '../../api/failure.ts'

export const INVALID_FORMAT = 'Invalid Documentation Format'

/** Section 8: with the status when the server answered, otherwise that the call broke. */
export function apiDocsFailureText(error: unknown): string {
  return error instanceof Failure && error.status > 0
    ? `Failed to fetch API documentation (${error.status})`
    : 'Error loading API documentation'
}
