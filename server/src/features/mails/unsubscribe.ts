import { INVALID_UNSUBSCRIBE_LINK, type MailKind } from '@portal/contract/notifications.ts'
import type { Db } from '../../platform/db/database.ts'
import { Invalid } from '../../platform/errors.ts'
import { hashToken } from '../accounts/tokens.ts'
import { saveSettings } from './settings.queries.ts'
import { findUnsubscribeToken } from './unsubscribe-tokens.queries.ts'

/**
 * Turns off the kinds of news in the token's mail. The token gives no other access. It stays valid, because a mail
 * program may send its request twice.
 */
export async function unsubscribePerson(db: Db, token: string): Promise<{ kinds: MailKind[] }> {
  return db.transaction().execute(async (tx) => {
    const link = await findUnsubscribeToken(tx, hashToken(token))
    if (!link) throw new Invalid('INVALID_UNSUBSCRIBE_LINK', INVALID_UNSUBSCRIBE_LINK)
    const choices = Object.fromEntries(link.kinds.map((kind) => [kind, 'never' as const]))
    await saveSettings(tx, link.person_id, { choices })
    return { kinds: link.kinds }
  })
}
