import type { NoteRow } from '../../platform/db/tables.ts'

type Signed = Pick<NoteRow, 'content' | 'submitted_by' | 'created_by'>

/**
 * The text of a note for the CRM. If a person wrote the note, the text ends with the names of the person and the
 * business, so that the lender's staff see who wrote it (D64).
 */
export function withSignature(note: Signed): string {
  return note.content + signatureOf(note)
}

/** The note's text from the CRM, without the signature. */
export function withoutSignature(note: Signed, words: string): string {
  const signature = signatureOf(note)
  const text = plain(words)
  return text.endsWith(signature) ? text.slice(0, text.length - signature.length) : words
}

/** The text before the last line if that line looks like a signature, or undefined if it does not. */
export function signedText(words: string): string | undefined {
  return /^(.*)\n\n— [^\n]*$/su.exec(plain(words))?.[1]
}

/** Undoes changes that the CRM may make to a text: other line endings, and spaces around it. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function signatureOf({ submitted_by, created_by }: Signed): string {
  return submitted_by === null ? '' : `\n\n— ${[submitted_by, created_by].filter(Boolean).join(', ')}`
}
