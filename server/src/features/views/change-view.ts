import type { ListView } from '@portal/contract/views.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Forbidden } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { getView, viewNotFound } from './get-view.ts'
import { removeDefault, saveDefault, updateShared } from './views.queries.ts'

interface ViewChange {
  is_shared?: boolean | undefined
  is_default?: boolean | undefined
}

/** Shares a view of the caller's own, which only an owner may, and says whether the caller's list opens with it. */
export function changeView(
  { db }: Pick<Deps, 'db'>,
  caller: SessionCaller,
  id: string,
  { is_shared, is_default }: ViewChange,
): Promise<ListView> {
  return inTransaction(db, async (tx) => {
    const view = await getView(tx, caller, id)
    if (is_shared !== undefined) {
      if (!view.is_mine) throw viewNotFound()
      if (is_shared && caller.role !== 'owner') throw new Forbidden('NOT_ALLOWED', 'Only an owner can share a view.')
      await updateShared(tx, caller, id, is_shared)
    }
    if (is_default === true) await saveDefault(tx, caller.personId, view)
    if (is_default === false) await removeDefault(tx, caller.personId, id)
    return getView(tx, caller, id)
  })
}
