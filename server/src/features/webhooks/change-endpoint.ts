import type { WebhookEndpointRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { Invalid } from '../../errors.ts'
import { endPendingDeliveries } from './deliveries.queries.ts'
import { NOT_SENT } from './disable-endpoint.ts'
import { removeEndpoint, saveEndpoint } from './endpoints.queries.ts'
import { findUrlFault } from './safe-fetch.ts'
import { newSecret } from './sign-delivery.ts'

/** Sets the partner's one URL, or removes it. `secret` is the signing secret if this made it: nothing shows it again. */
export async function changeEndpoint(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  partnerId: string,
  url: string | null,
): Promise<{ endpoint: WebhookEndpointRow | undefined; secret: string | null }> {
  if (url === null) {
    await db.transaction().execute(async (tx) => {
      await removeEndpoint(tx, partnerId)
      await endPendingDeliveries(tx, partnerId, NOT_SENT.removed)
    })
    return { endpoint: undefined, secret: null }
  }
  const fault = findUrlFault(url, config.webhookAllowPrivate)
  if (fault) throw new Invalid('VALIDATION', fault, { webhook_url: fault })
  const secret = newSecret()
  const endpoint = await saveEndpoint(db, partnerId, { url, secret, at: clock.now().toISOString() })
  return { endpoint, secret: endpoint.secret === secret ? secret : null }
}
