import type { NoteRow } from '../../db/tables.ts'

type Signed = Pick<NoteRow, 'content' | 'submitted_by' | 'created_by'>

/** A note's text as the CRM gets it. It has the person's name, so that the lender's staff see who wrote it (D64). */
export function withSignature(note: Signed): string {
  return note.content + signatureOf(note)
}

/** The CRM's text of the note without the signature. */
export function withoutSignature(note: Signed, words: string): string {
  const signature = signatureOf(note)
  const text = plain(words)
  return text.endsWith(signature) ? text.slice(0, text.length - signature.length) : words
}

/** The text before the part that looks like a signature. */
export function signedText(words: string): string | undefined {
  return /^(.*)\n\n— [^\n]*$/su.exec(plain(words))?.[1]
}

/** The text as the CRM may have changed it. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function signatureOf({ submitted_by, created_by }: Signed): string {
  return submitted_by === null ? '' : `\n\n— ${[submitted_by, created_by].filter(Boolean).join(', ')}`
}
