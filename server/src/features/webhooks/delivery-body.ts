import { CURRENCY } from '@portal/contract/money.ts'
import type { EventToDeliver } from '../../records/events/events-to-deliver.ts'

/**
 * Returns an event as the JSON text that every attempt sends to a partner's endpoint (D35). Each field is named here,
 * so that a field added to an event is not sent by accident. No email, phone, ABN or text of a note is sent.
 */
export function deliveryBody(event: EventToDeliver): string {
  return JSON.stringify({ type: event.type, timestamp: event.created_at, data: dataOf(event) })
}

export function testBody(now: Date): string {
  const data = { object: 'test', message: 'This is a test of your webhook URL.' }
  return JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data })
}

function dataOf(event: EventToDeliver): object {
  const at = event.created_at
  switch (event.type) {
    case 'lead.created':
      return {
        ...lead(event),
        status: event.data.status,
        submitted_by: event.data.submitted_by ?? null,
        created_at: at,
      }
    case 'lead.status_changed':
      return {
        ...lead(event),
        status: event.data.status,
        previous: event.data.previous,
        changed_at: event.data.changed_at ?? at,
      }
    case 'lead.verdict_changed': {
      const { partner_verdict, verdict_reason, protected_until } = event.data
      return { ...lead(event), partner_verdict, verdict_reason, protected_until, changed_at: at }
    }
    case 'lead.corrected':
      return {
        ...lead(event),
        fields: event.data.fields,
        submitted_by: event.data.submitted_by ?? null,
        changed_at: at,
      }
    case 'lead.withdrawn':
      return { ...lead(event), submitted_by: event.data.submitted_by ?? null, withdrawn_at: at }
    case 'lead.converted':
      return { ...lead(event), deal_loid: event.data.deal_loid, converted_at: at }
    case 'lead.restored':
      return { ...lead(event), status: event.data.status, restored_at: at }
    case 'lead.removed':
      return { ...lead(event), reason: event.data.reason, removed_at: at }
    case 'deal.created':
      return { ...deal(event), stage: event.data.stage, submitted_by: event.data.submitted_by ?? null, created_at: at }
    case 'deal.stage_changed':
      return {
        ...deal(event),
        stage: event.data.stage,
        previous: event.data.previous,
        changed_at: event.data.changed_at ?? at,
      }
    case 'deal.updated':
      return { ...deal(event), stage: event.data.stage, changed_at: at }
    case 'deal.restored':
      return { ...deal(event), stage: event.data.stage, restored_at: at }
    case 'deal.removed':
      return { ...deal(event), removed_at: at }
    case 'note.added': {
      const { on, business_name, created_by, submitted_by = null } = event.data
      return { object: 'note', loid: event.loid, on, business_name, created_by, submitted_by, created_at: at }
    }
    case 'request.opened':
    case 'request.answered':
    case 'request.accepted':
    case 'request.reopened':
    case 'request.withdrawn': {
      const { on, business_name, request_id, due_on } = event.data
      return { object: 'request', loid: event.loid, on, business_name, request_id, due_on, changed_at: at }
    }
    case 'document.added': {
      const { on, business_name, document_id, request_id, submitted_by = null } = event.data
      const facts = { on, business_name, document_id, request_id, submitted_by }
      return { object: 'document', loid: event.loid, ...facts, created_at: at }
    }
  }
}

function lead({ loid, data }: Extract<EventToDeliver, { type: `lead.${string}` }>) {
  return { object: 'lead', loid, business_name: data.business_name, amount: data.amount, currency: CURRENCY }
}

function deal({ loid, data }: Extract<EventToDeliver, { type: `deal.${string}` }>) {
  const { deal_name, business_name, amount } = data
  return { object: 'deal', loid, deal_name, business_name, amount, currency: CURRENCY }
}
