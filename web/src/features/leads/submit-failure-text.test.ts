import { expect, test } from 'vitest'
import { Failure } from '../../api/failure.ts'
import { submitFailureText } from './submit-failure-text.ts'

test.each([
  [400, 'Validation Error: Bad phone'],
  [401, 'Authentication error. Please log in again.'],
  [403, 'Authentication error. Please log in again.'],
  [500, 'Server error. Please try again or contact support.'],
  [0, 'Network error. Please check your connection and try again. Nothing is lost: the form keeps what you typed.'],
  [409, 'Failed to submit application: Bad phone'],
])('a submission answered with %i says: %s', (status, text) => {
  expect(submitFailureText(new Failure(status, 'Bad phone', { code: '' }))).toBe(text)
})
