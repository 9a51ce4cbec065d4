import * as z from 'zod/mini'
import { NOTE_LENGTH_MAX, NOTE_LENGTH_MIN } from './limits.ts'
import { cleanedText, storable } from './text.ts'

export const NOTE_EMPTY = 'Please enter a note before submitting'
export const NOTE_TOO_SHORT = 'Note must be at least 5 characters long'
export const NOTE_TOO_LONG = 'Note is too long. Please keep it under 1000 characters.'

/** Section 5: 5 to 1000 characters after trimming. */
export const NoteContent = cleanedText(NOTE_EMPTY).check(
  z.minLength(1, { error: NOTE_EMPTY, abort: true }),
  z.minLength(NOTE_LENGTH_MIN, NOTE_TOO_SHORT),
  z.maxLength(NOTE_LENGTH_MAX, NOTE_TOO_LONG),
  storable('Note'),
)
