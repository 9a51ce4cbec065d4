import { expect, test } from 'vitest'
import { Failure } from '../../api/failure.ts'
import { noteFailureText } from './note-failure-text.ts'

test.each([
  [403, 'You have no permission', 'You do not have permission to add notes to this lead.'],
  [401, 'Unauthorized', 'You do not have permission to add notes to this lead.'],
  [0, 'The server took too long', 'Network error. Please check your connection and try again.'],
  [404, 'Lead not found', 'Failed to add note: Lead not found'],
  [500, 'Failed to add note', 'Failed to add note'],
])('after a failure with status %i and the message “%s”, the page says: %s', (status, message, text) => {
  expect(noteFailureText(new Failure(status, message, { code: '' }))).toBe(text)
})
