import { fold } from '@portal/contract/fold.ts'
import type { ListView } from '@portal/contract/views.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findView } from './views.queries.ts'

/** The person's own view of the list that has this name, as people see it (D142). */
export function findNamed(views: readonly ListView[], { list, name }: Pick<ListView, 'list' | 'name'>) {
  return views.find((one) => one.is_mine && one.list === list && fold(one.name) === fold(name))
}

export async function getView(db: Db | Tx, caller: SessionCaller, id: string): Promise<ListView> {
  const view = await findView(db, caller, id)
  if (!view) throw viewNotFound()
  return view
}

export function viewNotFound(): NotFound {
  return new NotFound('View not found')
}
