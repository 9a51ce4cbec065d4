import type { BegunSession, VerifiedSession } from '@portal/contract/accounts.ts'
import { HOLDS } from '@portal/contract/holds.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { minuteOf } from '../../platform/db/minute-of.ts'
import { Unauthorized } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { countHidden } from '../../records/kinds/hidden-records.queries.ts'
import { takesNone } from '../../records/kinds/not-taken.queries.ts'
import { holdOf } from '../../records/partners/hold-of.ts'
import { findManager } from '../../records/partners/partner-facts.queries.ts'
import { findOpenAgreement } from './agreement/require-agreement.ts'
import { findPutAway, lockPerson, type Person } from './people.queries.ts'
import {
  findSession,
  findSessionOwner,
  insertSession,
  keepSuccessorSeed,
  markSeen,
  removeSessionsBeyond,
  shortenSession,
} from './sessions.queries.ts'
import { hashToken, newToken, newTokenSeed, successorOf } from './tokens.ts'

const HOUR_MS = 3_600_000
const SESSION_MS = 24 * HOUR_MS
const SESSION_MS_MAX = 30 * 24 * HOUR_MS
/** A person's sessions, so that a list shows all of them. */
const SESSIONS_MAX = 100
/** How long a confirmation stays valid (D66). */
const CONFIRMED_MS = 15 * 60_000
/** How long the old token stays valid, for requests that were sent before the exchange (D12). */
const OVERLAP_MS = 30_000

type SessionDeps = Pick<Deps, 'db' | 'reads' | 'clock'>

/**
 * Starts a session of 24 hours and returns its token. The session begins a new family. Each refresh of the token adds a
 * session to this family (D54). A person has at most 100 sessions: another sign-in ends the one that has not been seen
 * for the longest time. The caller holds the person's lock.
 */
export async function startSession(
  tx: Tx,
  { clock }: SessionDeps,
  person: Person,
  { ip, browser }: Visitor,
): Promise<BegunSession> {
  const now = clock.now()
  const token = newToken()
  await insertSession(tx, {
    tokenHash: hashToken(token),
    personId: person.id,
    familyId: newId(now),
    signedInAt: now.toISOString(),
    confirmedAt: now.toISOString(),
    expiresAt: later(now, SESSION_MS),
    ip,
    browser,
  })
  await removeSessionsBeyond(tx, person.id, SESSIONS_MAX, now)
  return {
    token,
    partner: { id: person.partner_id, email: person.email, businessName: person.business_name },
    person: { id: person.id, role: person.role, hasUnverifiedEmail: !person.email_verified },
  }
}

export async function findCaller(
  { db, reads, clock, log }: Pick<Deps, 'db' | 'reads' | 'clock' | 'log'>,
  token: string,
): Promise<SessionCaller | undefined> {
  const now = clock.now()
  const tokenHash = hashToken(token)
  const owner = await findSessionOwner(reads, tokenHash, now)
  if (!owner) return undefined
  const minute = minuteOf(now)
  if (owner.last_seen_at === null || owner.last_seen_at < minute) {
    // The request does not wait for this write.
    markSeen(db, tokenHash, minute).catch((error: unknown) =>
      log.warn({ err: error }, 'the time of a session’s last call was not stored'),
    )
  }
  return {
    id: owner.partner_id,
    businessName: owner.business_name,
    submitter: { id: owner.person_id, name: owner.name },
    personId: owner.person_id,
    role: owner.role,
    personRights: owner.sees_money ? ['money'] : [],
    mustSetUpSecondFactor: owner.must_set_up_second_factor,
    token,
  }
}

/** Whether the caller confirmed their identity within the last 15 minutes. Some routes require this (D66). */
export async function isConfirmed(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { token }: SessionCaller,
): Promise<boolean> {
  const session = await findSession(db, hashToken(token))
  return session !== undefined && Date.parse(session.confirmed_at) > clock.now().getTime() - CONFIRMED_MS
}

/** Returns the owner of a session token. Refuses other tokens with the specification's default text. */
export async function verifySessionToken(
  deps: SessionDeps & Pick<Deps, 'announcement' | 'agreement' | 'config'>,
  token: string,
): Promise<VerifiedSession> {
  const { reads, clock, announcement } = deps
  const owner = await findSessionOwner(reads, hashToken(token), clock.now())
  if (!owner) throw new Unauthorized('UNAUTHORIZED', 'Token verification failed')
  const hold = holdOf(owner)
  return {
    partnerId: owner.partner_id,
    personId: owner.person_id,
    personName: owner.name,
    role: owner.role,
    seesPayments: owner.sees_money,
    businessName: owner.business_name,
    partnerEmail: owner.email,
    hasUnverifiedEmail: !owner.email_verified,
    mustConfirmEmail: hold !== null && HOLDS[hold].code === 'CONFIRM_EMAIL',
    hold,
    hiddenRecords: await countHidden(reads, owner.partner_id),
    crmTakesNone: await takesNone(reads),
    manager: await findManager(reads, owner.partner_id),
    announcement: announcement && (await findPutAway(reads, owner.person_id)) !== announcement.id ? announcement : null,
    agreement: await findOpenAgreement(deps, owner.partner_id),
  }
}

/**
 * Exchanges the caller's token for a new one. A second exchange of the same token gives the same new token, so that a
 * session never becomes two (D54). No chain of exchanges lasts longer than 30 days from the sign-in.
 */
export async function refreshCallerSession(
  { db, clock }: SessionDeps,
  caller: SessionCaller,
): Promise<{ token: string }> {
  const now = clock.now()
  const tokenHash = hashToken(caller.token)
  return inTransaction(db, async (tx) => {
    await lockPerson(tx, caller.personId)
    const session = await keepSuccessorSeed(tx, tokenHash, newTokenSeed())
    if (!session) throw new Unauthorized()
    const end = Math.min(now.getTime() + SESSION_MS, Date.parse(session.signed_in_at) + SESSION_MS_MAX)
    if (end <= now.getTime()) throw new Unauthorized()
    const token = successorOf(caller.token, session.successor_seed)
    await insertSession(tx, {
      tokenHash: hashToken(token),
      personId: caller.personId,
      familyId: session.family_id,
      signedInAt: session.signed_in_at,
      confirmedAt: session.confirmed_at,
      expiresAt: new Date(end).toISOString(),
      ip: session.ip,
      browser: session.browser,
      lastSeenAt: session.last_seen_at,
    })
    await shortenSession(tx, tokenHash, later(now, OVERLAP_MS))
    return { token }
  })
}

function later(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}
