import type { NoteRow } from '../../db/tables.ts'

type Signed = Pick<NoteRow, 'content' | 'submitted_by' | 'created_by'>

/** A note's words as the CRM gets them: the lender's staff read there who of the partner wrote it (D64). */
export function withSignature(note: Signed): string {
  return note.content + signatureOf(note)
}

/** What the CRM says of the note, without the signature that went with it. */
export function withoutSignature(note: Signed, words: string): string {
  const signature = signatureOf(note)
  const text = plain(words)
  return text.endsWith(signature) ? text.slice(0, text.length - signature.length) : words
}

/** The words before what looks like a signature. */
export function signedText(words: string): string | undefined {
  return /^(.*)\n\n— [^\n]*$/su.exec(plain(words))?.[1]
}

/** As the CRM may change a text on its way. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function signatureOf({ submitted_by, created_by }: Signed): string {
  return submitted_by === null ? '' : `\n\n— ${[submitted_by, created_by].filter(Boolean).join(', ')}`
}
