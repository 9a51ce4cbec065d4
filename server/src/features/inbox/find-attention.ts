import type { Attention, AttentionItem } from '@portal/contract/attention.ts'
import { wholeDays } from '@portal/contract/calendar.ts'
import { NO_DEAL_YET_MEANING } from '@portal/contract/leads.ts'
import { ATTENTION_MAX, ATTENTION_TOTAL_MAX } from '@portal/contract/limits.ts'
import type { HistoryKind, Side } from '@portal/contract/meanings.ts'
import { reaches } from '@portal/contract/roles.ts'
import type { Deps } from '../../deps.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { QUOTE_LENGTH, shortened } from '../../records/events/activity.ts'
import { findUsualTimes, type UsualTimeOfValue } from '../../records/histories/usual-times.queries.ts'
import { findUnansweredRequests } from './asked.queries.ts'
import {
  findEndingProtections,
  findFailedPushes,
  findFailingWebhook,
  findLeadsAwaitingDeal,
  findOpenValues,
  findPartnersTurns,
  findUnansweredNotes,
  findUnmoved,
  type Waiting,
} from './attention.queries.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A record needs attention after twice the usual time in its status or stage, but never before a week (D74). */
const TIMES_USUAL = 2
const DAYS_MIN = 7
/** The days after which a record needs attention if nothing is usual yet (D127). */
const DAYS_WITHOUT_USUAL = 21
/** A webhook needs attention after it has failed for this long. */
const FAILING_MS = 2 * HOUR_MS

const OF_ALL_KINDS = { request: null, retry: null, note: null, webhook: null, protected_until: null, standing: null }

/**
 * Finds the items that need attention (D127), in this order: what the lender asks, the partner's turns, the lender's unanswered notes, failed
 * pushes and webhooks, leads that were converted without a deal, protections that end soon, and then records that do not move. Owners alone see the
 * webhook.
 */
export async function findAttention(
  deps: AttentionDeps,
  caller: Pick<SessionCaller, 'id' | 'personId' | 'role'>,
): Promise<Attention> {
  const { pool, reads, clock, config, statusMeanings } = deps
  const { id: partnerId, personId, role } = caller
  const now = clock.now()
  const viewer = { partnerId, personId, now }
  const [{ values, knows_usual_times }, usualTimes] = await Promise.all([
    findOpenValues(pool, partnerId),
    findUsualTimes(reads, partnerId),
  ])
  const open = values.flatMap(({ kind, value }) => {
    const { side, meaning } = statusMeanings(kind, value)
    const usual = usualTimes.find((time) => time.kind === kind && time.value === value) ?? null
    return side === null ? [] : { kind, value, side, meaning, usual }
  })
  const valuesOf = (kind: HistoryKind, ...sides: Side[]) =>
    open.filter((one) => one.kind === kind && sides.includes(one.side)).map((one) => one.value)
  const [requests, leadTurns, dealTurns, notes, failed, webhook, awaiting, ending, leads, deals] = await Promise.all([
    findUnansweredRequests(pool, viewer),
    findTurns('lead'),
    findTurns('deal'),
    findUnansweredNotes(pool, viewer, {
      'lead-status': valuesOf('lead-status', 'partner', 'lender'),
      'deal-stage': valuesOf('deal-stage', 'partner', 'lender'),
    }),
    findFailedPushes(pool, viewer),
    reaches(role, 'owner')
      ? findFailingWebhook(pool, viewer, new Date(now.getTime() - FAILING_MS).toISOString())
      : undefined,
    findLeadsAwaitingDeal(pool, viewer),
    findEndingProtections(pool, viewer, config.timezone),
    findTooLong('lead'),
    findTooLong('deal'),
  ])
  const turns = [...leadTurns, ...dealTurns].toSorted((a, b) => b.at.localeCompare(a.at))
  const unmoved = [...leads, ...deals].toSorted((a, b) => b.overdue - a.overdue)
  const protections = ending.filter(({ value }) => valuesOf('lead-status', 'partner', 'lender').includes(value))
  const items = [
    ...requests.map(({ request, ...found }) => ({ ...itemOf('request', 'request', found), request })),
    ...turns.map((found) => ({ ...itemOf('your-turn', found.about, found), standing: standingOf(found, found.at) })),
    ...notes.map(({ content, by, count, is_read, ...found }) => ({
      ...itemOf('lender-note', found.about, found),
      note: { content: shortened(content, QUOTE_LENGTH), by, count, is_read },
      standing: standingOf(found, found.since),
    })),
    ...(webhook ? [webhookItem(partnerId, webhook)] : []),
    ...failed.map(({ kind, problem, ...found }) => ({
      ...itemOf('crm-failed', kind, found),
      retry: { kind, id: kind === 'note' ? found.record_id : found.loid, problem },
    })),
    ...awaiting.map((found) => ({
      ...itemOf('awaits-deal', 'lead', found),
      standing: { ...standingOf(found, found.at), meaning: NO_DEAL_YET_MEANING, side: 'lender' as const },
    })),
    // A lead that is lost needs no protection.
    ...protections.map((found) => ({
      ...itemOf('protection-ends', 'lead', found),
      protected_until: found.protected_until,
      standing: standingOf(found, found.at),
    })),
    ...unmoved.map((found) => ({
      ...itemOf('no-movement', found.about, found),
      standing: standingOf(found, found.at),
    })),
  ]
  return {
    items: items.slice(0, ATTENTION_MAX),
    total: items.length,
    is_least: [requests, leadTurns, dealTurns, notes, failed, awaiting, ending, leads, deals].some(
      (found) => found.length > ATTENTION_TOTAL_MAX,
    ),
    knows_usual_times,
  }

  async function findTurns(about: 'lead' | 'deal'): Promise<Waiting[]> {
    const asking = valuesOf(KIND_OF[about], 'partner')
    return asking.length === 0 ? [] : findPartnersTurns(pool, viewer, about, asking)
  }

  async function findTooLong(about: 'lead' | 'deal') {
    const tooLong = open
      .filter(({ kind, side }) => kind === KIND_OF[about] && side === 'lender')
      .map(({ value, usual }) => ({ value, before: tooLongBefore(usual, now) }))
    return tooLong.length === 0 ? [] : findUnmoved(pool, viewer, about, tooLong)
  }

  function standingOf({ about, value }: { about: 'lead' | 'deal'; value: string }, since: string) {
    const known = open.find((one) => one.kind === KIND_OF[about] && one.value === value)
    const usual = known?.usual ? { days: known.usual.days, of: known.usual.of } : null
    const days = wholeDays(since, now.toISOString())
    return { value, meaning: known?.meaning ?? null, side: known?.side ?? null, days, usual }
  }
}

type AttentionDeps = Pick<Deps, 'pool' | 'reads' | 'clock' | 'config' | 'statusMeanings'>

const KIND_OF = { lead: 'lead-status', deal: 'deal-stage' } as const

function tooLongBefore(usual: UsualTimeOfValue | null, now: Date): string {
  const days = usual ? Math.max(DAYS_MIN, TIMES_USUAL * usual.days) : DAYS_WITHOUT_USUAL
  return new Date(now.getTime() - days * DAY_MS).toISOString()
}

function itemOf(
  kind: AttentionItem['kind'],
  of: 'lead' | 'deal' | 'note' | 'request',
  found: { record_id: string; version: number; loid: string; about: 'lead' | 'deal'; name: string | null; at: string },
): AttentionItem {
  const { record_id, version, loid, about, name, at } = found
  const id = [kind, of, record_id, version].join('.')
  return { id, kind, loid, about, name: name ?? 'A business without a name', at, ...OF_ALL_KINDS }
}

function webhookItem(
  partnerId: string,
  found: { version: number; url: string; failing_since: string | null; disabled_at: string | null },
): AttentionItem {
  const { version, url, failing_since, disabled_at } = found
  const kind = 'webhook-failing'
  return {
    ...OF_ALL_KINDS,
    id: [kind, 'webhook', partnerId, version].join('.'),
    kind,
    loid: null,
    about: null,
    name: new URL(url).host,
    at: disabled_at ?? failing_since ?? '',
    webhook: { failing_since, disabled_at },
  }
}
