import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { insertDeliveries } from './deliveries.queries.ts'
import { testBody } from './delivery-body.ts'
import { getOpenEndpoint } from './open-endpoint.ts'

/** Inserts a test delivery. It is sent like any other delivery, but has no event. */
export async function sendTest(tx: Tx, { clock }: Pick<Deps, 'clock'>, partnerId: string): Promise<{ id: string }> {
  const { url } = await getOpenEndpoint(tx, partnerId)
  const now = clock.now()
  const id = newId(now)
  await insertDeliveries(tx, [
    {
      id,
      partner_id: partnerId,
      endpoint: url,
      event_id: null,
      event_type: 'webhook.test',
      loid: null,
      request_body: testBody(now),
      created_at: now.toISOString(),
    },
  ])
  return { id }
}
