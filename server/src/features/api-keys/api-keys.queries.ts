import type { Db } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

interface KeyOwner {
  id: string
  business_name: string
  preview: string
  last_used_at: string | null
}

/**
 * Finds the owner of a key by the key's hash, in a unique index. The key itself is never compared with a stored one, so
 * the duration does not reveal how close a guess was (D39). The key of a deactivated partner is not found.
 */
export async function findKeyOwner(reads: Reads, keyHash: Buffer): Promise<KeyOwner | undefined> {
  const rows = await sendNamed<KeyOwner>(reads, {
    sql: `select p.id, p.business_name, k.preview, k.last_used_at
            from api_keys k join partners p on p.id = k.partner_id
           where k.key_hash = $1 and p.is_active`,
    parameters: [keyHash],
  })
  return rows[0]
}

export function findApiKey(db: Db, partnerId: string) {
  return db
    .selectFrom('api_keys')
    .select(['preview', 'created_at', 'last_used_at'])
    .where('partner_id', '=', partnerId)
    .executeTakeFirst()
}

/** Stores the partner's key. It replaces an older one, because a partner has at most one key. */
export async function replaceApiKey(
  db: Db,
  partnerId: string,
  key: { key_hash: Buffer; preview: string; created_at: string; made_by: string },
): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({ partner_id: partnerId, last_used_at: null, ...key })
    .onConflict((conflict) => conflict.column('partner_id').doUpdateSet({ ...key, last_used_at: null }))
    .execute()
}

/** Removes the partner's key. Returns false if there was no key. */
export async function removeApiKey(db: Db, partnerId: string): Promise<boolean> {
  const removal = await db.deleteFrom('api_keys').where('partner_id', '=', partnerId).executeTakeFirst()
  return removal.numDeletedRows > 0n
}

/** Stores when the key was last used. Writes nothing if another call has stored this minute or a later one. */
export async function markKeyUsed(db: Db, keyHash: Buffer, minute: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: minute })
    .where('key_hash', '=', keyHash)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', minute)]))
    .execute()
}
