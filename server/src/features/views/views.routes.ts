import { changeView as changeViewRoute, createView, listViews, removeView } from '@portal/contract/views.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { changeView } from './change-view.ts'
import { viewNotFound } from './get-view.ts'
import { keepView } from './keep-view.ts'
import { deleteView, findViews } from './views.queries.ts'

export function viewRoutes(mount: Mount, deps: Deps): void {
  mount(listViews, async ({ partner }) => ({ views: await findViews(deps.db, partner) }))
  mount(createView, ({ partner, body }) => keepView(deps, partner, body))
  mount(changeViewRoute, ({ partner, params, body }) => changeView(deps, partner, params.id, body))
  mount(removeView, async ({ partner, params }) => {
    if (!(await deleteView(deps.db, partner, params.id))) throw viewNotFound()
    return {}
  })
}
