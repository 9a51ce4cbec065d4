import type { Hearing } from '@portal/contract/live.ts'
import type { Role } from '@portal/contract/roles.ts'
import type { Session } from '@portal/contract/sessions.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'
import { SEES_MONEY } from '../../records/partners/sees-money.ts'
import { PERSON_NAME } from './people.queries.ts'

/** Stores a session. If it exists already, it stays unchanged. */
export async function insertSession(
  tx: Db | Tx,
  session: {
    tokenHash: Buffer
    personId: string
    familyId: string
    signedInAt: string
    confirmedAt: string
    expiresAt: string
    ip: string | null
    browser: string | null
    lastSeenAt?: string | null
  },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      person_id: session.personId,
      family_id: session.familyId,
      signed_in_at: session.signedInAt,
      confirmed_at: session.confirmedAt,
      expires_at: session.expiresAt,
      ip: session.ip,
      browser: session.browser,
      last_seen_at: session.lastSeenAt ?? null,
    })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute()
}

export interface SessionOwner {
  partner_id: string
  person_id: string
  role: Role
  sees_money: boolean
  email: string
  email_verified: boolean
  name: string
  business_name: string
  crm: PartnerRow['crm']
  held_for: PartnerRow['held_for']
  access: PartnerRow['access']
  last_seen_at: string | null
  must_set_up_second_factor: boolean
}

const MUST_SET_UP_SECOND_FACTOR = `(partners.second_factor_required or people.must_recover)
                   and not exists (select from totp_keys where person_id = people.id and confirmed_at is not null)
                   and not exists (select from passkeys where person_id = people.id)`

/**
 * Finds the person whose session this is. It is a named statement, because it runs for every call with a session token
 * that the process does not remember. A deactivated person or partner, and a suspended partner (D116), has no session.
 */
export async function findSessionOwner(reads: Reads, tokenHash: Buffer, now: Date): Promise<SessionOwner | undefined> {
  const rows = await sendNamed<SessionOwner>(reads, {
    sql: `select people.partner_id, people.id as person_id, people.role, people.email, people.email_verified,
                 sessions.last_seen_at,
                 ${PERSON_NAME} as name, ${SEES_MONEY} as sees_money,
                 partners.business_name, partners.crm, partners.held_for, partners.access,
                 ${MUST_SET_UP_SECOND_FACTOR} as must_set_up_second_factor
            from sessions
            join people on people.id = sessions.person_id
            join partners on partners.id = people.partner_id
           where sessions.token_hash = $1 and sessions.expires_at > $2 and people.is_active and partners.is_active
             and partners.access <> 'suspended'`,
    parameters: [tokenHash, now.toISOString()],
  })
  return rows[0]
}

/**
 * Finds what the people of sessions may see. Each session is given as its token's hash in hex. Leaves out sessions that are not valid
 * and sessions of people who must first set up a second factor. The query reads many sessions at once, so it does not
 * use the connections of the hot reads, where pages would wait for it.
 */
export async function findHearingsOfSessions(
  pool: pg.Pool,
  sessions: readonly string[],
  now: Date,
): Promise<Map<string, Hearing>> {
  const rows = await sendNamed<{ session: string; role: Role; sees_money: boolean }>(pool, {
    sql: `select encode(sessions.token_hash, 'hex') as session, people.role, ${SEES_MONEY} as sees_money
            from sessions
            join people on people.id = sessions.person_id
            join partners on partners.id = people.partner_id
           where sessions.token_hash = any($1::bytea[]) and sessions.expires_at > $2
             and people.is_active and partners.is_active and partners.access <> 'suspended' and not (${MUST_SET_UP_SECOND_FACTOR})`,
    parameters: [sessions.map((session) => Buffer.from(session, 'hex')), now.toISOString()],
  })
  return new Map(
    rows.map(({ session, role, sees_money }) => [session, { role, personRights: sees_money ? ['money'] : [] }]),
  )
}

/** Stores the seed of the session's next token, unless the session has a seed already, and returns the session. */
export function keepSuccessorSeed(tx: Tx, tokenHash: Buffer, seed: Buffer) {
  return tx
    .updateTable('sessions')
    .set((eb) => ({ successor_seed: eb.fn.coalesce('successor_seed', eb.val(seed)) }))
    .where('token_hash', '=', tokenHash)
    .returning((eb) => [
      'family_id',
      'signed_in_at',
      'confirmed_at',
      'ip',
      'browser',
      'last_seen_at',
      eb.ref('successor_seed').$notNull().as('successor_seed'),
    ])
    .executeTakeFirst()
}

export async function hasSession(db: Db | Tx, tokenHash: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('person_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row !== undefined
}

export function findSession(db: Db, tokenHash: Buffer) {
  return db
    .selectFrom('sessions')
    .select(['family_id', 'confirmed_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
}

/** Marks the session and all others of its family as confirmed. */
export async function markConfirmed(tx: Tx, tokenHash: Buffer, at: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ confirmed_at: at })
    .where('family_id', '=', (eb) => eb.selectFrom('sessions').select('family_id').where('token_hash', '=', tokenHash))
    .execute()
}

/** Ends the session at `expiresAt` if it would last longer. */
export async function shortenSession(tx: Tx, tokenHash: Buffer, expiresAt: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ expires_at: expiresAt })
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', expiresAt)
    .execute()
}

/** The person's sessions, one per family, the most recently seen first. */
export function findSessions(db: Db, personId: string, tokenHash: Buffer, now: Date): Promise<Session[]> {
  return db
    .selectFrom('sessions')
    .select(({ fn, eb, ref }) => [
      'family_id as id',
      fn.max('browser').as('browser'),
      fn.max('ip').as('ip'),
      fn.min('signed_in_at').as('first_seen_at'),
      fn.max(fn.coalesce('last_seen_at', 'signed_in_at')).as('last_seen_at'),
      fn.agg<boolean>('bool_or', [eb(ref('token_hash'), '=', tokenHash)]).as('is_this_one'),
    ])
    .where('person_id', '=', personId)
    .where('expires_at', '>', now.toISOString())
    .groupBy('family_id')
    .orderBy('last_seen_at', 'desc')
    .orderBy('family_id', 'desc')
    .execute()
}

/**
 * Stores when the session and the person were last seen. Writes nothing if another call has stored this minute or a
 * later one. Takes the person's lock first, as every change of sessions does. If the person is locked, writes nothing
 * and leaves it to the next call.
 */
export async function markSeen(db: Db, tokenHash: Buffer, minute: string): Promise<void> {
  await sql`
    with person as (
      select people.id from people join sessions on sessions.person_id = people.id
       where sessions.token_hash = ${tokenHash}
         for no key update of people skip locked),
    session as (
      update sessions set last_seen_at = ${minute} from person
       where sessions.token_hash = ${tokenHash} and sessions.person_id = person.id
         and (sessions.last_seen_at is null or sessions.last_seen_at < ${minute}))
    update people set last_seen_at = ${minute} from person
     where people.id = person.id and (people.last_seen_at is null or people.last_seen_at < ${minute})`.execute(db)
}

// Refreshing, adding and removing sessions all lock the person first (`lockPerson`), so that a removal misses no session
// that a refresh is about to add.

/** Removes the person's session with this id, and returns its browser. Undefined if the person has no such session. */
export function removeSession(
  tx: Tx,
  personId: string,
  sessionId: string,
): Promise<{ browser: string | null } | undefined> {
  return tx
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .where('family_id', '=', sessionId)
    .returning('browser')
    .executeTakeFirst()
}

/** Removes the person's sessions except for this many, those that were seen last. */
export async function removeSessionsBeyond(tx: Tx, personId: string, most: number, now: Date): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('family_id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('family_id')
        .where('person_id', '=', personId)
        .where('expires_at', '>', now.toISOString())
        .groupBy('family_id')
        .orderBy((order) => order.fn.max(order.fn.coalesce('last_seen_at', 'signed_in_at')), 'desc')
        .offset(most),
    )
    .execute()
}

/** Removes this session with its whole family. */
export async function removeSessionFamily(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('family_id', '=', (eb) => eb.selectFrom('sessions').select('family_id').where('token_hash', '=', tokenHash))
    .execute()
}

/** Removes all of the person's sessions. Returns how many. */
export async function removeSessions(tx: Tx, personId: string): Promise<number> {
  const removal = await tx.deleteFrom('sessions').where('person_id', '=', personId).executeTakeFirst()
  return Number(removal.numDeletedRows)
}

/** Removes the sessions of all people of the partner. Returns how many. */
export async function removeSessionsOfPartner(tx: Tx, partnerId: string): Promise<number> {
  const removal = await tx
    .deleteFrom('sessions')
    .where('person_id', 'in', (eb) => eb.selectFrom('people').select('id').where('partner_id', '=', partnerId))
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

/**
 * Removes the partner's sessions if the partner is suspended, and otherwise those from before this time: the suspension
 * ended meanwhile.
 */
export async function removeSessionsOfSuspended(tx: Tx, partnerId: string, until: string): Promise<void> {
  await sql`
    delete from sessions using people join partners on partners.id = people.partner_id
     where sessions.person_id = people.id and partners.id = ${partnerId}
       and (partners.access = 'suspended' or sessions.signed_in_at <= ${until})`.execute(tx)
}

/** Removes the person's sessions except those of this session's family. Returns how many. */
export async function removeOtherSessions(tx: Tx, personId: string, tokenHash: Buffer): Promise<number> {
  const removal = await tx
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .where('family_id', 'is distinct from', (eb) =>
      eb.selectFrom('sessions').select('family_id').where('token_hash', '=', tokenHash),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

/** Removes sessions that ended before this time. Returns how many. */
export function removeSessionsOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'sessions', key: ['token_hash'], time: 'expires_at' }, endedBefore, rowsMax)
}
