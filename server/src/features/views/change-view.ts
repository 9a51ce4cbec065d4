import type { ListView } from '@portal/contract/views.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Conflict, Forbidden } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findNamed, getView, viewNotFound } from './get-view.ts'
import { findViews, lockView, lockViewsOf, removeDefault, saveDefault, updateView } from './views.queries.ts'

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
    await lockViewsOf(tx, caller.personId)
    // Until the transaction ends, the view's owner cannot remove it.
    await lockView(tx, caller.id, id)
    const view = await getView(tx, caller, id)
    if (!view.is_mine && (name !== undefined || is_shared !== undefined)) throw viewNotFound()
    if (name !== undefined) await rename(tx, caller, view, name)
    if (is_shared !== undefined) {
      if (is_shared && caller.role !== 'owner') throw new Forbidden('NOT_ALLOWED', 'Only an owner can share a view.')
      await updateView(tx, caller, id, { is_shared })
    }
    if (is_default === true) await saveDefault(tx, caller.personId, view)
    if (is_default === false) await removeDefault(tx, caller.personId, id)
    return getView(tx, caller, id)
  })
}

async function rename(tx: Tx, caller: SessionCaller, { id, list }: ListView, name: string): Promise<void> {
  const known = findNamed(await findViews(tx, caller), { list, name })
  if (known && known.id !== id) throw new Conflict('CONFLICT', 'You have a view of this name.')
  await updateView(tx, caller, id, { name })
}
