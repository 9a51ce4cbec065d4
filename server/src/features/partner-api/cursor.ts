import { CURSOR_DAYS } from '@portal/contract/partner-reads.ts'
import * as z from 'zod/mini'
import { Invalid, PortalError } from '../../platform/errors.ts'

/** A number of PostgreSQL's type bigint. */
const Digits = z.string().check(
  z.regex(/^\d{1,19}$/),
  z.refine((digits) => BigInt(digits) < 2n ** 63n),
)
/** PostgreSQL has no year 0, and reads no fraction of any length. */
const Time = z.iso.datetime({ precision: 3 }).check(z.refine((time) => !time.startsWith('0000')))
const Kind = z.enum(['lead', 'deal'])

/**
 * How far a reader has come: in the list of all records, or in the changes. `from` is the transaction from which on
 * changes are read after the list.
 */
const Progress = z.discriminatedUnion('in', [
  z.object({
    in: z.literal('list'),
    kind: Kind,
    from: Digits,
    after: z.nullable(z.object({ created_at: Time, id: z.uuid() })),
  }),
  z.object({ in: z.literal('changes'), xid: Digits, place: Digits }),
])
export type Progress = z.infer<typeof Progress>

export const LISTS = ['leads', 'deals', 'events'] as const
export type ListName = (typeof LISTS)[number]

const Cursor = z.object({
  list: z.enum(LISTS),
  /** The id of the partner that reads. */
  partner: z.string(),
  /** The order of commits that the positions belong to. */
  order: z.string(),
  /** YYYY-MM-DD. The cursor is valid for 30 days after it. */
  day: z.iso.date(),
  progress: Progress,
})
export type Cursor = z.infer<typeof Cursor>

export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/**
 * Reads a cursor that `list` has given to the partner. Refuses any other text with 400, and a cursor that has ended
 * with 410.
 */
export function readCursor(
  text: string,
  { list, partner, order }: Pick<Cursor, 'list' | 'partner' | 'order'>,
  { horizon, today }: { horizon: string; today: string },
): Cursor {
  const cursor = parsed(text)
  if (cursor?.list !== list || !isOf(list, cursor.progress)) {
    throw refused('since must be the cursor of an earlier answer to this call')
  }
  if (cursor.partner !== partner) throw refused('since is the cursor of another business. Start again without since.')
  const ageDays = (Date.parse(today) - Date.parse(cursor.day)) / 86_400_000
  const { progress } = cursor
  // A cursor from the future is from a database that was put back to an earlier state.
  const isAhead = BigInt(progress.in === 'list' ? progress.from : progress.xid) > BigInt(horizon)
  if (cursor.order !== order || ageDays > CURSOR_DAYS || isAhead) {
    throw new PortalError(410, 'START_AGAIN', 'This cursor has ended. Start again without since.')
  }
  return cursor
}

function refused(message: string): Invalid {
  return new Invalid('VALIDATION', message, { since: message })
}

/** Whether the list has such records. */
function isOf(list: ListName, progress: Progress): boolean {
  return progress.in === 'changes' || list === 'events' || list === `${progress.kind}s`
}

function parsed(text: string): Cursor | undefined {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return undefined
  }
}
