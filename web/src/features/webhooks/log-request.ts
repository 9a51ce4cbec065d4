import { INBOUND_LABELS, type WebhookLog } from '@portal/contract/webhooks.ts'
import { curlCommand } from '../../format/curl.ts'

/** The name of a log row: the action of an inbound call (section 7), or the event of a delivery. */
export function logTitle({ direction, endpoint, event_type: eventType }: WebhookLog): string {
  if (direction === 'inbound') return INBOUND_LABELS[endpoint] ?? endpoint
  return eventType ?? 'Delivery'
}

/** Whether a log row is about a deal and not about a lead. Deals and leads have different pages. */
export function isAboutDeal({ endpoint, event_type: eventType, request_body: body }: WebhookLog): boolean {
  if (eventType === 'note.added') return /"on":\s*"deal"/.test(body ?? '')
  return eventType?.startsWith('deal.') ?? endpoint === '/api/webhook/deal'
}

/**
 * Returns the logged request as a curl command. Placeholders stand for the API key of a call, or for the webhook
 * headers of a delivery.
 */
export function logAsCurl({ direction, endpoint, request_body: body }: WebhookLog, origin: string): string {
  const headers =
    direction === 'inbound'
      ? ['Authorization: Bearer <YOUR_API_KEY>']
      : ['webhook-id: <WEBHOOK_ID>', 'webhook-timestamp: <TIMESTAMP>', 'webhook-signature: <SIGNATURE>']
  return curlCommand({
    url: direction === 'inbound' ? `${origin}${endpoint}` : endpoint,
    headers: [...headers, 'Content-Type: application/json'],
    body: body || null,
  })
}
