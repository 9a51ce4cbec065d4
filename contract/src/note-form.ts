import * as z from 'zod/mini'
import { NOTE_LENGTH_MAX, NOTE_LENGTH_MIN } from './limits.ts'
import { NOTE_EMPTY, noteProblem } from './note-content.ts'
import { cleanedText } from './text.ts'

export const NoteContent = cleanedText(NOTE_EMPTY)
  .check(({ value, issues }) => {
    const message = noteProblem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })
  // The API documentation shows these lengths.
  .register(z.globalRegistry, { minLength: NOTE_LENGTH_MIN, maxLength: NOTE_LENGTH_MAX })
