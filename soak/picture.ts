import { DEFAULT_FIELD_MAP } from '../server/src/crm/zoho/field-map.ts'
import type { CrmRow } from './crm.ts'
import type { Ledger, Tracked } from './ledger.ts'
import type { Partner } from './partners.ts'
import type { World } from './world.ts'

/** What the CRM has when everything is at rest, beside what the ledger says of it. */
export interface Picture {
  partners: CrmRow[]
  leads: CrmRow[]
  deals: CrmRow[]
  notes: CrmRow[]
  /** Leads and deals, by id. */
  rows: ReadonlyMap<string, CrmRow>
  leadOfDeal: ReadonlyMap<string, CrmRow>
  /** The LOIDs of the leads that partners withdrew. */
  withdrawn: ReadonlySet<string>
  trackedOf(module: Tracked['module'], row: CrmRow): Tracked | undefined
  trackedByLoid(module: Tracked['module'], loid: string): Tracked | undefined
  /** The record's notes that the reader may see. Notes by another partner, which had the record before, are hidden. */
  notesFor(reader: Partner, id: string): string[]
  /** Whether the record, or the deal that the lead became, is not there for the portal. */
  waitsFor(record: Tracked): boolean
}

export async function takePicture({ crm, rows }: World, ledger: Ledger): Promise<Picture> {
  const { leads: leadMap, deals: dealMap } = DEFAULT_FIELD_MAP
  const partners = await crm.list('Partners', ['Name', 'Email'])
  const leads = await crm.list('Leads', ['Converted__s', 'Converted_Deal', ...Object.values(leadMap.fields)])
  const deals = await crm.list('Deals', Object.values(dealMap.fields))
  const notes = await crm.list('Notes', ['Note_Content', 'Parent_Id'])
  const crmRows = new Map([...leads, ...deals].map((row) => [row.id, row]))
  const notesOf = Map.groupBy(notes, (note) => lookupId(note, 'Parent_Id'))
  const authors = new Map(ledger.notes.map(({ content, by }) => [content, by]))
  const leadOfDeal = new Map(
    leads.flatMap((lead) => {
      const deal = lookupId(lead, 'Converted_Deal')
      return deal === undefined ? [] : [[deal, lead]]
    }),
  )
  const byZohoId = new Map(ledger.records.flatMap((record) => (record.zohoId ? [[record.zohoId, record]] : [])))
  const byLoid = new Map(
    ledger.records.flatMap((record) => (record.loid ? [[`${record.module} ${record.loid}`, record]] : [])),
  )
  const withdrawals = await rows<{ loid: string }>(`select loid from leads where archived_reason = 'withdrawn'`)
  const withdrawn = new Set(withdrawals.map(({ loid }) => loid))

  return {
    partners,
    leads,
    deals,
    notes,
    rows: crmRows,
    leadOfDeal,
    withdrawn,
    trackedOf: (module, row) => byZohoId.get(row.id) ?? byLoid.get(`${module} ${String(row['LOID'])}`),
    trackedByLoid: (module, loid) => byLoid.get(`${module} ${loid}`),
    notesFor(reader, id) {
      const contents = (notesOf.get(id) ?? []).map(wordsOf)
      return contents.filter((content) => ['staff', reader.number, undefined].includes(authors.get(content))).toSorted()
    },
    waitsFor(record) {
      const isWithdrawn = record.loid !== undefined && withdrawn.has(record.loid)
      const row = crmRows.get(record.zohoId ?? '')
      const lead = row && (leadOfDeal.get(row.id) ?? row)
      const deal = lead && crmRows.get(lookupId(lead, 'Converted_Deal') ?? '')
      return (
        isWithdrawn ||
        record.isDeleted ||
        record.deal?.isDeleted === true ||
        (record.isConverted && !record.deal) ||
        [row, lead].some((one) => one !== undefined && lookupId(one, 'Partner') === undefined) ||
        (lead !== undefined && deal !== undefined && areApart(lead, deal))
      )
    },
  }
}

export function lookupId(row: CrmRow, field: string): string | undefined {
  const value = row[field]
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : undefined
}

/** Leaves out the author's name, which the CRM gets with the note (D64). */
export function wordsOf(note: Record<string, unknown>): string {
  return String(note['Note_Content']).replace(/\n\n— [^\n]*$/, '')
}

/** The CRM lets nobody enter the partner of a converted lead again that was lost with the partner's record. */
export function hasLostPartner(lead: CrmRow): boolean {
  return lead['Converted__s'] === true && lookupId(lead, 'Partner') === undefined
}

/**
 * Whether nothing in the CRM connects the lead with its deal any more. The conversion copied no LOID, and staff gave the
 * deal to another partner before the portal saw it, or the lead has lost its partner. The lead then waits for a deal of its
 * own partner (D124).
 */
function areApart(lead: CrmRow, deal: CrmRow): boolean {
  const isOthers = lookupId(lead, 'Partner') !== lookupId(deal, 'Partner')
  return lead['LOID'] !== deal['LOID'] && (isOthers || hasLostPartner(lead))
}
