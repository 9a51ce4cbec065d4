import type { Tx } from '../../platform/db/database.ts'
import type { WebhookEndpointRow } from '../../platform/db/tables.ts'
import { Conflict } from '../../platform/errors.ts'
import { findEndpoint } from './endpoints.queries.ts'

/** Returns the endpoint. Throws if the partner has no URL or the endpoint is disabled. */
export async function getOpenEndpoint(tx: Tx, partnerId: string): Promise<WebhookEndpointRow> {
  const endpoint = await findEndpoint(tx, partnerId)
  if (!endpoint) throw noUrl()
  if (endpoint.disabled_at) {
    throw new Conflict('CONFLICT', 'Your webhook URL is disabled: save it again to enable it')
  }
  return endpoint
}

export function noUrl(): Conflict {
  return new Conflict('CONFLICT', 'You have no webhook URL yet: add one first')
}
