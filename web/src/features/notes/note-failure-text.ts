import { Failure, failureText } from '../../api/failure.ts'

/** Section 8's texts for a note that could not be added. */
export function noteFailureText(error: unknown): string {
  const text = failureText(error)
  if (/permission|unauthorized/i.test(text)) return 'You do not have permission to add notes to this lead.'
  const isUnreached = error instanceof Failure && error.status === 0
  if (isUnreached || /network|offline/i.test(text)) return 'Network error. Please check your connection and try again.'
  return text === NO_REASON ? NO_REASON : `${NO_REASON}: ${text}`
}

const NO_REASON = 'Failed to add note'
