import type { Deps } from '../../deps.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { removeApiKey } from './api-keys.queries.ts'

export async function revokeKey(deps: Pick<Deps, 'db' | 'clock' | 'jobs'>, partnerId: string): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const isRemoved = await removeApiKey(tx, partnerId)
    if (isRemoved) await enqueueNoticeToOwners(tx, deps, partnerId, 'api-key-revoked')
  })
}
