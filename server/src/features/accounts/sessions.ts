import type { SignedInPartner } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Unauthorized } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { findSessionOwner, getSignedInAt, insertSession, shortenSession } from './accounts.queries.ts'
import { hashToken, newToken } from './tokens.ts'

const HOUR_MS = 3_600_000
const SESSION_MS = 24 * HOUR_MS
const SESSION_MS_MAX = 30 * 24 * HOUR_MS
/** For requests that were on their way when the token was exchanged (D12). */
const OVERLAP_MS = 30_000

type SessionDeps = Pick<Deps, 'db' | 'reads' | 'clock'>

/** A new session's token, valid 24 hours. */
export async function startSession({ db, clock }: SessionDeps, partnerId: string): Promise<string> {
  const now = clock.now()
  const token = newToken()
  await insertSession(db, {
    tokenHash: hashToken(token),
    partnerId,
    signedInAt: now.toISOString(),
    expiresAt: later(now, SESSION_MS),
  })
  return token
}

export async function findCaller({ reads, clock }: SessionDeps, token: string): Promise<SessionCaller | undefined> {
  const sessionHash = hashToken(token)
  const owner = await findSessionOwner(reads, sessionHash, clock.now())
  return owner && { id: owner.id, email: owner.email, businessName: owner.business_name, sessionHash }
}

/** The text is the specification's default for a failed verification. */
export async function verifySessionToken(deps: SessionDeps, token: string): Promise<SignedInPartner> {
  const caller = await findCaller(deps, token)
  if (!caller) throw new Unauthorized('UNAUTHORIZED', 'Token verification failed')
  return { partnerId: caller.id, businessName: caller.businessName, partnerEmail: caller.email }
}

/** Exchanges the caller's token. No chain of exchanges outlives 30 days from the sign-in. */
export async function refreshCallerSession(
  { db, clock }: SessionDeps,
  caller: SessionCaller,
): Promise<{ token: string }> {
  const now = clock.now()
  const token = newToken()
  return db.transaction().execute(async (tx) => {
    const signedInAt = await getSignedInAt(tx, caller.sessionHash)
    if (signedInAt === undefined) throw new Unauthorized()
    const end = Math.min(now.getTime() + SESSION_MS, Date.parse(signedInAt) + SESSION_MS_MAX)
    if (end <= now.getTime()) throw new Unauthorized()
    await insertSession(tx, {
      tokenHash: hashToken(token),
      partnerId: caller.id,
      signedInAt,
      expiresAt: new Date(end).toISOString(),
    })
    await shortenSession(tx, caller.sessionHash, later(now, OVERLAP_MS))
    return { token }
  })
}

function later(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}
