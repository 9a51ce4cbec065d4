import type { Lead, LeadExport } from '@portal/contract/leads.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { MINE, submitterName } from '@portal/contract/submitted-by.ts'
import type { Deps } from '../../deps.ts'
import { guarded } from '../../platform/csv.ts'
import { type CsvColumn, csvFile } from '../../platform/http/csv-file.ts'
import type { ExportFile } from '../../platform/http/export-file.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import { everyLead } from '../../records/leads/lead-list.queries.ts'
import type { Owner } from '../../records/leads/leads.queries.ts'

/** The words of the pages. Typed cells are written as they are, free text is guarded (D82). */
const COLUMNS: readonly CsvColumn<Omit<Lead, 'side'>>[] = [
  ['Business Name', (lead) => guarded(lead.business_name)],
  ['Lead Name', (lead) => guarded(lead.lead_name)],
  ['LOID', (lead) => lead.loid],
  ['Email', (lead) => guarded(lead.email)],
  ['Phone', (lead) => formatPhone(lead.phone)],
  ['State', (lead) => guarded(lead.state)],
  ['Loan Amount', (lead) => lead.loan_amount],
  ['Loan Type', (lead) => guarded(lead.loan_type)],
  ['Loan Purpose', (lead) => guarded(lead.loan_purpose)],
  ['Loan Term', (lead) => guarded(lead.loan_term)],
  ['Monthly Sales', (lead) => lead.sales_monthly],
  ['ISO', (lead) => guarded(lead.partner_iso)],
  ['Status', (lead) => guarded(lead.lead_status)],
  ['Lead Source', (lead) => guarded(lead.lead_source)],
  ['Industry', (lead) => guarded(lead.business_industry)],
  ['Time in Business', (lead) => guarded(lead.time_in_business)],
  ['ABN/UIN', (lead) => guarded(lead.business_abn)],
  ['Owns Property', (lead) => (lead.owns_property ? 'Yes' : 'No')],
  ['Property Value', (lead) => (lead.owns_property ? lead.property_value : null)],
  ['Outstanding Debt', (lead) => (lead.owns_property ? lead.property_debt : null)],
  ['Description', (lead) => guarded(lead.description)],
  ['Submitted By', (lead) => guarded(lead.submitted_by && submitterName(lead.submitted_by))],
  ['Created', (lead, dayOf) => dayOf(lead.created_at)],
  ['Last Change', (lead, dayOf) => dayOf(lead.modified_time)],
]

/** Only where the lender's CRM has the fields (D112). */
const VERDICT_COLUMNS: typeof COLUMNS = [
  ['Lender’s Verdict', (lead) => guarded(lead.partner_verdict)],
  ['Verdict Reason', (lead) => guarded(lead.verdict_reason)],
  ['Protected Until', (lead) => lead.protected_until],
]

interface ExportCall {
  partner: Owner & { personId: string }
  query: LeadExport
  security: NoteSecurity
}

/** All leads of the list in one file. The security log says who took it. */
export async function leadFile(deps: Deps, { partner, query, security }: ExportCall): Promise<ExportFile> {
  const zone = query.timezone ?? deps.config.timezone
  const filters = { ...query, person: query.person === MINE ? partner.personId : query.person }
  const statement = await everyLead(deps, partner, filters, zone, deps.statusMeanings)
  const groups = await findFieldGroups(deps.db)
  const columns = groups.has('verdict') ? [...COLUMNS, ...VERDICT_COLUMNS] : COLUMNS
  await security(deps.db, 'leads-exported')
  return csvFile(deps.db, partner.id, 'leads.csv', columns, statement, zone)
}
