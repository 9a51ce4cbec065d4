import { mayTell } from '@portal/contract/event-types.ts'
import type { Db } from '../../platform/db/database.ts'
import type { DealRow, LeadRow } from '../../platform/db/tables.ts'
import {
  findAnswersNaming,
  findDealsByLoidOfAllPartners,
  findDealsLikeOfAllPartners,
  findImportRowsLikeOfAllPartners,
  findLeadsByLoidOfAllPartners,
  findLeadsLikeOfAllPartners,
  findLogsLikeOfAllPartners,
  findPartnerNames,
  findRequestsOfLoids,
  findRowsOfLoids,
  findSearchingViewsOfAllPartners,
} from './applicants.queries.ts'
import { type Applicant, isNamedIn, isOf } from './read-applicant.ts'

export type Found = Awaited<ReturnType<typeof findApplicant>>

/**
 * Finds what the portal stores about an applicant, across all partners, except news that waits to be mailed. Reads
 * whole tables, so it is for operators only.
 */
export async function findApplicant(db: Db, applicant: Applicant) {
  const likeLeads = await findLeadsLikeOfAllPartners(db, applicant)
  const likeDeals = await findDealsLikeOfAllPartners(db, applicant)
  const own = [
    ...likeLeads.filter((lead) => [lead.email, lead.phone, lead.business_abn].some((text) => isOf(applicant, text))),
    ...likeDeals.filter((deal) => [deal.email, deal.phone].some((text) => isOf(applicant, text))),
  ].map(({ loid }) => loid)

  // A lead and its deal have the same applicant, even if only one of them names the person.
  const deals = await findDealsByLoidOfAllPartners(db, own)
  const leads = await findLeadsByLoidOfAllPartners(db, [...own, ...deals.map(({ loid }) => loid)])
  const loids = [
    ...new Set([
      ...own,
      ...leads.flatMap(({ loid, deal_loid }) => [loid, deal_loid ?? loid]),
      ...deals.map(({ loid }) => loid),
    ]),
  ]
  const allDeals = await findDealsByLoidOfAllPartners(db, loids)

  const logs = await findLogsLikeOfAllPartners(db, applicant, loids)
  const importRows = await findImportRowsLikeOfAllPartners(db, applicant, loids)
  const names = await findPartnerNames(db, [...new Set([...leads, ...allDeals].map(({ partner_id }) => partner_id))])
  const withPartner = <Row extends { partner_id: string }>(row: Row) => ({ partner: names.get(row.partner_id), ...row })
  return {
    leads: leads.map(withPartner),
    deals: allDeals.map(withoutPayment).map(withPartner),
    notes: await findRowsOfLoids(db, 'notes', loids),
    documents: await findRowsOfLoids(db, 'documents', loids),
    requests: await findRequestsOfLoids(db, loids),
    history: await findRowsOfLoids(db, 'history_entries', loids),
    events: (await findRowsOfLoids(db, 'events', loids)).filter(({ type }) => mayTell(String(type), [])),
    webhook_logs: logs.filter(
      ({ loid, request_body }) =>
        (loid !== null && loids.includes(loid)) || (request_body !== null && isNamedIn(applicant, request_body)),
    ),
    rows_of_imports: importRows.filter(
      ({ loid, cells, mended }) =>
        (loid !== null && loids.includes(loid)) || isNamedIn(applicant, JSON.stringify([cells, mended])),
    ),
    remembered_answers: await findAnswersNaming(db, loids),
    views: (await findSearchingViewsOfAllPartners(db)).filter(({ query }) =>
      searchesFor(applicant, [...leads, ...allDeals], new URLSearchParams(query).get('search')),
    ),
  }
}

/** Whether a list was searched for the applicant, by what identifies them or a name on their records. */
function searchesFor(applicant: Applicant, records: readonly (LeadRow | DealRow)[], search: string | null): boolean {
  if (search === null) return false
  if (isOf(applicant, search)) return true
  const words = search.trim().toLowerCase()
  return records.some((record) => {
    const names =
      'deal_name' in record
        ? [record.deal_name]
        : [record.first_name, record.last_name, `${record.first_name} ${record.last_name}`]
    return [record.business_name, record.email, record.phone, ...names].some((text) => text?.toLowerCase() === words)
  })
}

/** What the lender pays the partner for a deal does not concern the applicant (D111). */
function withoutPayment({
  partner_commission: _,
  commission_status: __,
  commission_paid_on: ___,
  commission_note: ____,
  ...deal
}: DealRow) {
  return deal
}

/**
 * Lists the records that are in the CRM, the records that left it, and the records that may be in it because the portal
 * sent them but has no answer. Records that left were either deleted (and may still be in the recycle bin) or given to
 * a business outside the portal. Each text has the form `Leads 4876876000000333001 (LO-7K3M9Q2X)`. A record without an
 * answer is listed without its id.
 */
export function inCrm({ leads, deals }: Found): { present: string[]; left: string[]; sent: string[] } {
  const rows = [
    ...leads.map((row) => ({ module: 'Leads', ...row })),
    ...deals.map((row) => ({ module: 'Deals', ...row })),
  ]
  const named = (hasLeft: boolean) =>
    rows
      .filter((row) => row.zoho_id !== null && (row.archived_reason === 'left-crm') === hasLeft)
      .map(({ module, zoho_id, loid }) => `${module} ${zoho_id} (${loid})`)
  const sent = rows.filter((row) => row.zoho_id === null && row.crm_sent_at !== null)
  return {
    present: named(false),
    left: named(true),
    sent: sent.map(({ module, loid }) => `${module} (${loid})`),
  }
}
