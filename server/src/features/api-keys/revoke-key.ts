import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { removeApiKey } from './api-keys.queries.ts'

export async function revokeKey(
  deps: Pick<Deps, 'db' | 'clock' | 'jobs'>,
  partnerId: string,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (!(await removeApiKey(tx, partnerId))) return
    await enqueueNoticeToOwners(tx, deps, partnerId, 'api-key-revoked')
    await security(tx, 'api-key-revoked')
  })
}
