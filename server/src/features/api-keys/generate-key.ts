import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { replaceApiKey } from './api-keys.queries.ts'
import { hashKey, keyPreview, newApiKey } from './key-format.ts'

type KeyDeps = Pick<Deps, 'db' | 'clock' | 'jobs'>

/** Makes a new key for the partner and returns it. The portal stores only the key's hash and first characters (D39). */
export async function generateKey(deps: KeyDeps, caller: SessionCaller, security: NoteSecurity): Promise<string> {
  const key = newApiKey()
  const created_at = deps.clock.now().toISOString()
  await inTransaction(deps.db, async (tx) => {
    await lockCaller(tx, deps, caller)
    await replaceApiKey(tx, caller.id, {
      key_hash: hashKey(key),
      preview: keyPreview(key),
      created_at,
      made_by: caller.personId,
    })
    await enqueueNoticeToOwners(tx, deps, caller.id, 'api-key-made')
    await security(tx, 'api-key-made')
  })
  return key
}
