import type { Passkey } from '@portal/contract/second-factor.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { removeOlder } from '../../../platform/db/remove-older.ts'
import type { StoredPasskey } from './webauthn.ts'

const STORED = ['credential_id', 'public_key', 'counter', 'transports'] as const

/** The person's passkeys, the oldest first. */
export function findPasskeys(db: Db, personId: string): Promise<(Passkey & StoredPasskey)[]> {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'last_used_at', ...STORED])
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Looks through all partners, because only the device knows whose passkey it holds. */
export function findPasskeyOfAnyPartner(
  db: Db,
  credentialId: string,
): Promise<(StoredPasskey & { id: string; person_id: string }) | undefined> {
  return db
    .selectFrom('passkeys')
    .select(['id', 'person_id', ...STORED])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** Stores a passkey. Returns false if it is stored already. */
export async function insertPasskey(
  tx: Tx,
  passkey: StoredPasskey & { id: string; person_id: string; name: string; created_at: string },
): Promise<boolean> {
  const row = await tx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Stores the passkey's counter. Returns false if the passkey has been removed, or if the counter is not higher than the
 * stored one: then a copy of the passkey may have been used. Devices without a counter always send 0, which is
 * accepted.
 */
export async function markPasskeyUsed(db: Db, passkeyId: string, counter: number, at: string): Promise<boolean> {
  const row = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: at })
    .where('id', '=', passkeyId)
    .where((eb) => eb.or([eb('counter', '<', counter), eb('counter', '=', 0).and(eb.lit(counter === 0))]))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false if the person has no such passkey. */
export async function removePasskey(tx: Tx, personId: string, passkeyId: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .where('id', '=', passkeyId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function removePasskeys(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('person_id', '=', personId).execute()
}

/** Removes the person's passkeys except the one with this credential. Returns how many. */
export async function removeOtherPasskeys(tx: Tx, personId: string, kept: string | undefined): Promise<number> {
  const removal = await tx
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .$if(kept !== undefined, (query) => query.where('credential_id', '!=', kept ?? ''))
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

export async function removePasskeysAddedSince(tx: Tx, personId: string, at: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('person_id', '=', personId).where('created_at', '>=', at).execute()
}

/** `personId` is the person who creates a passkey. It is null if the challenge is for an existing passkey. */
export async function insertChallenge(
  db: Db,
  challenge: { challenge: string; personId: string | null; expiresAt: string },
): Promise<void> {
  await db
    .insertInto('passkey_challenges')
    .values({ challenge: challenge.challenge, person_id: challenge.personId, expires_at: challenge.expiresAt })
    .execute()
}

/**
 * Uses up a challenge. Returns false if the challenge is unknown, used, too old or meant for another person. If two
 * answers come at once, only one succeeds.
 */
export async function takeChallenge(
  db: Db,
  { challenge, personId, now }: { challenge: string; personId: string | null; now: string },
): Promise<boolean> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('person_id', 'is not distinct from', personId)
    .where('expires_at', '>', now)
    .returning('challenge')
    .executeTakeFirst()
  return row !== undefined
}

/** Removes challenges that were not answered in time. Returns how many. */
export function removeChallengesOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'passkey_challenges', key: ['challenge'], time: 'expires_at' }, endedBefore, rowsMax)
}
