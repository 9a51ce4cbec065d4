import { INBOUND_LABELS, type WebhookLog } from '@portal/contract/webhooks.ts'
import { curlCommand } from '../../format/curl.ts'

/** What a row is called: a call to us by what it asks for (section 7), a delivery by its event. */
export function logTitle({ direction, endpoint, event_type: eventType }: WebhookLog): string {
  if (direction === 'inbound') return INBOUND_LABELS[endpoint] ?? endpoint
  return eventType ?? 'Delivery'
}

/** Whether the record that a row is about is a deal: a lead has another page. */
export function isAboutDeal({ endpoint, event_type: eventType, request_body: body }: WebhookLog): boolean {
  if (eventType === 'note.added') return /"on":\s*"deal"/.test(body ?? '')
  return eventType?.startsWith('deal.') ?? endpoint === '/api/webhook/deal'
}

/** The logged request for the command line, with placeholders where the log keeps no secret. */
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
