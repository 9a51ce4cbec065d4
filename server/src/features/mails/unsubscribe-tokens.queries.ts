import type { MailKind } from '@portal/contract/notifications.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'

/**
 * Stores the token of a mail's unsubscribe link. An existing token stays as it is, because a later attempt to send the
 * mail covers the same kinds of news as the first attempt, or fewer. It covers more kinds only if the person has just
 * turned them on.
 */
export async function keepUnsubscribeToken(
  db: Db,
  token: { hash: Buffer; personId: string; kinds: MailKind[]; at: string },
): Promise<void> {
  const { hash: token_hash, personId: person_id, kinds, at: created_at } = token
  await db
    .insertInto('unsubscribe_tokens')
    .values({ token_hash, person_id, kinds, created_at })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute()
}

export function findUnsubscribeToken(tx: Tx, hash: Buffer) {
  return tx
    .selectFrom('unsubscribe_tokens')
    .select(['person_id', 'kinds'])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
}

export function removeUnsubscribeTokensOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'unsubscribe_tokens', key: ['token_hash'], time: 'created_at' }, before, rowsMax)
}
