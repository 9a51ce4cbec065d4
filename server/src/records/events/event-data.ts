import type { RECORD_EVENT_TYPES } from '@portal/contract/event-types.ts'
import type { Verdict } from '@portal/contract/verdict.ts'

/**
 * The name of the person or API key that submitted the record (D64). Null for records that were created in the CRM;
 * absent in events that are older than this field.
 */
interface SubmittedBy {
  submitted_by?: string | null
}

/** When the change happened, by the CRM's clock; absent in events that are older than this field. */
interface ChangedAt {
  changed_at?: string
}

/** What the lender asks (D105). An erasure empties the texts. */
interface RequestFacts {
  on: 'lead' | 'deal'
  business_name: string | null
  request_id: string
  subject: string | null
  reason: string | null
  due_on: string | null
}

/** What can happen to a lead, deal, note, request or document (D35). `data` has no field for an email address, phone or ABN. */
export interface EventData {
  'lead.created': { business_name: string | null; amount: number | null; status: string } & SubmittedBy
  'lead.status_changed': {
    business_name: string | null
    amount: number | null
    status: string
    previous: string
  } & ChangedAt
  'lead.verdict_changed': { business_name: string | null; amount: number | null } & Verdict
  'lead.corrected': { business_name: string | null; amount: number | null; fields: string[] } & SubmittedBy
  /** An erasure empties the reason. */
  'lead.withdrawn': { business_name: string | null; amount: number | null; reason: string | null } & SubmittedBy
  'lead.converted': { business_name: string | null; amount: number | null; deal_loid: string | null }
  'lead.restored': { business_name: string | null; amount: number | null; status: string }
  'lead.removed': { business_name: string | null; amount: number | null; reason: 'left-crm' }
  'deal.created': {
    deal_name: string | null
    business_name: string | null
    amount: number | null
    stage: string
  } & SubmittedBy
  'deal.stage_changed': {
    deal_name: string | null
    business_name: string | null
    amount: number | null
    stage: string
    previous: string
  } & ChangedAt
  /** Without the amount of the commission, which only people who see money are told (D111). */
  'deal.paid': { deal_name: string | null; business_name: string | null }
  'deal.updated': { deal_name: string | null; business_name: string | null; amount: number | null; stage: string }
  'deal.restored': { deal_name: string | null; business_name: string | null; amount: number | null; stage: string }
  'deal.removed': { deal_name: string | null; business_name: string | null; amount: number | null }
  'note.added': {
    on: 'lead' | 'deal'
    business_name: string | null
    created_by: string | null
    content: string
    /** Absent in events that are older than this field. */
    note_id?: string
    /** The CRM's time of a note by the lender. */
    written_at?: string
  } & SubmittedBy
  'request.opened': RequestFacts
  'request.answered': RequestFacts & SubmittedBy
  'request.accepted': RequestFacts
  'request.reopened': RequestFacts
  'request.withdrawn': RequestFacts
  /** An erasure empties the name. */
  'document.added': {
    on: 'lead' | 'deal'
    business_name: string | null
    document_id: string
    document_name: string | null
    request_id: string | null
  } & SubmittedBy
}

export type EventType = (typeof RECORD_EVENT_TYPES)[number]

export interface PortalEvent<Type extends EventType = EventType> {
  partnerId: string
  loid: string
  type: Type
  data: EventData[Type]
  /** The person who acted; absent or null if the lender or an API key did (D72). */
  personId?: string | null
  at: string
}

/** An event of any type, with the data of that type. */
export type AnyEvent = { [Type in EventType]: PortalEvent<Type> }[EventType]
