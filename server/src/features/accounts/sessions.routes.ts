import { endOtherSessions, endSession, listSessions } from '@portal/contract/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import type { CallerMemory } from './caller-memory.ts'
import { endOtherSessionsOf, endSessionOf } from './end-sessions.ts'
import { findSessions } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

export function sessionRoutes(mount: Mount, deps: Deps, callers: CallerMemory): void {
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
