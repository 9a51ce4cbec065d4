import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** A file goes in parts of this size; the last part may be smaller (D101). */
export const DOCUMENT_PART_BYTES = 1_048_576
/** At most this many documents a lead or deal (D100). */
export const DOCUMENTS_MAX = 100
/** What a partner may have on the way to the CRM, in MB (D100). */
export const DOCUMENTS_WAITING_MB = 200
/** For this long a person takes back a file of their own (D104). */
export const TAKE_BACK_MINUTES = 30

/** What a picker of files offers. The portal accepts by content, whatever the name is (D100). */
export const DOCUMENT_TYPES_OFFERED =
  '.pdf,.jpg,.jpeg,.png,.heic,.heif,.webp,.docx,.xlsx,.csv,.txt,image/jpeg,image/png,image/heic,image/webp,application/pdf'
export const DOCUMENT_TYPES_TEXT = 'PDF, Word, Excel, JPEG, PNG, HEIC, WEBP, CSV or text'

/**
 * `uploading` until all parts are there, `pending` until the CRM has the file, `failed` if the file cannot be sent, with
 * the reason in `problem`. `deleted` once the lender has deleted a file of the partner's own, which may be sent again.
 */
export const DOCUMENT_STATES = ['uploading', 'pending', 'synced', 'failed', 'deleted'] as const

export const Document = z.object({
  id: z.string(),
  name: z.string(),
  /** In bytes. */
  size: z.number(),
  state: z.enum(DOCUMENT_STATES),
  /** Why the file was not sent, or what it waits for. */
  problem: z.nullable(z.string()),
  is_lenders: z.boolean(),
  /** The person who uploaded the file, or the lender's person who attached it. */
  added_by: z.nullable(z.string()),
  added_at: Instant,
  /** What the lender asked, if the file answers it. */
  request_id: z.nullable(z.string()),
  /** Whether the file can be opened. */
  can_open: z.boolean(),
  /** Whether the file is a picture that pages show. */
  is_picture: z.boolean(),
  /** Until when the caller may take the file back; null if the caller may not. */
  take_back_until: z.nullable(Instant),
})
export type Document = z.infer<typeof Document>

export const listDocuments = defineRoute({
  method: 'GET',
  path: '/crm/documents/:loid',
  auth: 'session',
  least: 'viewer',
  answer: z.object({
    documents: z.array(Document),
    /** The largest file that may be uploaded, in MB. */
    file_mb_max: z.number(),
  }),
  summary: 'The documents of a lead or deal, newest first. Looks for new ones of the lender’s at most once a minute.',
})

const NewDocument = z.object({
  name: z
    .string('A name is required')
    .check(z.minLength(1, 'A name is required'), z.maxLength(1_000, 'The name is too long')),
  size: z.number('A size is required').check(z.int('The size is a number of bytes'), z.minimum(1, 'The file is empty')),
  sha256: z.string('A SHA-256 is required').check(z.regex(/^[0-9a-f]{64}$/, 'The SHA-256 is 64 hexadecimal digits')),
  /** What the lender asked, if the file answers it. */
  request_id: z.optional(z.nullable(z.guid('request_id must be an id'))),
})

/** An upload: which parts are there already, so that a broken one continues where it stopped. */
const Upload = z.object({ document: Document, parts: z.array(z.number()) })

export const beginUpload = defineRoute({
  method: 'POST',
  path: '/crm/documents/:loid',
  auth: 'session',
  least: 'member',
  body: NewDocument,
  answer: Upload,
  summary:
    'Begins the upload of a file, or finds one that was begun. A file that the record already has is not sent again.',
})

export const storePart = defineRoute({
  method: 'PUT',
  path: '/crm/document/:id/parts',
  auth: 'session',
  least: 'member',
  bytesMax: DOCUMENT_PART_BYTES,
  query: z.object({
    /** From 0. */
    number: z.pipe(
      z.string('number is required').check(z.regex(/^\d{1,3}$/, 'number must be a whole number')),
      z.transform(Number),
    ),
  }),
  answer: z.object({ parts: z.array(z.number()) }),
  summary: 'Stores one part of a file. It may be repeated; a part that is there stays as it is.',
})

export const completeUpload = defineRoute({
  method: 'POST',
  path: '/crm/document/:id/complete',
  auth: 'session',
  least: 'member',
  answer: z.object({ document: Document }),
  summary: 'Checks a file whose parts are all there, and sends it to the lender. It may be repeated.',
})

export const takeBack = defineRoute({
  method: 'DELETE',
  path: '/crm/document/:id',
  auth: 'session',
  least: 'member',
  answer: z.object({ id: z.string() }),
  summary: 'Takes back a file that the caller uploaded.',
})

export const openDocument = defineRoute({
  method: 'GET',
  path: '/crm/document/:id/content',
  auth: 'session',
  least: 'viewer',
  answer: z.string(),
  envelope: 'file',
  summary: 'The content of a document, from the CRM or, while it is on its way, from the portal.',
})
