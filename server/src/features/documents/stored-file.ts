/** A file that is read from where its parts lie, so that it is never in memory as a whole. */
export interface StoredFile {
  size: number
  /** Reads the whole file, piece by piece. */
  pieces(): AsyncIterable<Buffer>
  read(from: number, length: number): Promise<Buffer>
}

/** The accepted types, with the extensions that say so. The first is the usual one. */
export const DOCUMENT_TYPES = {
  'application/pdf': ['pdf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/heic': ['heic', 'heif'],
  'image/webp': ['webp'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'text/plain': ['txt', 'csv'],
} as const
export type DocumentType = keyof typeof DOCUMENT_TYPES
