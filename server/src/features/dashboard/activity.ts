import type { Activity } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import type { EventData, EventType } from '../../events/events.ts'
import type { RecordedEvent } from './dashboard.queries.ts'

type About = Activity['about']
type Words = { [Type in EventType]: (data: EventData[Type]) => { title: string; description: string } }

/** What an event reads like in the dashboard's list. */
const WORDS: Words = {
  'lead.created': (data) => ({
    title: 'Lead submitted',
    description: named(data.business_name, data.amount) + by(data.submitted_by),
  }),
  'lead.status_changed': (data) => ({
    title: `Lead status: ${data.status}`,
    description: `${named(data.business_name)} moved from ${data.previous} to ${data.status}`,
  }),
  'lead.converted': (data) => ({
    title: 'Lead converted to a deal',
    description: named(data.business_name, data.amount),
  }),
  'lead.removed': (data) => ({
    title: 'Lead removed by the lender',
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
  'deal.updated': (data) => ({
    title: 'Deal updated',
    description: named(data.deal_name ?? data.business_name, data.amount),
  }),
  'deal.removed': (data) => ({
    title: 'Deal removed by the lender',
    description: named(data.deal_name ?? data.business_name, data.amount),
  }),
  'note.added': (data) => ({
    title: `Note added to a ${data.on}`,
    description: [named(data.business_name) + by(data.submitted_by), shortened(data.content)].join(': '),
  }),
}

export function activityOf(event: RecordedEvent): Activity {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- recordEvent wrote data of this type
  const describe = WORDS[event.type] as (data: unknown) => { title: string; description: string }
  const { id, type, loid, created_at, data } = event
  return { id, loid, about: aboutOf(type, data), created_at, ...describe(data) }
}

/** A lead's page leads on to the deal that the lead became (D18). */
function aboutOf(type: EventType, data: Record<string, unknown>): About {
  if (type === 'deal.removed' || data['reason'] === 'left-crm') return null
  return type.startsWith('deal.') || data['on'] === 'deal' ? 'deal' : 'lead'
}

function named(name: string | null, amount?: number | null): string {
  const text = name ?? 'A business without a name'
  return amount === null || amount === undefined ? text : `${text}, ${formatMoney(amount)}`
}

/** Events of before people were remembered name nobody (D64). */
function by(name: string | null | undefined): string {
  return name ? ` · ${name}` : ''
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79).trimEnd()}…` : text
}
