import type { Clock } from '../../clock.ts'
import type { SessionCaller } from '../../http/authenticate.ts'

const REMEMBERED_MS = 1_000
const CALLERS_MAX = 10_000

type FindCaller = (token: string) => Promise<SessionCaller | undefined>

export interface CallerMemory {
  find: FindCaller
  /** Call this after a session has ended or a partner has changed. It forgets everything older. */
  forget(): void
}

/**
 * A page makes half a dozen calls at once, and one look at the session serves them all: the owner of a token is
 * remembered for a second. A session that this process ends is forgotten at once. One that another process ends is
 * forgotten within that second.
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
      // Two callers must not be remembered. The session of one was ended during the look-up. The other must set up a
      // second factor, and is free of that as soon as any process has set one up.
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
