import type { MailKind } from '@portal/contract/notifications.ts'
import type { Db, Tx } from '../../platform/db/database.ts'

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

export async function removeUnsubscribeTokensOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('unsubscribe_tokens')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('unsubscribe_tokens').select('token_hash').where('created_at', '<', before).limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
