import { readAccess } from '@portal/contract/access.ts'
import { removeOtherAccess } from '@portal/contract/second-factor.ts'
import { endOtherSessions, endSession, listSessions } from '@portal/contract/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { type AccountAccess, findAccess } from './access.ts'
import type { CallerMemory } from './caller-memory.ts'
import { endOtherSessionsOf, endSessionOf } from './end-sessions.ts'
import { removeOtherAccessOf } from './second-factor/remove-other-access.ts'
import { findSessions } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

interface Neighbours {
  callers: CallerMemory
  access: AccountAccess
}

export function sessionRoutes(mount: Mount, deps: Deps, { callers, access }: Neighbours): void {
  mount(readAccess, async ({ partner: { id, personId, role, token } }) => ({
    items: await findAccess(
      deps.db,
      { access, clock: deps.clock },
      { id: personId, partner_id: id, role },
      hashToken(token),
    ),
  }))
  mount(removeOtherAccess, async ({ partner, body, ...call }) => {
    await removeOtherAccessOf(deps, partner, body, call)
    callers.forget()
    return {}
  })
  mount(listSessions, async ({ partner: { personId, token } }) => ({
    sessions: await findSessions(deps.db, personId, hashToken(token), deps.clock.now()),
  }))
  mount(endSession, async ({ partner, params, security }) => {
    await endSessionOf(deps, partner, params.id, security)
    callers.forget()
    return {}
  })
  mount(endOtherSessions, async ({ partner, security }) => {
    await endOtherSessionsOf(deps, partner, security)
    callers.forget()
    return {}
  })
}
