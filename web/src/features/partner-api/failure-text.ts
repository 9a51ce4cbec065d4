import { Failure } from '../../api/failure.ts'

export const INVALID_FORMAT = 'Invalid Documentation Format'

/** Names the HTTP status if the server answered, and otherwise says that the call failed (section 8). */
export function apiDocsFailureText(error: unknown): string {
  return error instanceof Failure && error.status > 0
    ? `Failed to fetch API documentation (${error.status})`
    : 'Error loading API documentation'
}
