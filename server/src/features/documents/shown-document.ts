import { type Document, TAKE_BACK_MINUTES } from '@portal/contract/documents.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { ShownDocument } from '../../records/documents/documents.queries.ts'

const PICTURES = ['image/jpeg', 'image/png', 'image/webp']

/** A document as this caller sees it (D104). */
export function shownDocument(row: ShownDocument, caller: Pick<SessionCaller, 'personId'>, now: Date): Document {
  const { id, name, size, state, problem, added_by, added_at, request_id, type } = row
  const isLenders = row.sha256 === null
  const isDeleted = row.deleted_at !== null
  const until = takeBackUntil(row)
  const mayTakeBack =
    row.person_id === caller.personId && (until === null || until > now.toISOString()) && !isLenders && !isDeleted
  return {
    id,
    name,
    size,
    state: isDeleted ? 'deleted' : state,
    problem,
    is_lenders: isLenders,
    added_by,
    added_at,
    request_id,
    can_open: state === 'pending' || (state === 'synced' && !isDeleted),
    is_picture: type !== null && PICTURES.includes(type),
    take_back_until: mayTakeBack && !(row.is_settled && state === 'synced') ? (until ?? LONG) : null,
  }
}

/** Until when a person may take back their file; null for ever, as for a file that was never sent. */
function takeBackUntil({ state, added_at }: Pick<ShownDocument, 'state' | 'added_at'>): string | null {
  if (state === 'uploading' || state === 'failed') return null
  return new Date(Date.parse(added_at) + TAKE_BACK_MINUTES * 60_000).toISOString()
}

const LONG = '9999-12-31T00:00:00.000Z'
