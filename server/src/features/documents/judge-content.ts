import { createHash } from 'node:crypto'
import { judgeOffice } from './judge-office.ts'
import type { DocumentType, StoredFile } from './stored-file.ts'

/** What a file is by its content (D100), or why it is refused, in words. */
export type Judged = { type: DocumentType; sha256: string } | { refusal: string; sha256: string }

/** The beginnings of files, as text of one byte a character. */
const ACCEPTED: readonly [RegExp, DocumentType][] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^[^]{4}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1)/, 'image/heic'],
]
const ARCHIVE = 'Archives cannot be sent. Send each file by itself.'
const PROGRAM = 'Programs cannot be sent.'
const REFUSED: readonly [RegExp, string][] = [
  [/^(?:Rar!|7z\xbc\xaf|[^]\x8b|BZh|\xfd7zXZ|MSCF)|^[^]{257}ustar/, ARCHIVE],
  [/^(?:MZ|\x7fELF|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\xce\xfa\xed\xfe|#!)/, PROGRAM],
  [
    /^\xd0\xcf[^]\xe0/,
    'Files of older versions of Word and Excel cannot be sent. Save the file as .docx, .xlsx or PDF, and send that.',
  ],
  [
    /^(?:\xef\xbb\xbf)?\s*(?:<|\{\\rtf|%!PS)/,
    'Web pages, drawings and scripts cannot be sent. Save the file as a PDF, and send that.',
  ],
]
const UNKNOWN = 'This kind of file cannot be sent. Send PDF, Word, Excel, JPEG, PNG, HEIC, WEBP, CSV or text.'
const HEAD_BYTES = 512
/** Texts have no control characters but tab and the ends of lines. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u

/** Reads the file once for its SHA-256, and says what it is. The file's name plays no part in it. */
export async function judgeContent(file: StoredFile): Promise<Judged> {
  const hash = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isText = true
  let head = Buffer.alloc(0)
  for await (const piece of file.pieces()) {
    if (head.byteLength < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES)])
    hash.update(piece)
    if (isText) isText = isPlain(decoder, piece)
  }
  const sha256 = hash.digest('hex')
  const begins = head.toString('latin1')
  const accepted = ACCEPTED.find(([pattern]) => pattern.test(begins))
  if (accepted) return { type: accepted[1], sha256 }
  if (begins.startsWith('PK\x03\x04')) return { ...(await judgeOffice(file)), sha256 }
  const refused = REFUSED.find(([pattern]) => pattern.test(begins))
  if (refused) return { refusal: refused[1], sha256 }
  return isText && isWhole(decoder) ? { type: 'text/plain', sha256 } : { refusal: UNKNOWN, sha256 }
}

function isPlain(decoder: InstanceType<typeof TextDecoder>, piece: Buffer): boolean {
  try {
    return !CONTROL.test(decoder.decode(piece, { stream: true }))
  } catch {
    return false
  }
}

/** Whether the text does not end within a character. */
function isWhole(decoder: InstanceType<typeof TextDecoder>): boolean {
  try {
    decoder.decode()
    return true
  } catch {
    return false
  }
}
