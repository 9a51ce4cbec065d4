import { normalizeBusinessNumber } from '@portal/contract/abn.ts'
import { LEAD_STATUSES } from '@portal/contract/choices.ts'
import {
  correctLead,
  createLead,
  exportLeads,
  findDuplicates,
  listLeadStatuses,
  listLeads,
  readLead,
  readStatusHistory,
  readUsualCountry,
  retryLeadPush,
  withdrawLead,
} from '@portal/contract/leads.ts'
import { phoneReadings } from '@portal/contract/phone.ts'
import { MINE } from '@portal/contract/submitted-by.ts'
import { comparedEmail } from '@portal/contract/text.ts'
import { pullDetailsOf } from '../../crm/pull/details/pull-details.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import { pushNote } from '../../crm/push/push-note.job.ts'
import { retryPush } from '../../crm/push/retry-push.ts'
import { crmChoices } from '../../crm/zoho/choices.ts'
import type { Deps } from '../../deps.ts'
import { isPlainFirstPage } from '../../platform/db/find-page.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findHistory } from '../../records/histories/history.queries.ts'
import { leadWithSide } from '../../records/histories/with-side.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { reviveFailed } from '../../records/kinds/pushed.queries.ts'
import { countByValue } from '../../records/kinds/record-counts.queries.ts'
import { findLeads, findNewestLeads } from '../../records/leads/lead-list.queries.ts'
import { findDuplicateLeads, findVerdicts, getLead, getLeadKeys } from '../../records/leads/leads.queries.ts'
import { findNotes, reviveFailedNotes } from '../../records/notes/notes.queries.ts'
import { findRequests } from '../../records/requests/requests.queries.ts'
import { admitRecord } from '../accounts/admit-record.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { findUsualCountry } from '../accounts/usual-country.queries.ts'
import { askCorrection, askWithdrawal, mayChange } from './ask-change.ts'
import { leadFile } from './lead-file.ts'
import { prepareLead } from './submit-lead.ts'

export function leadRoutes(mount: Mount, deps: Deps): void {
  const { db, reads, clock, config } = deps
  const notPartnersTurn = deps.statusMeanings.notPartnersTurn['lead-status']

  mount(listLeads, async ({ partner, query: asked, fromReplica }) => {
    const query = { ...asked, person: asked.person === MINE ? partner.personId : asked.person }
    const page = await fromReplica((from) =>
      isPlainFirstPage(query)
        ? findNewestLeads(from.reads, partner, query.limit, notPartnersTurn)
        : findLeads(from, partner, query, config.timezone, deps.statusMeanings),
    )
    return { data: { leads: page.rows.map((lead) => leadWithSide(deps, lead)) }, pagination: page.pagination }
  })
  mount(exportLeads, (call) => leadFile(deps, call))
  mount(createLead, (call) => admitRecord(deps, call, () => prepareLead(deps, call.partner, call.body)))
  mount(readLead, async ({ partner, params }) => {
    const lead = await getLead(reads, partner, params.id)
    if (lead.is_due) await pullDetailsOf(deps, 'Leads', partner.id, lead.loid)
    const [notes, requests] = await Promise.all([
      findNotes(reads, partner.id, lead.loid),
      findRequests(reads, partner.id, lead.loid),
    ])
    const isUntouched = lead.is_untouched && requests.length === 0 && !notes.some((note) => note.is_from_crm)
    const may_change = isUntouched && lead.change?.state !== 'waiting' && mayChange(partner, lead)
    return { lead: { ...leadWithSide(deps, lead), may_change }, notes, requests }
  })
  mount(correctLead, async (call) => {
    await limitPartner(deps, call, 'changes')
    return askCorrection(deps, call.partner, call.params.id, call.body)
  })
  mount(withdrawLead, async (call) => {
    await limitPartner(deps, call, 'changes')
    return askWithdrawal(deps, call.partner, call.params.id, call.body.reason)
  })
  mount(readStatusHistory, async ({ partner, params }) => {
    const leads = await getLeadKeys(reads, partner.id, params.id)
    for (const { loid, is_due } of leads) if (is_due) await pullDetailsOf(deps, 'Leads', partner.id, loid)
    const entries = await findHistory(reads, 'lead-status', partner.id, leads, clock.now())
    return entries.map(({ value, ...entry }) => ({ ...entry, status: value }))
  })
  mount(retryLeadPush, async (call) => {
    const { partner, params } = call
    await limitPartner(deps, call, 'retries')
    const { loid, crm } = await getLead(reads, partner, params.id)
    const isRevived = await retryPush(deps, pushLead, (tx) => reviveFailed(tx, 'leads', partner.id, loid))
    await retryPush(deps, pushNote, (tx) => reviveFailedNotes(tx, partner.id, { loid }))
    return { loid, crm: isRevived ? 'pending' : crm }
  })
  mount(findDuplicates, async ({ partner, query }) => {
    const wanted = {
      email: query.email ? comparedEmail(query.email) : null,
      phones: phoneReadings(query.phone ?? '').map((reading) => reading.e164),
      abn: query.abn ? normalizeBusinessNumber(query.abn) : null,
    }
    return { duplicates: await findDuplicateLeads(db, partner.id, wanted, clock.now()) }
  })
  mount(readUsualCountry, async ({ partner }) => ({ iso: await findUsualCountry(db, partner.id) }))
  mount(listLeadStatuses, async ({ partner }) => {
    const [statuses, groups, counts] = await Promise.all([
      crmChoices(deps, 'lead-status', LEAD_STATUSES),
      findFieldGroups(db),
      countByValue(reads, partner.id, 'lead'),
    ])
    return {
      statuses: [...statuses],
      counts,
      verdicts: groups.has('verdict') ? await findVerdicts(reads, partner.id) : null,
    }
  })
}
