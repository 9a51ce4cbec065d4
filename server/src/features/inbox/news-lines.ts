import type { AttentionItem } from '@portal/contract/attention.ts'
import type { NewsLine } from '@portal/contract/inbox.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { aboutOf, quoteOf, type RecordedEvent } from '../../records/events/activity.ts'
import type { NewsGroup } from './news.queries.ts'

/** Makes the text of each group from the group's events. `attention` is what needs the person's attention. */
export function newsLines(
  groups: readonly NewsGroup[],
  events: readonly RecordedEvent[],
  attention: readonly AttentionItem[],
): NewsLine[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  return groups.flatMap((group) => {
    const own = group.ids.flatMap((id) => byId.get(id) ?? [])
    const [newest] = own
    // Events may be pruned between the two queries.
    if (!newest) return []
    if (group.burst_of !== null) return burstLine(group, newest)
    const kinds = attention.filter(({ loid }) => loid === group.loid).map(({ kind }) => kind)
    const untold = own.filter((event) => !isTold(event, kinds))
    const line = recordLine(group, newest, own)
    const [last] = untold
    if (!last) return { ...line, needs_attention: true, untold_summary: line.summary, untold_at: line.at }
    const untold_summary = summaryOf(untold.toReversed())
    return { ...line, needs_attention: false, untold_summary, untold_at: last.created_at }
  })
}

/** Whether one of the record's items under 'Needs attention' tells of this event. */
function isTold(event: RecordedEvent, kinds: readonly AttentionItem['kind'][]): boolean {
  if (event.type === 'note.added') return quoteOf(event) !== null && kinds.includes('lender-note')
  if (event.type.startsWith('request.')) return kinds.includes('request')
  return ['lead.status_changed', 'deal.stage_changed'].includes(event.type) && kinds.includes('your-turn')
}

function recordLine(
  { key, loid, changes, at }: NewsGroup,
  newest: RecordedEvent,
  events: RecordedEvent[],
): Omit<NewsLine, 'needs_attention' | 'untold_summary' | 'untold_at'> {
  return {
    id: key,
    loid,
    about: aboutOf(newest),
    name: businessOf(newest),
    summary: summaryOf(events.toReversed()),
    quote: events.map(quoteOf).find((quote) => quote !== null) ?? null,
    records: 1,
    changes,
    at,
  }
}

/** The line of a burst, for example 'Robin Lee: 42 leads submitted'. */
function burstLine({ key, about, burst_of, actor, records, changes, at }: NewsGroup, newest: RecordedEvent): NewsLine {
  const isLenders = actor === 'lender'
  const name = isLenders ? 'The lender' : text(newest, 'submitted_by') || 'Your team'
  const summary = `${counted(records, about)} ${isLenders ? 'added' : burst_of}`
  const untold = { needs_attention: false, untold_summary: summary, untold_at: at }
  return { id: key, loid: null, about, name, summary, quote: null, records, changes, at, ...untold }
}

/**
 * Summarises events, for example as 'Pre Call → Pre Qualified, 1 note by Ada Okafor'. The events are in chronological
 * order. The first change of status or stage gives the left side, and the last change the right side.
 */
function summaryOf(events: readonly RecordedEvent[]): string {
  const isConverted = events.some(({ type }) => type === 'lead.converted')
  const parts = Object.entries(PARTS).flatMap(([type, partsOf]) => {
    const own = events.filter((event) => event.type === type)
    return own.length === 0 || (isConverted && type.endsWith('.created')) ? [] : partsOf(own)
  })
  const summary = [...new Set(parts)].join(', ')
  return summary.charAt(0).toUpperCase() + summary.slice(1)
}

/** What a line says of its events of each type, in the order of the line. */
const PARTS: Record<RecordedEvent['type'], (events: readonly RecordedEvent[]) => string[]> = {
  'lead.created': begunBy,
  'deal.created': begunBy,
  'lead.status_changed': (changes) => movement(changes, 'status'),
  'lead.verdict_changed': () => ['verdict changed'],
  'lead.corrected': () => ['corrected'],
  'lead.withdrawn': () => ['withdrawn'],
  'lead.converted': () => ['became a deal'],
  'deal.stage_changed': (changes) => movement(changes, 'stage'),
  'deal.paid': () => ['commission paid'],
  'deal.updated': () => ['details changed'],
  'lead.removed': () => ['removed by the lender'],
  'deal.removed': () => ['removed by the lender'],
  'lead.restored': () => ['restored by the lender'],
  'deal.restored': () => ['restored by the lender'],
  'request.opened': asked,
  'request.reopened': asked,
  'request.answered': () => ['answered'],
  'request.accepted': () => ['answer accepted'],
  'request.withdrawn': () => ['request withdrawn'],
  'document.added': documentsByWriter,
  'note.added': notesByWriter,
}

function movement(changes: readonly RecordedEvent[], field: 'status' | 'stage'): string[] {
  const [first] = changes
  const last = changes.at(-1)
  return first && last ? [`${text(first, 'previous')} → ${text(last, field)}`] : []
}

function asked(requests: readonly RecordedEvent[]): string[] {
  return requests.map((event) => `the lender asks: ${text(event, 'subject')}`)
}

/**
 * Counts the notes of each author. An unknown author is not named. If all notes are the lender's, the text names no
 * author, because the line already quotes the lender's newest note.
 */
function notesByWriter(notes: readonly RecordedEvent[]): string[] {
  const byWriter = Map.groupBy(notes, (note) =>
    note.data['submitted_by'] === null ? LENDER : text(note, 'submitted_by'),
  )
  const isLendersAlone = byWriter.size === 1 && byWriter.has(LENDER)
  return [...byWriter].map(([writer, { length }]) => {
    return counted(length, 'note') + (writer === '' || isLendersAlone ? '' : ` by ${writer}`)
  })
}

function documentsByWriter(documents: readonly RecordedEvent[]): string[] {
  const byWriter = Map.groupBy(documents, (one) => text(one, 'submitted_by') || LENDER)
  return [...byWriter].map(([writer, { length }]) => `${counted(length, 'document')} by ${writer}`)
}

const LENDER = 'the lender'

function begunBy([event]: readonly RecordedEvent[]): string[] {
  if (!event) return []
  const kind = event.type === 'deal.created' ? 'deal' : 'lead'
  const { submitted_by } = event.data
  if (submitted_by === null) return [`${kind} added by the lender`]
  return [`${kind} submitted${submitted_by ? ` by ${text(event, 'submitted_by')}` : ''}`]
}

function businessOf(event: RecordedEvent): string {
  return text(event, 'deal_name') || text(event, 'business_name') || 'A business without a name'
}

function text({ data }: RecordedEvent, field: string): string {
  const value = data[field]
  return typeof value === 'string' ? value : ''
}

function counted(count: number, word: string): string {
  return `${formatNumber(count)} ${word}${count === 1 ? '' : 's'}`
}
