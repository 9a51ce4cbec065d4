import { VIEWS_MAX } from '@portal/contract/limits.ts'
import type { ListView, ViewedList } from '@portal/contract/views.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Conflict } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findNamed, getView } from './get-view.ts'
import { countViews, findViews, lockViewsOf, saveView } from './views.queries.ts'

/** Keeps the address of a list under a name, in place of the person's view of that name. */
export function keepView(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: SessionCaller,
  view: { list: ViewedList; name: string; query: string },
): Promise<ListView> {
  const now = clock.now()
  const row = {
    ...view,
    id: newId(now),
    partner_id: caller.id,
    person_id: caller.personId,
    created_at: now.toISOString(),
  }
  return inTransaction(db, async (tx) => {
    await lockViewsOf(tx, caller.personId)
    const known = findNamed(await findViews(tx, caller), view)
    const id = await saveView(tx, { ...row, name: known?.name ?? view.name })
    if (id === row.id && (await countViews(tx, caller)) > VIEWS_MAX) {
      throw new Conflict('CONFLICT', `You have ${VIEWS_MAX} views. Please remove one first.`)
    }
    return getView(tx, caller, id)
  })
}
