import type { Deps } from '../../deps.ts'
import type { NoteSecurity } from '../../http/security-events.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { replaceApiKey } from './api-keys.queries.ts'
import { hashKey, keyPreview, newApiKey } from './key-format.ts'

type KeyDeps = Pick<Deps, 'db' | 'clock' | 'jobs'>

/** The only moment in which the key itself exists here: what is kept is its hash (D39). */
export async function generateKey(deps: KeyDeps, partnerId: string, security: NoteSecurity): Promise<string> {
  const key = newApiKey()
  const created_at = deps.clock.now().toISOString()
  await deps.db.transaction().execute(async (tx) => {
    await replaceApiKey(tx, partnerId, { key_hash: hashKey(key), preview: keyPreview(key), created_at })
    await enqueueNoticeToOwners(tx, deps, partnerId, 'api-key-made')
    await security(tx, 'api-key-made')
  })
  return key
}
