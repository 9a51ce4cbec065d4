import * as z from 'zod/mini'
import type {
  CrmBatch,
  CrmDeal,
  CrmDeletion,
  CrmLead,
  CrmNote,
  CrmPartner,
  CrmProblem,
  CrmVersion,
  Renamed,
} from '../../records/crm-records.ts'
import type { DealFields, LeadFields, PartnerFields } from './field-map.ts'
import { readersOf, readNames } from './fields.ts'
import { LINE_LENGTH_MAX, Line, LongText, Lookup, text, YesNo, ZohoId, ZohoInstant } from './wire-values.ts'

/** Returns the present name of a picklist value, for any name that a record can contain. */
export type Displayed = (field: string, value: string) => string

export type Reading<Item> = { record: Item } | { problem: CrmProblem }

export function toBatch<Item>(readings: readonly Reading<Item>[]): CrmBatch<Item> {
  return {
    records: readings.flatMap((reading) => ('record' in reading ? reading.record : [])),
    problems: readings.flatMap((reading) => ('problem' in reading ? reading.problem : [])),
  }
}

const System = {
  id: ZohoId,
  created_at: z.nullish(ZohoInstant),
  modified_time: ZohoInstant,
}

const WirePartner = z.object({ id: ZohoId, modified_time: ZohoInstant, ...readersOf('partners') })

/** The record's fields by the portal's names, as far as the portal reads them. */
const WireLead = z.object({
  ...System,
  ...readersOf('leads'),
  is_converted: YesNo,
  converted_older: YesNo,
  converted_deal: Lookup,
  converted_detail: z.catch(z.nullish(z.object({ deal: Lookup })), null),
  converted_at: z.nullish(ZohoInstant),
})

const WireDeal = z.object({ ...System, ...readersOf('deals') })

const SYSTEM_FIELDS = { id: 'id', created_at: 'Created_Time', modified_time: 'Modified_Time' }

const CONVERSION_FIELDS = {
  is_converted: 'Converted__s',
  converted_at: 'Converted_Date_Time',
  converted_deal: 'Converted_Deal',
  converted_older: '$converted',
  converted_detail: '$converted_detail',
}

const PARTNER_SYSTEM_FIELDS = { id: 'id', modified_time: 'Modified_Time' }

/**
 * The fields that the portal reads of a partner's record: the optional ones that the organisation has, and with the word
 * that can invite the partner those that the invitation needs.
 */
export function partnerFactNames(map: PartnerFields): string[] {
  const { manager_name, manager_phone, manager_email, portal_access, portal_access_reason, abn, gst_registered } = map
  const { business_name, email, first_name, last_name, phone } = map
  const facts = [manager_name, manager_phone, manager_email, portal_access, portal_access_reason, abn, gst_registered]
  const invited = portal_access === undefined ? [] : [business_name, email, first_name, last_name, phone]
  return [...facts.filter((name) => name !== undefined), ...invited]
}

/** The fields to request for a lead. Zoho allows fifty. */
export function leadFieldNames(map: LeadFields): string[] {
  return [...readNames('leads', map), ...Object.values(SYSTEM_FIELDS), ...Object.values(CONVERSION_FIELDS)]
}

export function dealFieldNames(map: DealFields): string[] {
  return [...readNames('deals', map), ...Object.values(SYSTEM_FIELDS)]
}

/**
 * The fields of `leadFieldNames`, except the fields that queries do not know. `Converted__s` is also left out, because
 * some organisations' queries refuse it.
 */
export function leadColumnNames(map: LeadFields): string[] {
  return leadFieldNames(map).filter((name) => !name.startsWith('$') && name !== CONVERSION_FIELDS.is_converted)
}

/** False if a query returned the deal's account or contact without a name. */
export function isWholeDeal(raw: unknown, map: DealFields): boolean {
  return [map.account, map.contact].every((field) => {
    const lookup = Lookup.safeParse(valueOf(raw, field)).data
    return !lookup || lookup.name !== null
  })
}

export function partnerReader(map: PartnerFields, displayed: Displayed): (raw: unknown) => Reading<CrmPartner> {
  const read = recordReader(WirePartner, { ...map, ...PARTNER_SYSTEM_FIELDS }, displayed)
  return (raw) => {
    const reading = read(raw)
    if ('problem' in reading) return reading
    const { id, ...partner } = reading.record
    return { record: { ...partner, zoho_id: id } }
  }
}

/** Returns a function that reads an organisation's leads. `map` says which field is which. */
export function leadReader(map: LeadFields, displayed: Displayed): (raw: unknown) => Reading<CrmLead> {
  const read = recordReader(WireLead, { ...map, ...SYSTEM_FIELDS, ...CONVERSION_FIELDS }, displayed)
  return (raw) => {
    const reading = read(raw)
    if ('problem' in reading) return reading
    const { id, partner, is_converted, converted_older, converted_deal, converted_detail, ...lead } = reading.record
    return {
      record: Object.assign(lead, {
        zoho_id: id,
        partner_zoho_id: partner?.id ?? null,
        // A query may leave out `Converted__s`, but always has the time of conversion.
        is_converted: is_converted || converted_older || (lead.converted_at ?? null) !== null,
        converted_deal_zoho_id: converted_deal?.id ?? converted_detail?.deal?.id ?? null,
        converted_at: lead.converted_at ?? null,
        created_at: lead.created_at ?? lead.modified_time,
        nameNow: namesIn(map, displayed),
      }),
    }
  }
}

export function dealReader(map: DealFields, displayed: Displayed): (raw: unknown) => Reading<CrmDeal> {
  const read = recordReader(WireDeal, { ...map, ...SYSTEM_FIELDS }, displayed)
  return (raw) => {
    const reading = read(raw)
    if ('problem' in reading) return reading
    const { id, partner, account, contact, ...deal } = reading.record
    return {
      record: Object.assign(deal, {
        zoho_id: id,
        partner_zoho_id: partner?.id ?? null,
        business_name: deal.business_name ?? account?.name ?? null,
        contact_name: contact?.name ?? null,
        created_at: deal.created_at ?? deal.modified_time,
        nameNow: namesIn(map, displayed),
      }),
    }
  }
}

function namesIn(map: Record<string, string>, displayed: Displayed): Renamed['nameNow'] {
  return (field, value) => displayed(map[field] ?? field, value)
}

/**
 * Gives Zoho's fields the portal's names and checks each field. The first invalid field becomes the record's problem.
 */
function recordReader<Shape extends z.ZodMiniType>(
  schema: Shape,
  map: Record<string, string>,
  displayed: Displayed,
): (raw: unknown) => Reading<z.output<Shape>> {
  const names = Object.entries(map)
  return (raw) => {
    const named: Record<string, unknown> = {}
    for (const [ours, theirs] of names) {
      const value = valueOf(raw, theirs)
      named[ours] = typeof value === 'string' ? displayed(theirs, value) : value
    }
    const parsed = schema.safeParse(named)
    if (parsed.success) return { record: parsed.data }
    const [issue] = parsed.error.issues
    const ours = String(issue?.path[0] ?? '')
    return {
      problem: {
        zoho_id: ZohoId.safeParse(named['id']).data ?? 'unknown',
        reason: `${map[ours] ?? 'The record'} ${issue?.message ?? 'cannot be read'}`,
      },
    }
  }
}

export const Person = z.nullish(z.object({ name: text(LINE_LENGTH_MAX), id: z.catch(z.nullish(z.string()), null) }))

/** A person's name. It is never an email address, although Zoho shows one for a user without a name (D32a). */
export function personName(person: z.output<typeof Person>): string | null {
  const name = person?.name ?? null
  return name === null || name.includes('@') ? null : name
}

const WireNote = z.pipe(
  z.object({
    id: ZohoId,
    Note_Title: z.catch(Line, null),
    Note_Content: LongText,
    Owner: z.catch(Person, null),
    Created_By: z.catch(Person, null),
    Created_Time: ZohoInstant,
    Modified_Time: z.nullish(ZohoInstant),
  }),
  z.transform((note): CrmNote | null => {
    const content = note.Note_Content ?? note.Note_Title
    if (content === null) return null
    return {
      zoho_id: note.id,
      title: note.Note_Content === null ? null : note.Note_Title,
      content,
      created_by: personName(note.Created_By) ?? personName(note.Owner),
      creator_zoho_id: note.Created_By?.id ?? null,
      created_at: note.Created_Time,
      modified_time: note.Modified_Time ?? note.Created_Time,
    }
  }),
)

export const NOTE_FIELDS = 'Note_Title,Note_Content,Parent_Id,Owner,Created_By,Created_Time,Modified_Time'

/** Returns null for a note that is empty or cannot be read, so that one bad note does not hide other notes. */
export function readNote(raw: unknown): CrmNote | null {
  return WireNote.safeParse(raw).data ?? null
}

const Child = z.object({
  Parent_Id: z.object({ id: ZohoId, module: z.object({ api_name: z.string() }) }),
})

/** The record of a note or attachment. */
export function readParent(raw: unknown): { module: string; zoho_id: string } | null {
  const parent = Child.safeParse(raw).data?.Parent_Id
  return parent ? { module: parent.module.api_name, zoho_id: parent.id } : null
}

const WireVersion = z.object({ id: ZohoId, Modified_Time: ZohoInstant, Converted__s: YesNo, $converted: YesNo })

/** Returns null if not even the id and the time can be read. */
export function readVersion(raw: unknown): CrmVersion | null {
  const row = WireVersion.safeParse(raw).data
  return row
    ? { zoho_id: row.id, modified_time: row.Modified_Time, is_converted: row.Converted__s || row.$converted }
    : null
}

const WireDeletion = z.pipe(
  z.object({ id: ZohoId, display_name: z.nullish(z.string()), deleted_time: ZohoInstant }),
  z.transform(({ id, display_name: name = null, deleted_time }) => ({ zoho_id: id, name, deleted_time })),
)

export function readDeletion(raw: unknown): CrmDeletion | null {
  return WireDeletion.safeParse(raw).data ?? null
}

/** Writes an instant as Zoho reads it: in whole seconds, with an offset. */
export function zohoTime(instant: string): string {
  return instant.replace(/\.\d+Z$/, '+00:00')
}

function valueOf(record: unknown, field: string): unknown {
  return typeof record === 'object' && record !== null ? Reflect.get(record, field) : undefined
}

/** The id in a record's lookup, whichever form the lookup has. */
export function readLookupId(raw: unknown, field: string): string | null {
  return Lookup.safeParse(valueOf(raw, field)).data?.id ?? null
}

export function idOf(row: unknown): string {
  return readText(row, 'id') ?? ''
}

export function readText(raw: unknown, field: string): string | null {
  return Line.safeParse(valueOf(raw, field)).data ?? null
}
