import type { ListView } from '@portal/contract/views.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { findView } from './views.queries.ts'

export async function getView(db: Db | Tx, caller: SessionCaller, id: string): Promise<ListView> {
  const view = await findView(db, caller, id)
  if (!view) throw viewNotFound()
  return view
}

export function viewNotFound(): NotFound {
  return new NotFound('View not found')
}
