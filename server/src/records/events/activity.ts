import type { Activity } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { submitterName } from '@portal/contract/submitted-by.ts'
import { verdictText } from '@portal/contract/verdict.ts'
import type { EventData, EventType } from './event-data.ts'

/** An event as the activity list reads it. */
export interface RecordedEvent {
  id: string
  type: EventType
  loid: string | null
  data: Record<string, unknown>
  created_at: string
}

type About = Activity['about']
type Words = { [Type in EventType]: (data: EventData[Type]) => { title: string; description: string } }

/** Describes events for the dashboard's list and the inbox. */
const WORDS: Words = {
  'lead.created': (data) => ({
    title: isLenders(data) ? 'Lead added by the lender' : 'Lead submitted',
    description: named(data.business_name, data.amount) + by(data.submitted_by),
  }),
  'lead.status_changed': (data) => ({
    title: `Lead status: ${data.status}`,
    description: `${named(data.business_name)} moved from ${data.previous} to ${data.status}`,
  }),
  'lead.verdict_changed': (data) => ({
    title: `Lender’s verdict: ${verdictText(data) ?? TAKEN_BACK}`,
    description: named(data.business_name, data.amount),
  }),
  'lead.corrected': (data) => ({
    title: 'Lead corrected',
    description: `${named(data.business_name)}: ${fieldWords(data.fields)}${by(data.submitted_by)}`,
  }),
  'lead.withdrawn': (data) => ({
    title: 'Lead withdrawn',
    description: named(data.business_name, data.amount) + by(data.submitted_by),
  }),
  'lead.converted': (data) => ({
    title: 'Lead converted to a deal',
    description: named(data.business_name, data.amount),
  }),
  'lead.removed': (data) => ({
    title: 'Lead removed by the lender',
    description: named(data.business_name, data.amount),
  }),
  'lead.restored': (data) => ({
    title: 'Lead restored by the lender',
    description: named(data.business_name, data.amount),
  }),
  'deal.created': (data) => ({
    title: 'Deal created',
    description: `${named(data.deal_name ?? data.business_name, data.amount)} · ${data.stage}${by(data.submitted_by)}`,
  }),
  'deal.stage_changed': (data) => ({
    title: `Deal stage: ${data.stage}`,
    description: `${named(data.deal_name ?? data.business_name)} moved from ${data.previous} to ${data.stage}`,
  }),
  'deal.paid': (data) => ({ title: 'Commission paid', description: named(data.deal_name ?? data.business_name) }),
  'deal.updated': (data) => ({
    title: 'Deal updated',
    description: named(data.deal_name ?? data.business_name, data.amount),
  }),
  'deal.removed': (data) => ({
    title: 'Deal removed by the lender',
    description: named(data.deal_name ?? data.business_name, data.amount),
  }),
  'deal.restored': (data) => ({
    title: 'Deal restored by the lender',
    description: named(data.deal_name ?? data.business_name, data.amount),
  }),
  'note.added': (data) =>
    isLenders(data)
      ? { title: 'Note from the lender', description: named(data.business_name) + by(data.created_by) }
      : {
          title: `Note added to a ${data.on}`,
          description: [named(data.business_name) + by(data.submitted_by), shortened(data.content, NOTE_LENGTH)].join(
            ': ',
          ),
        },
  'request.opened': (data) => requestWords('The lender asks', data),
  'request.answered': (data) => {
    const { title, description } = requestWords('Answered', data)
    return { title, description: description + by(data.submitted_by) }
  },
  'request.accepted': (data) => requestWords('The lender accepted', data),
  'request.reopened': (data) => requestWords('The lender asks again', data),
  'request.withdrawn': (data) => requestWords('The lender no longer asks', data),
  'document.added': (data) => ({
    title: `${isLenders(data) ? 'Document from the lender' : 'Document sent'}${data.document_name === null ? '' : `: ${data.document_name}`}`,
    description: named(data.business_name) + by(data.submitted_by),
  }),
}

/** The names of corrected columns, as people read them. */
export function fieldWords(fields: readonly string[]): string {
  return fields.map((field) => field.replaceAll('_', ' ').replace(/\babn\b/, 'ABN')).join(', ')
}

function requestWords(what: string, { subject, business_name }: EventData['request.opened']) {
  return { title: subject === null ? what : `${what}: ${subject}`, description: named(business_name) }
}

/** What is said of a lead whose verdict the lender has emptied. */
export const TAKEN_BACK = 'taken back'

const NOTE_LENGTH = 80
/** More than `NOTE_LENGTH`, because the lender's text matters most. The record's page shows the whole text. */
export const QUOTE_LENGTH = 280

export function activityOf(event: RecordedEvent): Activity {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- recordEvent wrote data of this type
  const describe = WORDS[event.type] as (data: unknown) => { title: string; description: string }
  const { id, loid, created_at, data } = event
  return { id, loid, about: aboutOf(event), quote: quoteOf(event), created_at, ...describe(data) }
}

/** The text of a lender's note, or the reason for a request; null for any other event. */
export function quoteOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): string | null {
  if (type === 'request.opened' || type === 'request.reopened') {
    const { reason } = data
    return typeof reason === 'string' && reason !== '' ? shortened(reason, QUOTE_LENGTH) : null
  }
  if (type !== 'note.added' || !isLenders(data)) return null
  return shortened(String(data['content']), QUOTE_LENGTH)
}

/**
 * Events that are older than the field `submitted_by` lack it, so their leads and notes are not treated as the
 * lender's.
 */
function isLenders(data: { submitted_by?: unknown }): boolean {
  return data.submitted_by === null
}

/**
 * The kind of page that an activity links to, or null if the activity has no link. A lead's page redirects to the deal
 * that the lead became (D18).
 */
export function aboutOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): About {
  if (type === 'deal.removed' || (type === 'lead.removed' && data['reason'] === 'left-crm')) return null
  return type.startsWith('deal.') || data['on'] === 'deal' ? 'deal' : 'lead'
}

function named(name: string | null, amount?: number | null): string {
  const text = name ?? 'A business without a name'
  return amount === null || amount === undefined ? text : `${text}, ${formatMoney(amount)}`
}

/**
 * The name, if there is one. Events that are older than the field `submitted_by`, and some of the lender's events, have
 * no name (D64).
 */
function by(name: string | null | undefined): string {
  return name ? ` · ${submitterName(name)}` : ''
}

/** Shortens a text without cutting through a surrogate pair, such as an emoji. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const cut = text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${cut.trimEnd()}…`
}
