import type { Db, Tx } from '../../db/database.ts'

type Purpose = 'reset-password' | 'verify-email' | 'second-factor'

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

export function findAccountToken(tx: Db | Tx, hash: Buffer, purpose: Purpose) {
  return tx
    .selectFrom('account_tokens')
    .select(['person_id', 'expires_at'])
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
}

export async function removeAccountTokens(tx: Tx, personId: string, purpose?: Purpose): Promise<void> {
  let removal = tx.deleteFrom('account_tokens').where('person_id', '=', personId)
  if (purpose) removal = removal.where('purpose', '=', purpose)
  await removal.execute()
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
    .returning('person_id')
    .executeTakeFirst()
  return row?.person_id
}

export async function removeAccountTokensOfAllPartners(db: Db, endedBefore: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('account_tokens')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('account_tokens').select('token_hash').where('expires_at', '<', endedBefore).limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
