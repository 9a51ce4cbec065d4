import { GST_REGISTERED, PORTAL_ACCESS } from '@portal/contract/choices.ts'
import { isPlainDate } from '@portal/contract/dates.ts'
import { CHOICE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import * as z from 'zod/mini'
import type {
  CrmDeal,
  CrmDeletion,
  CrmHistoryEntry,
  CrmLead,
  CrmNote,
  CrmPartner,
  CrmProblem,
  CrmVersion,
} from '../../records/crm-records.ts'
import type { DealFields, LeadFields, PartnerFields } from './field-map.ts'

/** Returns the present name of a picklist value, for any name that a record can contain. */
export type Displayed = (field: string, value: string) => string

export type Reading<Item> = { record: Item } | { problem: CrmProblem }

// Zoho's ids have 18 or 19 digits, more than a JavaScript number can hold, so they are always text.
export const ZohoId = z.string().check(z.regex(/^\d{1,30}$/, 'is not an id'))

/**
 * Zoho's own limit for a single line. The portal reads its lists from indexes, so a line must fit into an index entry,
 * which has at most 2,704 bytes.
 */
export const LINE_LENGTH_MAX = 255
const URL_LENGTH_MAX = 1_000
const TEXT_LENGTH_MAX = 65_535
const NUMBER_MAX = 999_999_999_999.99

/**
 * Trims text; blank text becomes null. PostgreSQL cannot store a NUL, which is dropped, nor half a letter. One function does all of
 * this, to save time, because a lead has twenty texts.
 */
export function text(lengthMax: number) {
  return z.pipe(
    z.optional(z.unknown()),
    z.transform((input, { issues }): string | null => {
      if (input === null || input === undefined) return null
      if (typeof input !== 'string' && typeof input !== 'number') {
        issues.push({ code: 'custom', message: 'is not text', input })
        return null
      }
      const clean = cleanText(input)
      if (clean.length > lengthMax) issues.push({ code: 'custom', message: 'is too long', input })
      return clean || null
    }),
  )
}

function cleanText(value: string | number): string {
  return String(value).replaceAll('\u0000', '').toWellFormed().trim()
}

const Line = text(LINE_LENGTH_MAX)
const Choice = text(CHOICE_LENGTH_MAX)
const Url = text(URL_LENGTH_MAX)
export const LongText = text(TEXT_LENGTH_MAX)

/** An amount is rounded to cents. Zoho sends long integers as text. */
const Amount = z.pipe(
  z
    .pipe(
      z.nullish(z.union([z.number(), z.string()], 'is not a number')),
      z.transform((value) => (value === null || value === undefined || value === '' ? null : Number(value))),
    )
    .check(z.refine((value) => value === null || Math.abs(value) <= NUMBER_MAX, 'is not a number or is too large')),
  z.transform((value) => value && Math.round(value * 100) / 100),
)

/** An optional field: undefined if the organisation, and so the record, lacks it. */
function ifThere<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.union([z.undefined(), schema])
}

const Percent = Amount.check(z.refine((value) => value === null || Math.abs(value) < 1_000, 'is not a percentage'))

const YesNo = z.pipe(
  z.nullish(z.boolean('is not true or false')),
  z.transform((value) => value ?? false),
)

const PlainDate = z
  .pipe(
    z.nullish(z.string('is not a date')),
    z.transform((value) => value || null),
  )
  .check(z.refine((value) => value === null || isPlainDate(value), 'is not a date'))

/**
 * Accepts any offset and converts the time to UTC with milliseconds. Text without an offset is refused, because its
 * meaning would depend on the time zone.
 */
export const ZohoInstant = z.pipe(
  z.string('is not a time').check(
    z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/, 'is not a time'),
    z.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time'),
  ),
  z.transform((value) => new Date(value).toISOString()),
)

/** A lookup that is only an id, as in a query's answer. */
const BareId = z.pipe(
  ZohoId,
  z.transform((id): { id: string; name: string | null } => ({ id, name: null })),
)
const Lookup = z.pipe(
  z.nullish(z.union([z.object({ id: ZohoId, name: text(LINE_LENGTH_MAX) }), BareId], 'is not a lookup')),
  z.transform((value) => value ?? null),
)

/** A LOID that staff mistyped is read as missing. */
const LoidText = z.pipe(
  Line,
  z.transform((value) => value && parseLoid(value)),
)

const System = {
  id: ZohoId,
  created_at: z.nullish(ZohoInstant),
  modified_time: ZohoInstant,
}

/** A value that cannot be read counts as none, so that it does not hide the others. */
const Fact = z.union([z.undefined(), z.catch(Line, null)])

/** Staff may write the word in other letters. A word that the portal does not know counts as none (D116). */
const AccessWord = z.pipe(
  z.catch(Line, null),
  z.transform((value) => PORTAL_ACCESS.find((word) => word.toLowerCase() === value?.toLowerCase()) ?? null),
)

/** As the word for access: in any letters, and none if the portal does not know it. */
const GstWord = z.pipe(
  z.catch(Line, null),
  z.transform((value) => GST_REGISTERED.find((word) => word.toLowerCase() === value?.toLowerCase()) ?? null),
)

const WirePartner = z.object({
  id: ZohoId,
  modified_time: ZohoInstant,
  business_name: Fact,
  email: Fact,
  first_name: Fact,
  last_name: Fact,
  phone: Fact,
  manager_name: Fact,
  manager_phone: Fact,
  manager_email: Fact,
  portal_access: ifThere(AccessWord),
  portal_access_reason: Fact,
  abn: Fact,
  gst_registered: ifThere(GstWord),
})

const WireLead = z.object({
  ...System,
  loid: LoidText,
  partner: Lookup,
  business_name: Line,
  first_name: Line,
  last_name: Line,
  email: Line,
  phone: Line,
  state: Line,
  loan_amount: Amount,
  loan_type: Line,
  loan_purpose: LongText,
  loan_term: Line,
  sales_monthly: Amount,
  lead_status: Choice,
  lead_source: Choice,
  brand: Line,
  description: LongText,
  permit_link: Url,
  business_industry: Line,
  time_in_business: Line,
  business_abn: Line,
  partner_iso: Line,
  owns_property: YesNo,
  property_value: Amount,
  property_debt: Amount,
  partner_verdict: ifThere(Line),
  verdict_reason: ifThere(Line),
  protected_until: ifThere(PlainDate),
  is_converted: YesNo,
  converted_older: YesNo,
  converted_deal: Lookup,
  converted_detail: z.catch(z.nullish(z.object({ deal: Lookup })), null),
  converted_at: z.nullish(ZohoInstant),
})

const WireDeal = z.object({
  ...System,
  loid: LoidText,
  partner: Lookup,
  deal_name: Line,
  business_name: Line,
  account: Lookup,
  contact: Lookup,
  email: Line,
  phone: Line,
  amount: Amount,
  loan_type: Line,
  loan_purpose: LongText,
  loan_term: Line,
  stage: Choice,
  lead_source: Choice,
  closing_date: PlainDate,
  probability: Percent,
  description: LongText,
  partner_iso: Line,
  partner_commission: ifThere(Amount),
  commission_status: ifThere(Choice),
  commission_paid_on: ifThere(PlainDate),
  commission_note: ifThere(Line),
})

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
  const { referral_consent: _, submitted_by: __, ...read } = map
  return [...Object.values(read), ...Object.values(SYSTEM_FIELDS), ...Object.values(CONVERSION_FIELDS)]
}

export function dealFieldNames(map: DealFields): string[] {
  const { submitted_by: _, ...read } = map
  return [...Object.values(read), ...Object.values(SYSTEM_FIELDS)]
}

/**
 * The fields of `leadFieldNames`, except the fields that queries do not know. `Converted__s` is also left out, because
 * some organisations' queries refuse it.
 */
export function leadColumnNames(map: LeadFields): string[] {
  return leadFieldNames(map).filter((name) => !name.startsWith('$') && name !== CONVERSION_FIELDS.is_converted)
}

export function dealColumnNames(map: DealFields): string[] {
  return dealFieldNames(map)
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
      }),
    }
  }
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

const Person = z.nullish(z.object({ name: text(LINE_LENGTH_MAX), id: z.catch(z.nullish(z.string()), null) }))

/** A person's name. It is never an email address, although Zoho shows one for a user without a name (D32a). */
function personName(person: z.output<typeof Person>): string | null {
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

const TimelineEntry = z.object({
  id: z.string().check(z.minLength(1)),
  action: z.string(),
  audited_time: ZohoInstant,
  done_by: z.catch(Person, null),
  field_history: z.catch(
    z.nullish(
      z.array(
        z.object({
          api_name: z.string(),
          _value: z.nullish(z.object({ old: z.catch(Line, null), new: z.catch(Line, null) })),
        }),
      ),
    ),
    null,
  ),
})

/**
 * Reads the changes of one field. A record's first value has no entry of its own. It is the old value of the first
 * change or, without a change, the present value. This value began when the record was added.
 */
export function readFieldHistory(
  entries: unknown[],
  field: string,
  current: string | null,
  displayed: Displayed,
): CrmHistoryEntry[] {
  const readable = entries
    .flatMap((entry) => TimelineEntry.safeParse(entry).data ?? [])
    .sort((a, b) => compareText(a.audited_time, b.audited_time) || compareIds(a.id, b.id))
  const changes = readable.flatMap((entry) => {
    const value = entry.field_history?.find((one) => one.api_name === field)?._value
    return value ? [{ entry, old: value.old, new: value.new }] : []
  })
  const history = changes.flatMap(({ entry, new: value }) => toHistory(entry, value))
  const added = readable.find((entry) => entry.action === 'added')
  const first = changes[0] ? changes[0].old : current
  // Zoho writes an empty old value as null or as the word 'blank'.
  if (added && first && first !== 'blank') history.unshift(...toHistory(added, first))
  return collapse(history)

  function toHistory(entry: z.output<typeof TimelineEntry>, value: string | null): CrmHistoryEntry[] {
    const shown = value && displayed(field, value)
    if (!shown) return []
    const changedBy = personName(entry.done_by)
    return [{ entry_id: entry.id, value: shown, changed_time: entry.audited_time, changed_by: changedBy }]
  }
}

const StageRow = z.pipe(
  z.object({
    id: z.string().check(z.minLength(1)),
    Stage: Line,
    Modified_Time: z.nullish(ZohoInstant),
    Last_Modified_Time: z.nullish(ZohoInstant),
    Modified_By: z.catch(Person, null),
  }),
  z.transform((row) => ({ ...row, time: row.Modified_Time ?? row.Last_Modified_Time ?? null })),
)

export const STAGE_HISTORY_FIELDS = 'Stage,Moved_To__s,Modified_Time,Last_Modified_Time,Modified_By'

/**
 * Reads a deal's stages. It could not be confirmed whether a row's time is when the deal entered the stage or when it
 * left. If rows show the time of leaving, the last two rows have the same time, and the first row's time is later than
 * the deal's creation. In that case each stage began when the stage before it ended, and the first stage began when the
 * deal was added.
 */
export function readStageHistory(rows: unknown[], createdAt: string, stageField: string, displayed: Displayed) {
  const readable = rows
    .flatMap((row) => StageRow.safeParse(row).data ?? [])
    .flatMap(({ Stage, time, ...row }) => (Stage === null || time === null ? [] : [{ ...row, stage: Stage, time }]))
    .sort((a, b) => compareText(a.time, b.time) || compareIds(a.id, b.id))
  const [first] = readable
  const showsLeaving =
    readable.length > 1 &&
    readable.at(-1)?.time === readable.at(-2)?.time &&
    first !== undefined &&
    first.time > createdAt
  const history = readable.map((row, index): CrmHistoryEntry => {
    const entered = showsLeaving ? (readable[index - 1]?.time ?? createdAt) : row.time
    return {
      entry_id: row.id,
      value: displayed(stageField, row.stage),
      changed_time: entered,
      changed_by: personName(row.Modified_By),
    }
  })
  return collapse(history)
}

/**
 * Removes repeated values. An edit of the amount can add a row with the same stage, but the stage began with its first
 * row.
 */
function collapse(history: CrmHistoryEntry[]): CrmHistoryEntry[] {
  return history.filter((entry, index) => entry.value !== history[index - 1]?.value)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}
