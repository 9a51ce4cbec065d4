import type { Deps } from '../../deps.ts'
import { Conflict } from '../../platform/errors.ts'
import { reviveDelivery } from './deliveries.queries.ts'
import { getWebhookLog } from './log.queries.ts'
import { getOpenEndpoint } from './open-endpoint.ts'

/**
 * Makes a delivery due at once, with the same body and webhook-id. It goes to the current URL, signed as a new delivery
 * would be. If the delivery is waiting for its next attempt, that attempt is made now.
 */
export async function redeliverLog(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  partnerId: string,
  id: string,
): Promise<{ id: string; status: 'pending' }> {
  return db.transaction().execute(async (tx) => {
    const log = await getWebhookLog(tx, partnerId, id)
    if (log.direction === 'inbound') {
      throw new Conflict('CONFLICT', 'This is a call from your own system. Only that system can repeat it.')
    }
    await getOpenEndpoint(tx, partnerId)
    if (log.request_body === null)
      throw new Conflict('CONFLICT', 'The applicant’s data in this delivery has been erased')
    await reviveDelivery(tx, partnerId, log.id, clock.now().toISOString())
    return { id: log.id, status: 'pending' }
  })
}
