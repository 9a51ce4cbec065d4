import { Failure } from '../../api/failure.ts'

export const INVALID_FORMAT = 'Invalid Documentation Format'

/** Section 8: names the status if the server answered. Otherwise says that the call failed. */
export function apiDocsFailureText(error: unknown): string {
  return error instanceof Failure && error.status > 0
    ? `Failed to fetch API documentation (${error.status})`
    : 'Error loading API documentation'
}
