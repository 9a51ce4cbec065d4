import type { NamedKey } from '@portal/contract/api-keys.ts'
import type { KeyRight } from '@portal/contract/key-rights.ts'
import { personName } from '@portal/contract/person-name.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { isId, newId } from '../../platform/db/ids.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'

interface KeyOwner {
  id: string
  business_name: string
  /** Null for the specification's one key. */
  key_id: string | null
  name: string | null
  may_submit: boolean
  may_read: boolean
  last_used_at: string | null
  access: PartnerRow['access']
  portal_access_reason: string | null
}

/**
 * Finds the owner of a key by the key's hash, in a unique index. The key itself is never compared with a stored one, so
 * the duration does not reveal how close a guess was (D39). The key of a deactivated partner is not found.
 */
export async function findKeyOwner(reads: Reads, keyHash: Buffer): Promise<KeyOwner | undefined> {
  const rows = await sendNamed<KeyOwner>(reads, {
    sql: `select p.id, p.business_name, p.access, p.portal_access_reason, k.key_id, k.name, k.may_submit, k.may_read, k.last_used_at
            from (select partner_id, null::uuid as key_id, null as name, true as may_submit, false as may_read, last_used_at
                    from api_keys where key_hash = $1
                  union all
                  select partner_id, id, name, may_submit, may_read, last_used_at
                    from named_api_keys where key_hash = $1) k
            join partners p on p.id = k.partner_id
           where p.is_active`,
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

/** The partner's keys with a name, the newest first. */
export async function findNamedKeys(db: Db, partnerId: string): Promise<NamedKey[]> {
  const rows = await db
    .selectFrom('named_api_keys as key')
    .leftJoin('people', 'people.id', 'key.made_by')
    .select(['key.id', 'name', 'may_submit', 'may_read', 'preview', 'key.created_at', 'last_used_at'])
    .select(['first_name', 'last_name', 'email'])
    .where('key.partner_id', '=', partnerId)
    .orderBy('key.created_at', 'desc')
    .orderBy('key.id', 'desc')
    .execute()
  return rows.map(({ id, name, may_submit, may_read, preview, created_at, last_used_at, email, ...maker }) => ({
    id,
    name,
    rights: rightsOf({ may_submit, may_read }),
    preview,
    created_at,
    made_by: email === null ? null : personName({ ...maker, email }),
    last_used_at,
  }))
}

export function rightsOf({ may_submit, may_read }: Pick<KeyOwner, 'may_submit' | 'may_read'>): KeyRight[] {
  return [...(may_submit ? (['submit'] as const) : []), ...(may_read ? (['read'] as const) : [])]
}

export async function insertNamedKey(
  tx: Tx,
  partnerId: string,
  { rights, ...key }: { name: string; rights: readonly KeyRight[]; key_hash: Buffer; preview: string } & MadeKey,
): Promise<string> {
  const id = newId()
  const may = { may_submit: rights.includes('submit'), may_read: rights.includes('read') }
  await tx
    .insertInto('named_api_keys')
    .values({ id, partner_id: partnerId, ...may, ...key })
    .execute()
  return id
}

interface MadeKey {
  created_at: string
  made_by: string
}

/** Removes one of the partner's keys with a name. Returns its name; undefined if the partner has no such key. */
export async function removeNamedKey(tx: Tx, partnerId: string, id: string): Promise<string | undefined> {
  if (!isId(id)) return undefined
  const removed = await tx
    .deleteFrom('named_api_keys')
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return removed?.name
}

/** Stores when the key was last used. Writes nothing if another call has stored this minute or a later one. */
export async function markKeyUsed(
  db: Db,
  table: 'api_keys' | 'named_api_keys',
  keyHash: Buffer,
  minute: string,
): Promise<void> {
  await db
    .updateTable(table)
    .set({ last_used_at: minute })
    .where('key_hash', '=', keyHash)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', minute)]))
    .execute()
}
