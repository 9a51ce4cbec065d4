import type { Deal, DealExport } from '@portal/contract/deals.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { MINE, submitterName } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../deps.ts'
import { guarded } from '../../platform/csv.ts'
import { type CsvColumn, csvFile } from '../../platform/http/csv-file.ts'
import type { ExportFile } from '../../platform/http/export-file.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { everyDeal } from '../../records/deals/deal-list.queries.ts'

/** The words of the pages. Typed cells are written as they are, free text is guarded (D82). */
const COLUMNS: readonly CsvColumn<Omit<Deal, 'side'>>[] = [
  ['Deal Name', (deal) => guarded(deal.deal_name)],
  ['Business', (deal) => guarded(deal.business_name)],
  ['Contact Name', (deal) => guarded(deal.contact_name)],
  ['LOID', (deal) => deal.loid],
  ['Email', (deal) => guarded(deal.email)],
  ['Phone', (deal) => formatPhone(deal.phone)],
  ['Amount', (deal) => deal.amount],
  ['Loan Type', (deal) => guarded(deal.loan_type)],
  ['Loan Purpose', (deal) => guarded(deal.loan_purpose)],
  ['Loan Term', (deal) => guarded(deal.loan_term)],
  ['Stage', (deal) => guarded(deal.stage)],
  ['Lead Source', (deal) => guarded(deal.lead_source)],
  ['Closing Date', (deal) => deal.closing_date],
  ['Description', (deal) => guarded(deal.description)],
  ['Submitted By', (deal) => guarded(deal.submitted_by && submitterName(deal.submitted_by))],
  ['Created', (deal, dayOf) => dayOf(deal.created_at)],
  ['Last Change', (deal, dayOf) => dayOf(deal.modified_time)],
]

interface ExportCall {
  partner: { id: string; personId: string }
  query: DealExport
  security: NoteSecurity
}

/** All deals of the list in one file. The security log says who took it. */
export async function dealFile(deps: Deps, { partner, query, security }: ExportCall): Promise<ExportFile> {
  const zone = query.timezone ?? deps.config.timezone
  const filters = { ...query, person: query.person === MINE ? partner.personId : query.person }
  const statement = await everyDeal(deps, partner.id, filters, zone, deps.statusMeanings)
  await security(deps.db, 'deals-exported')
  return csvFile(deps.db, partner.id, 'deals.csv', COLUMNS, statement, zone)
}
