import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPerson } from './people.queries.ts'
import { removeOtherSessions, removeSession, removeSessionFamily } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/** Ends one of the caller's own sessions, possibly the current one. */
export async function endSessionOf(
  { db }: Pick<Deps, 'db'>,
  { personId }: SessionCaller,
  sessionId: string,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockPerson(tx, personId)
    const ended = isId(sessionId) ? await removeSession(tx, personId, sessionId) : undefined
    if (!ended) throw new NotFound('Session not found')
    await security(tx, 'session-ended', { detail: ended.browser ?? undefined })
  })
}

export async function endOtherSessionsOf(
  { db }: Pick<Deps, 'db'>,
  { personId, token }: SessionCaller,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockPerson(tx, personId)
    const ended = await removeOtherSessions(tx, personId, hashToken(token))
    if (ended > 0) await security(tx, 'other-sessions-ended')
  })
}

/** Ends the caller's own session. */
export async function signOutCaller(
  { db }: Pick<Deps, 'db'>,
  { personId, token }: SessionCaller,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockPerson(tx, personId)
    await removeSessionFamily(tx, hashToken(token))
    await security(tx, 'signed-out')
  })
}
