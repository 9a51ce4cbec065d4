import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { webhookSecretOf } from '../../platform/db/reencrypt-secrets.ts'
import type { WebhookEndpointRow } from '../../platform/db/tables.ts'
import { Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { withholdEvents } from '../../records/events/events-to-deliver.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { endPendingDeliveries } from './deliveries.queries.ts'
import { NOT_SENT } from './disable-endpoint.ts'
import { removeEndpoint, saveEndpoint } from './endpoints.queries.ts'
import { findUrlFault } from './safe-fetch.ts'
import { newSecret } from './sign-delivery.ts'

/**
 * Sets or removes the partner's webhook URL. Returns the signing secret if this call made one, because the portal never
 * shows it again.
 */
export async function changeEndpoint(
  deps: Pick<Deps, 'db' | 'secrets' | 'clock' | 'config' | 'jobs'>,
  caller: SessionCaller,
  url: string | null,
  security: NoteSecurity,
): Promise<{ endpoint: WebhookEndpointRow | undefined; secret: string | null }> {
  const { db, secrets, clock, config } = deps
  const partnerId = caller.id
  if (url === null) {
    await inTransaction(db, async (tx) => {
      if (!(await removeWebhookUrl(tx, partnerId))) return
      await enqueueNoticeToOwners(tx, deps, partnerId, 'webhook-url-removed')
      await security(tx, 'webhook-url-removed')
    })
    return { endpoint: undefined, secret: null }
  }
  const fault = findUrlFault(url, config.webhookAllowPrivate)
  if (fault) throw new Invalid('VALIDATION', fault, { webhook_url: fault })
  const secret = newSecret()
  const stored = secrets.encrypt(secret, webhookSecretOf(partnerId))
  const endpoint = await inTransaction(db, async (tx) => {
    await lockCaller(tx, deps, caller)
    await enqueueNoticeToOwners(tx, deps, partnerId, 'webhook-url-set')
    await security(tx, 'webhook-url-changed')
    return saveEndpoint(tx, partnerId, {
      url,
      secret: stored,
      at: clock.now().toISOString(),
      by: caller.personId,
    })
  })
  return { endpoint, secret: endpoint.secret === stored ? secret : null }
}

/**
 * Removes the partner's URL, withholds the events that wait for it, and ends the waiting deliveries. A later URL gets
 * only events that are recorded after it, whatever a clock says. Returns false if there was no URL.
 */
export async function removeWebhookUrl(tx: Tx, partnerId: string): Promise<boolean> {
  const isRemoved = await removeEndpoint(tx, partnerId)
  if (!isRemoved) return false
  await withholdEvents(tx, partnerId)
  await endPendingDeliveries(tx, partnerId, NOT_SENT.removed)
  return true
}
