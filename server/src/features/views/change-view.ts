import type { ListView } from '@portal/contract/views.ts'
import pg from 'pg'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Conflict, Forbidden } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { getView, viewNotFound } from './get-view.ts'
import { removeDefault, saveDefault, updateName, updateShared } from './views.queries.ts'

interface ViewChange {
  name?: string | undefined
  is_shared?: boolean | undefined
  is_default?: boolean | undefined
}

/** Renames a view of the caller's own, shares it, which only an owner may, and says whether the caller's list opens with it. */
export function changeView(
  { db }: Pick<Deps, 'db'>,
  caller: SessionCaller,
  id: string,
  { name, is_shared, is_default }: ViewChange,
): Promise<ListView> {
  return inTransaction(db, async (tx) => {
    const view = await getView(tx, caller, id)
    if (!view.is_mine && (name !== undefined || is_shared !== undefined)) throw viewNotFound()
    if (name !== undefined) await refusingTakenName(updateName(tx, caller, id, name))
    if (is_shared !== undefined) {
      if (is_shared && caller.role !== 'owner') throw new Forbidden('NOT_ALLOWED', 'Only an owner can share a view.')
      await updateShared(tx, caller, id, is_shared)
    }
    if (is_default === true) await saveDefault(tx, caller.personId, view)
    if (is_default === false) await removeDefault(tx, caller.personId, id)
    return getView(tx, caller, id)
  })
}

async function refusingTakenName(write: Promise<void>): Promise<void> {
  try {
    await write
  } catch (error) {
    const isTaken = error instanceof pg.DatabaseError && error.constraint === 'list_views_person_id_list_name_key'
    throw isTaken ? new Conflict('CONFLICT', 'You have a view of this name.') : error
  }
}
