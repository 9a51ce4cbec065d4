import {
  readApiDocs,
  readPartnerDocs,
  readSubmitted,
  submitPartnerLead,
  submitWebhookDeal,
  submitWebhookLead,
} from '@portal/contract/partner-api.ts'
import {
  type Reading,
  readApiDeal,
  readApiDeals,
  readApiEvents,
  readApiLead,
  readApiLeads,
} from '@portal/contract/partner-reads.ts'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, KeyCaller } from '../../platform/http/authenticate.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { admitRecord } from '../accounts/admit-record.ts'
import { findFirstStage, prepareDeal } from '../deals/submit-deal.ts'
import { prepareLead } from '../leads/submit-lead.ts'
import { hasSecurityEntry } from '../security-log/security-log.queries.ts'
import { apiDocs } from './api-docs.ts'
import type { ListName } from './cursor.ts'
import { getSubmitted } from './get-submitted.ts'
import { goneOf, readChanges } from './read-changes.ts'
import { readReferralDeal, readReferralLead } from './read-referral.ts'

export function partnerApiRoutes(mount: Mount, deps: Deps): void {
  mount(submitPartnerLead, (call) => admitRecord(deps, call, () => lead(call.partner, call.body)))
  mount(submitWebhookLead, (call) => admitRecord(deps, call, () => lead(call.partner, call.body)))
  mount(submitWebhookDeal, async (call) => {
    const stage = await findFirstStage(deps)
    return admitRecord(deps, call, () => prepareDeal(deps, call.partner, stage, call.body))
  })
  mount(readSubmitted, ({ partner, params }) => getSubmitted(deps.reads, partner, params.id))

  mount(readApiLeads, async (call) => {
    const { events, ...next } = await read(call, 'leads')
    return { leads: events.flatMap(({ lead }) => lead ?? []), gone: goneOf(events), ...next }
  })
  mount(readApiDeals, async (call) => {
    const { events, ...next } = await read(call, 'deals')
    return { deals: events.flatMap(({ deal }) => deal ?? []), gone: goneOf(events), ...next }
  })
  mount(readApiEvents, (call) => read(call, 'events'))
  mount(readApiLead, ({ partner, params }) => readReferralLead(deps, partner, params.loid))
  mount(readApiDeal, ({ partner, params }) => readReferralDeal(deps, partner, params.loid))

  mount(readApiDocs, async () => apiDocs(deps.publicUrl, deps.config.mailFrom))
  mount(readPartnerDocs, async () => apiDocs(deps.publicUrl, deps.config.mailFrom))

  async function lead(partner: Caller, body: LeadSubmission) {
    const { answer, writes } = await prepareLead(deps, partner, body)
    return { answer: { id: answer.id, loid: answer.loid, status: answer.lead_status }, writes }
  }

  /**
   * A reading that begins gets all records, as an export does, so the security log has it. It has one an hour of a key that
   * begins again and again.
   */
  async function read({ partner, query, security }: ReadCall, list: ListName) {
    if (query.since === undefined) {
      const noted = { event: 'records-read', subject: partner.key?.id ?? null, detail: READ[list] } as const
      const since = new Date(deps.clock.now().getTime() - NOTED_AGAIN_MS)
      if (!(await hasSecurityEntry(deps.db, partner.id, noted, since)))
        await security(deps.db, noted.event, { subject: partner.key ?? undefined, detail: noted.detail })
    }
    return readChanges(deps, partner.id, list, query)
  }
}

const NOTED_AGAIN_MS = 3_600_000

interface ReadCall {
  partner: KeyCaller
  query: Reading
  security: NoteSecurity
}

const READ: Record<ListName, string> = { leads: 'Leads', deals: 'Deals', events: 'Leads and deals' }
