import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { NotFound } from '../../platform/errors.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { removeApiKey, removeNamedKey } from './api-keys.queries.ts'

type KeyDeps = Pick<Deps, 'db' | 'clock' | 'jobs'>

export async function revokeKey(deps: KeyDeps, partnerId: string, security: NoteSecurity): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (!(await removeApiKey(tx, partnerId))) return
    await enqueueNoticeToOwners(tx, deps, partnerId, 'api-key-revoked')
    await security(tx, 'api-key-revoked')
  })
}

/** Ends one key with a name. Throws NotFound if the partner has no such key. */
export async function endKey(deps: KeyDeps, partnerId: string, id: string, security: NoteSecurity): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const name = await removeNamedKey(tx, partnerId, id)
    if (name === undefined) throw new NotFound('There is no such API key')
    await enqueueNoticeToOwners(tx, deps, partnerId, 'api-key-revoked', { key: name })
    await security(tx, 'api-key-revoked', { subject: { id, name } })
  })
}
