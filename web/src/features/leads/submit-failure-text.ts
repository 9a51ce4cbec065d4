import { Failure, UNEXPECTED } from '../../api/failure.ts'

/** The text for a failed submission, by HTTP status (section 8). */
export function submitFailureText(error: unknown): string {
  if (!(error instanceof Failure)) return UNEXPECTED
  switch (error.status) {
    case 0:
      return 'Network error. Please check your connection and try again. Nothing is lost: the form keeps what you typed.'
    case 400:
      return `Validation Error: ${error.message}`
    case 401:
    case 403:
      return 'Authentication error. Please log in again.'
    case 500:
      return 'Server error. Please try again or contact support.'
    default:
      return `Failed to submit application: ${error.message}`
  }
}
