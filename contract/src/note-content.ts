import { cleanText } from './clean-text.ts'
import { NOTE_LENGTH_MAX, NOTE_LENGTH_MIN } from './limits.ts'

export const NOTE_EMPTY = 'Please enter a note before submitting'
const NOTE_TOO_SHORT = 'Note must be at least 5 characters long'
const NOTE_TOO_LONG = 'Note is too long. Please keep it under 1000 characters.'

/** A typed note as the portal stores it. */
export function noteContent(text: string): string {
  return cleanText(text).trim()
}

/** Why the portal does not store a note with this content. Section 5: it has 5 to 1000 characters after trimming. */
export function noteProblem(content: string): string | undefined {
  if (content === '') return NOTE_EMPTY
  if (content.length < NOTE_LENGTH_MIN) return NOTE_TOO_SHORT
  if (content.length > NOTE_LENGTH_MAX) return NOTE_TOO_LONG
  return content.isWellFormed() ? undefined : 'Note contains a character that cannot be stored'
}
