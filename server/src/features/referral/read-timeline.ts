import { DEFAULT_LEAD_SOURCE } from '@portal/contract/choices.ts'
import { type CrmState, NO_DEAL_YET_MEANING } from '@portal/contract/leads.ts'
import { TIMELINE_PAGE_SIZE } from '@portal/contract/limits.ts'
import type { HistoryKind, Side } from '@portal/contract/meanings.ts'
import type { Note } from '@portal/contract/notes.ts'
import { submitterName } from '@portal/contract/submitted-by.ts'
import type { ReferralTimeline, Standing, TimelineEntry } from '@portal/contract/timeline.ts'
import { verdictText } from '@portal/contract/verdict.ts'
import { wayOf } from '@portal/contract/way.ts'
import { pullDetailsOf } from '../../crm/pull/details/pull-details.ts'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../platform/errors.ts'
import { findDeal, type OpenedDeal } from '../../records/deals/deals.queries.ts'
import { activityOf, fieldWords, TAKEN_BACK } from '../../records/events/activity.ts'
import { findToldChanges, type ToldChange } from '../../records/events/events.ts'
import { findHistory, type HistoryEntry } from '../../records/histories/history.queries.ts'
import { findUsualTimes } from '../../records/histories/usual-times.queries.ts'
import { dealWithSide, leadWithSide } from '../../records/histories/with-side.ts'
import { findLead, findLeadKeys, type OpenedLead } from '../../records/leads/leads.queries.ts'
import { findNotes } from '../../records/notes/notes.queries.ts'

/**
 * A referral's leads and its deal, with their histories and notes, the latest first. There are two leads if the deal
 * came from one lead and also replaced another lead (D49).
 */
interface Referral {
  leads: { lead: OpenedLead; ended_at: string | null }[]
  deal: OpenedDeal | undefined
  statuses: HistoryEntry[]
  stages: HistoryEntry[]
  notes: (Note & { is_from_crm: boolean })[]
  told: ToldChange[]
}

/**
 * Reads a page of everything that happened to the referral with this LOID. In the web app, the lead and the deal
 * show the same timeline. `before` is the position of the last entry that the caller already has.
 */
export async function readTimeline(
  deps: Deps,
  partner: { id: string; businessName: string },
  loid: string,
  before: string | undefined,
): Promise<ReferralTimeline> {
  const [referral, usualTimes] = await Promise.all([
    findReferral(deps, partner, loid),
    findUsualTimes(deps.reads, partner.id),
  ])
  const standing = standingOf(referral)
  const usual = usualTimes.find(({ kind, value }) => kind === standing.kind && value === standing.value)
  const all = entriesOf(referral)
  const rest = before === undefined ? all : all.filter((entry) => positionOf(entry) < before)
  const entries = rest.slice(0, TIMELINE_PAGE_SIZE)
  const last = entries.at(-1)
  const count = rest.length - entries.length
  const [first] = referral.leads
  const awaitsDeal = !referral.deal && first?.lead.awaits_deal_since
  const ofValue = deps.statusMeanings(standing.kind, standing.value)
  const side = sideOf(deps, referral)
  const isAnswered = ofValue.side === 'partner' && side === 'lender'
  return {
    loid,
    standing: {
      ...standing,
      meaning:
        notThere(referral.deal ?? first?.lead) ??
        (awaitsDeal ? NO_DEAL_YET_MEANING : isAnswered ? ANSWERED_MEANING : ofValue.meaning),
      side,
      usual: standing.outcome === 'open' && !awaitsDeal && usual ? usual : null,
    },
    entries,
    earlier: last && count > 0 ? { count, before: positionOf(last) } : null,
  }
}

/** What is said once the partner has answered, because the status may mean that the lender waits for the partner. */
const ANSWERED_MEANING = 'Your business has done its part. The lender acts next.'

/** What is said of a record that the lender does not have, whatever its status would mean. */
function notThere(record: { crm: CrmState } | undefined): string | null {
  if (record?.crm === 'pending') return 'The lender does not have it yet. It waits here, and is sent by itself'
  return record?.crm === 'failed' ? 'The lender does not have it, because it could not be sent' : null
}

function sideOf(deps: Deps, { deal, leads: [first] }: Referral): Side | null {
  if (deal) return dealWithSide(deps, deal).side
  return first ? leadWithSide(deps, first.lead).side : null
}

async function findReferral(
  deps: Deps,
  partner: { id: string; businessName: string },
  loid: string,
): Promise<Referral> {
  const { reads, clock } = deps
  const [keys, deal] = await Promise.all([findLeadKeys(reads, partner.id, loid), findDeal(reads, partner.id, loid)])
  const found = await Promise.all(keys.map((key) => findLead(reads, partner, key.loid)))
  const leads = found.flatMap((lead, index) => (lead ? { lead, ended_at: keys[index]?.ended_at ?? null } : []))
  for (const { lead } of leads) if (lead.is_due) await pullDetailsOf(deps, 'Leads', partner.id, lead.loid)
  if (deal?.is_due) await pullDetailsOf(deps, 'Deals', partner.id, deal.loid)
  const now = clock.now()
  const [statuses, stages, notes, told] = await Promise.all([
    findHistory(reads, 'lead-status', partner.id, keys, now),
    deal ? findHistory(reads, 'deal-stage', partner.id, [{ loid: deal.loid, ended_at: null }], now) : [],
    findNotes(reads, partner.id, loid),
    findToldChanges(reads, partner.id, [...keys.map((key) => key.loid), deal?.loid ?? []].flat()),
  ])
  return { leads, deal, statuses, stages, notes, told }
}

function standingOf({ leads, deal, statuses, stages }: Referral): Omit<Standing, 'meaning' | 'side' | 'usual'> {
  const [first] = leads
  const present = deal
    ? { kind: 'deal-stage' as const, value: deal.stage, at: deal.modified_time }
    : first && { kind: 'lead-status' as const, value: first.lead.lead_status, at: first.lead.modified_time }
  if (!present) throw new NotFound('Lead not found')
  // The lead's statuses come before the deal's stages, whatever their times. In each group, the oldest comes first.
  const moments = [...momentsOf('deal-stage', stages), ...momentsOf('lead-status', statuses)].reverse()
  const latest = moments.findLast(({ kind }) => kind === present.kind)
  // The record may already have a newer value than the CRM's history.
  if (latest?.value !== present.value) moments.push(present)
  const since = latest?.value === present.value ? latest.at : present.at
  return { ...wayOf(submissionOf({ leads, deal }), moments), kind: present.kind, value: present.value, since }
}

function momentsOf(kind: HistoryKind, history: readonly HistoryEntry[]) {
  return history.map(({ value, changed_time }) => ({ kind, value, at: changed_time }))
}

function submissionOf({ leads, deal }: Pick<Referral, 'leads' | 'deal'>): string {
  const times = [...leads.map(({ lead }) => lead.created_at), deal?.created_at ?? []].flat()
  return times.toSorted()[0] ?? ''
}

/** Returns all entries of the timeline, the latest first. */
function entriesOf(referral: Referral): TimelineEntry[] {
  const { leads, deal, statuses, stages, notes, told } = referral
  const changes = [
    ...stages.map((entry) => changeEntry('stage', entry)),
    ...statuses.map((entry) => changeEntry('status', entry)),
  ]
  const [present] = changes
  if (present) present.days = null
  const submittedAt = submissionOf(referral)
  // The CRM gives whole seconds, so a note may seem to be older than the submission. It follows the changes that were
  // moved behind the submission for the same reason (plan-history.ts).
  const soonAfter = new Date(Date.parse(submittedAt) + SECOND_MS).toISOString()
  const notBefore = changes.find(({ at }) => at >= submittedAt && at < soonAfter)?.at ?? submittedAt
  const entries = [
    ...beginWithSubmission(changes, referral),
    ...told.map(toldEntry),
    ...notes.map(noteEntry).map((entry) => (entry.at < submittedAt ? { ...entry, at: notBefore } : entry)),
  ]
  const [lead] = leads.filter(({ ended_at }) => ended_at !== null)
  if (deal && lead) {
    const at = lead.ended_at ?? deal.created_at
    entries.push({ ...BY_LENDER, id: `converted ${deal.loid}`, type: 'converted', at })
  }
  return entries.toSorted((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1))
}

const BY_LENDER = { by: null, is_lender: true, value: null, days: null, text: null }

function changeEntry(type: 'status' | 'stage', entry: HistoryEntry): TimelineEntry {
  const { id, value, changed_time, changed_by, description, duration, origin } = entry
  const isSubmission = origin === 'submitted'
  return {
    id,
    type: isSubmission ? 'submitted' : type,
    at: changed_time,
    by: changed_by,
    is_lender: !isSubmission,
    value,
    days: duration,
    text: isSubmission || description === value ? null : description,
  }
}

function toldEntry(change: ToldChange): TimelineEntry {
  const { id, created_at, type, data } = change
  if (type === 'lead.verdict_changed') {
    return { ...BY_LENDER, id, type: 'verdict', at: created_at, text: verdictText(data) ?? TAKEN_BACK }
  }
  if (type === 'document.added') {
    const { submitted_by = null, document_name } = data
    const by = submitted_by === null ? null : submitterName(submitted_by)
    const is_lender = by === null
    const name = document_name ?? 'A file'
    const text = change.is_gone ? `${name} (${is_lender ? 'removed by the lender' : 'taken back'})` : document_name
    return { ...BY_LENDER, id, type: 'document', at: created_at, by, is_lender, text }
  }
  if (type === 'lead.corrected' || type === 'lead.withdrawn') {
    const isCorrection = type === 'lead.corrected'
    const text = isCorrection ? fieldWords(data.fields) : data.reason
    const by = data.submitted_by ?? null
    const kind = isCorrection ? ('corrected' as const) : ('withdrawn' as const)
    return { ...BY_LENDER, id, type: kind, at: created_at, by, is_lender: false, text }
  }
  return requestEntry(change)
}

function requestEntry(change: Extract<ToldChange, { type: `request.${string}` }>): TimelineEntry {
  const { id, created_at } = change
  const { title, quote } = activityOf({ ...change, loid: null, data: { ...change.data } })
  return { ...BY_LENDER, id, type: 'request', at: created_at, text: quote ? `${title}. ${quote}` : title }
}

function noteEntry({ id, content, created_at, created_by, submitted_by, is_from_crm }: Referral['notes'][number]) {
  return {
    id,
    type: 'note' as const,
    at: created_at,
    by: submitted_by ?? created_by,
    is_lender: is_from_crm,
    value: null,
    days: null,
    text: content,
  }
}

/**
 * Makes the timeline begin with the submission. If the first change was made together with the record, this change is
 * the submission. Otherwise the submission gets an entry of its own. A record that was submitted to the portal names
 * the person or the API key. For any other record, the lead source shows whether a partner submitted it.
 */
function beginWithSubmission(changes: readonly TimelineEntry[], { leads, deal }: Referral): TimelineEntry[] {
  const records = [...leads.map(({ lead }) => lead), deal ?? []].flat()
  const at = submissionOf({ leads, deal })
  const first = changes.at(-1)
  const isWithRecord = first && Date.parse(first.at) - Date.parse(at) < TOGETHER_MS
  const isOfPortal = first?.type === 'submitted'
  const submitter = records.flatMap((record) => record.submitted_by ?? [])[0]
  const submission: TimelineEntry = {
    id: `submitted ${records[0]?.loid ?? ''}`,
    value: null,
    days: null,
    text: null,
    ...(isWithRecord && first),
    type: 'submitted',
    at,
    by: submitter === undefined ? (isOfPortal ? first.by : null) : submitterName(submitter),
    is_lender: !isOfPortal && records.every((record) => record.lead_source !== DEFAULT_LEAD_SOURCE),
  }
  return [...(isWithRecord ? changes.slice(0, -1) : changes), submission]
}

const SECOND_MS = 1_000
/** The CRM writes the first line of a record's history within this time of creating the record. */
const TOGETHER_MS = 60_000

const RANKS = {
  submitted: 0,
  status: 1,
  verdict: 2,
  corrected: 3,
  withdrawn: 4,
  converted: 5,
  stage: 6,
  request: 7,
  document: 8,
  note: 9,
}

/**
 * Returns the sort key of an entry. Entries are sorted by time, and entries with the same time in the order in which
 * they must have happened.
 */
function positionOf({ at, type, id }: TimelineEntry): string {
  return `${at} ${RANKS[type]} ${id}`
}
