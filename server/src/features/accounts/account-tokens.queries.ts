import type { Db, Tx } from '../../platform/db/database.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'

type Purpose = 'reset-password' | 'verify-email' | 'verified-email' | 'second-factor'

export async function insertAccountToken(
  tx: Db | Tx,
  token: { hash: Buffer; personId: string; purpose: Purpose; expiresAt: string },
): Promise<void> {
  await tx
    .insertInto('account_tokens')
    .values({
      token_hash: token.hash,
      person_id: token.personId,
      purpose: token.purpose,
      expires_at: token.expiresAt,
    })
    .execute()
}

/**
 * Inserts the token of a mailed link unless it is there already. Returns false if the link was used, replaced or revoked
 * in the meantime.
 */
export async function insertLinkToken(
  tx: Tx,
  token: { hash: Buffer; personId: string; purpose: Purpose; expiresAt: string },
): Promise<boolean> {
  if (await findEndedLink(tx, token.hash, token.purpose)) return false
  if (!(await findAccountToken(tx, token.hash, token.purpose))) await insertAccountToken(tx, token)
  return true
}

function findEndedLink(db: Db | Tx, hash: Buffer, purpose: Purpose) {
  return db
    .selectFrom('ended_links')
    .select(['person_id', 'expires_at'])
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
}

export function findAccountToken(tx: Db | Tx, hash: Buffer, purpose: Purpose) {
  return tx
    .selectFrom('account_tokens')
    .select(['person_id', 'expires_at'])
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
}

/** Ends the person's tokens, except the one with the hash `kept`. */
export async function removeAccountTokens(
  tx: Tx,
  personId: string,
  purpose?: Purpose,
  kept: Buffer | null = null,
): Promise<void> {
  await tx
    .with('ended', (db) =>
      db
        .deleteFrom('account_tokens')
        .where('person_id', '=', personId)
        .$if(purpose !== undefined, (removal) => removal.where('purpose', '=', purpose ?? 'second-factor'))
        .$if(kept !== null, (removal) => removal.where('token_hash', '<>', kept ?? Buffer.alloc(0)))
        .returning(['token_hash', 'purpose', 'person_id', 'expires_at']),
    )
    .insertInto('ended_links')
    .columns(['token_hash', 'purpose', 'person_id', 'expires_at'])
    .expression((eb) => eb.selectFrom('ended').selectAll().where('purpose', '<>', 'second-factor'))
    .execute()
}

/** Turns the links that could confirm the person's address into links that say that it is confirmed. */
export async function markTokensVerified(tx: Tx, personId: string): Promise<void> {
  await tx
    .updateTable('account_tokens')
    .set({ purpose: 'verified-email' })
    .where('person_id', '=', personId)
    .where('purpose', '=', 'verify-email')
    .execute()
}

/**
 * Uses up a token that is still valid, and returns the id of its person. If two calls use it at once, only one gets the
 * id.
 */
export async function takeAccountToken(
  tx: Tx,
  hash: Buffer,
  purpose: Purpose,
  now: string,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('account_tokens')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(['token_hash', 'purpose', 'person_id', 'expires_at'])
    .executeTakeFirst()
  if (row && purpose !== 'second-factor') await tx.insertInto('ended_links').values(row).execute()
  return row?.person_id
}

export function removeEndedLinksOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'ended_links', key: ['token_hash'], time: 'expires_at' }, endedBefore, rowsMax)
}

export function removeAccountTokensOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'account_tokens', key: ['token_hash'], time: 'expires_at' }, endedBefore, rowsMax)
}
