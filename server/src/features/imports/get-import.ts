import type { Import } from '@portal/contract/imports.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import { findImport, lockImport } from './imports.queries.ts'

type Asker = Parameters<typeof findImport>[1]

export async function getImport(db: Db | Tx, asker: Asker, importId: string): Promise<Import> {
  const found = isId(importId) ? await findImport(db, asker, importId) : undefined
  if (!found) throw noSuchImport()
  return found
}

/** Locks an import that was not submitted, for a change. */
export async function lockChecked(tx: Tx, partnerId: string, importId: string, now: Date) {
  const locked = await lockWithRows(tx, partnerId, importId, now)
  if (locked.state !== 'checked') throw alreadySubmitted()
  return locked
}

/** Locks an import whose rows have not been removed. */
export async function lockWithRows(tx: Tx, partnerId: string, importId: string, now: Date) {
  const locked = isId(importId) ? await lockImport(tx, partnerId, importId, now.toISOString()) : undefined
  if (!locked?.has_rows) throw noSuchImport()
  return locked
}

export function alreadySubmitted(): Conflict {
  return new Conflict('CONFLICT', 'This import has been submitted, so it cannot be changed.')
}

export function noSuchImport(): NotFound {
  return new NotFound('Import not found')
}
