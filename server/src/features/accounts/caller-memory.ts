import type { Clock } from '../../platform/clock.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'

const REMEMBERED_MS = 1_000
const CALLERS_MAX = 10_000

type FindCaller = (token: string) => Promise<SessionCaller | undefined>

export interface CallerMemory {
  find: FindCaller
  /** Forgets all callers. Call this after a session has ended, or a person or partner has changed. */
  forget(): void
}

/**
 * Remembers the owner of each session token for a second, because a page makes half a dozen calls at once. A session
 * that this process ends is forgotten at once. A session that another process ends is forgotten within that second.
 */
export function rememberCallers(find: FindCaller, clock: Clock): CallerMemory {
  const remembered = new Map<string, { caller: SessionCaller; until: number }>()
  let generation = 0

  return {
    async find(token) {
      const now = clock.now().getTime()
      const known = remembered.get(token)
      if (known && known.until > now) return known.caller
      const startedIn = generation
      const caller = await find(token)
      // A caller is not remembered if `forget` was called during the look-up. Neither is a caller who must set up a
      // second factor, because another process may store that factor at any moment.
      if (caller && !caller.mustSetUpSecondFactor && startedIn === generation) {
        if (remembered.size >= CALLERS_MAX) remembered.clear()
        remembered.set(token, { caller, until: now + REMEMBERED_MS })
      }
      return caller
    },
    forget() {
      generation += 1
      remembered.clear()
    },
  }
}
