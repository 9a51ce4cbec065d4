import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { webhookSecretOf } from '../../platform/db/reencrypt-secrets.ts'
import type { WebhookEndpointRow } from '../../platform/db/tables.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { replaceSecret } from './endpoints.queries.ts'
import { noUrl } from './open-endpoint.ts'
import { newSecret } from './sign-delivery.ts'

export const PREVIOUS_VALID_MS = 24 * 3_600_000

/**
 * Makes a new signing secret. The old secret also signs for a day, so that the receiver has time to change over (D35).
 */
export async function rotateSecret(
  deps: Pick<Deps, 'db' | 'secrets' | 'clock' | 'jobs'>,
  caller: SessionCaller,
  security: NoteSecurity,
): Promise<{ endpoint: WebhookEndpointRow; secret: string }> {
  const { db, secrets, clock } = deps
  const partnerId = caller.id
  const now = clock.now()
  const secret = newSecret()
  const stored = secrets.encrypt(secret, webhookSecretOf(partnerId))
  const previousUntil = new Date(now.getTime() + PREVIOUS_VALID_MS).toISOString()
  return inTransaction(db, async (tx) => {
    await lockCaller(tx, deps, caller)
    const at = now.toISOString()
    const endpoint = await replaceSecret(tx, partnerId, { secret: stored, previousUntil, at, by: caller.personId })
    if (!endpoint) throw noUrl()
    await enqueueNoticeToOwners(tx, deps, partnerId, 'webhook-secret-made')
    await security(tx, 'webhook-secret-made')
    return { endpoint, secret }
  })
}
