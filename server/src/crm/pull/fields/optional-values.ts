import { LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import type { Deps } from '../../../deps.ts'
import { chunksOf } from '../../../platform/chunks-of.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { CrmBatch, CrmDeal, CrmLead } from '../../../records/crm-records.ts'
import { ERASED_DEAL } from '../../../records/deals/deal-table.ts'
import { PAYMENT_COLUMNS } from '../../../records/deals/payments.ts'
import {
  findFieldsToRead,
  findWithOptionalValuesOfAllPartners,
  keepFieldGroups,
  markFieldsRead,
  writeValues,
} from '../../../records/kinds/field-groups.queries.ts'
import { ERASED_LEAD } from '../../../records/leads/lead-table.ts'
import { METADATA_KEPT_MS } from '../../zoho/metadata.ts'
import { forgetAccess, pullAllPartners } from '../pull-partners.ts'

/** Another process may read records without a new field until it asks for the organisation's settings again. */
const KNOWN_EVERYWHERE_MS = METADATA_KEPT_MS + 60_000
const RECORDS_A_CALL = 100

const PARTNER_COLUMNS = [
  'manager_name',
  'manager_phone',
  'manager_email',
  'portal_access',
  'portal_access_reason',
  'abn',
  'gst_registered',
] as const

/** Stores which groups of optional fields the organisation has now. */
export async function noteFieldGroups(
  deps: Pick<Deps, 'db' | 'crm' | 'jobs' | 'clock' | 'config'>,
  signal?: AbortSignal,
): Promise<void> {
  const { db, crm, clock } = deps
  const groups = await crm.fieldGroups(signal)
  await keepFieldGroups(db, groups, clock.now())
  if (!groups.has('access')) await forgetAccess(deps)
}

/**
 * Reads the values of optional fields that the organisation has added. A new field does not change the records' times,
 * so no sweep finds its values. Repeats the reading until every process knows the fields.
 */
export async function readOptionalValues(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, crm, clock } = deps
  const fields = await findFieldsToRead(db, KNOWN_EVERYWHERE_MS)
  if (fields.length === 0) return
  const begunAt = clock.now()
  await readValues(db, 'leads', namedIn(keysOf(LEAD_VERDICT), fields), {
    erased: ERASED_LEAD,
    pages: crm.leadValuesOfAllPartners(fields, signal),
    get: (zohoIds) => crm.getLeads(zohoIds, signal),
  })
  await readValues(db, 'deals', namedIn(PAYMENT_COLUMNS, fields), {
    erased: ERASED_DEAL,
    pages: crm.dealValuesOfAllPartners(fields, signal),
    get: (zohoIds) => crm.getDeals(zohoIds, signal),
  })
  if (namedIn(PARTNER_COLUMNS, fields).length > 0) await pullAllPartners(deps, signal)
  await markFieldsRead(db, fields, begunAt)
}

async function readValues<Item extends CrmLead | CrmDeal>(
  db: Db,
  table: 'leads' | 'deals',
  columns: readonly (keyof Item & string)[],
  { erased, pages, get }: ValuesReader<Item>,
): Promise<void> {
  if (columns.length === 0) return
  const listed: string[] = []
  for await (const { records } of pages) {
    await writeValues(db, table, columns, records, erased)
    listed.push(...records.map((record) => record.zoho_id))
  }
  // Values that the CRM had emptied while the field was missing. What a list does not show is not gone, so each record
  // is read.
  const unlisted = await findWithOptionalValuesOfAllPartners(db, table, columns, listed)
  for (const zohoIds of chunksOf(unlisted, RECORDS_A_CALL)) {
    const { records } = await get(zohoIds)
    await writeValues(db, table, columns, records, erased)
  }
}

interface ValuesReader<Item> {
  /** The columns that stay empty in erased records. */
  erased: object
  pages: AsyncIterable<CrmBatch<Item>>
  get(zohoIds: readonly string[]): Promise<CrmBatch<Item>>
}

function namedIn<Name extends string>(names: readonly Name[], fields: readonly string[]): Name[] {
  return names.filter((name) => fields.includes(name))
}
