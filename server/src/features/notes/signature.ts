import type { NoteRow } from '../../db/tables.ts'

type Signed = Pick<NoteRow, 'content' | 'submitted_by' | 'created_by'>

/** A note's words as the CRM gets them: the lender's staff read there who of the partner wrote it (D64). */
export function withSignature(note: Signed): string {
  return note.content + signatureOf(note)
}

/** What the CRM says of the note, without the signature that went with it. */
export function withoutSignature(note: Signed, words: string): string {
  const signature = signatureOf(note)
  const text = words.replaceAll('\r\n', '\n').trim()
  return text.endsWith(signature) ? text.slice(0, text.length - signature.length) : words
}

function signatureOf({ submitted_by, created_by }: Signed): string {
  return submitted_by === null ? '' : `\n\n— ${[submitted_by, created_by].filter(Boolean).join(', ')}`
}
