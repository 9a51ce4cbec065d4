import type { Deps } from '../../deps.ts'
import { replaceApiKey } from './api-keys.queries.ts'
import { hashKey, keyPreview, newApiKey } from './key-format.ts'

/** The only moment in which the key itself exists here: what is kept is its hash (D39). */
export async function generateKey({ db, clock }: Pick<Deps, 'db' | 'clock'>, partnerId: string): Promise<string> {
  const key = newApiKey()
  const created_at = clock.now().toISOString()
  await replaceApiKey(db, partnerId, { key_hash: hashKey(key), preview: keyPreview(key), created_at })
  return key
}
