import { z } from 'zod'
import { chunksOf } from '../chunks-of.ts'
import { isMissing, itemRefusal, readItems, readResults, type WriteResult, writtenId } from './answers.ts'
import type { ZohoAnswer, ZohoCall } from './client.ts'
import type { CrmModule, DealToPush, LeadToPush, LoidToPush, NoteToPush, PartnerToPush } from './crm-records.ts'
import { CrmPartnerExists, CrmPartnerGone } from './errors.ts'
import { moduleName } from './field-map.ts'
import { type ModuleSettings, usedChoices } from './metadata.ts'
import type { ZohoParts } from './parts.ts'
import type { NoteReader } from './read-notes.ts'
import { readText } from './wire.ts'

export interface RecordPusher {
  /** The id of the partner record with this name and this email, of the oldest where there are several. */
  findPartnerRecord(partner: PartnerToPush, signal?: AbortSignal): Promise<string | undefined>
  /**
   * The partner's id in the CRM, after its record was made or brought up to date. Without an id a record with its name and
   * email is taken as it is, for the CRM's names are the better ones, or is `CrmPartnerExists` where it may not be linked.
   */
  upsertPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<string>
  /** By LOID, so that a repeat makes no second record. A lead that is there already is the CRM's and stays as it is. */
  upsertLead(lead: LeadToPush, signal?: AbortSignal): Promise<{ zoho_id: string }>
  upsertDeal(deal: DealToPush, signal?: AbortSignal): Promise<{ zoho_id: string }>
  /** The note's id in the CRM. A repeat finds the equal note on the record instead of adding a second. */
  createNote(module: CrmModule, zohoId: string, note: NoteToPush, signal?: AbortSignal): Promise<string>
  /**
   * Names records that were born in the CRM. One that cannot be written (a converted lead, a LOID that is taken) is
   * passed over: what the record carries afterwards tells.
   */
  setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void>
}

const RECORDS_A_CALL_MAX = 100
const NOTE_TITLE_LENGTH_MAX = 120
/** Zoho's own, not the portal's to map. */
const PIPELINE_FIELD = 'Pipeline'
/** Zoho's standard layout wants a day on which a deal is expected to close; the lender sets the real one. */
const CLOSING_DAYS = 30

/** What is told apart of a record that is pushed. */
interface PushedFields {
  loid: string
  partner: string
  email: string
  phone: string
  description: string
}

export function openRecordPusher(
  { api, metadata, fieldMap }: ZohoParts,
  { notes }: Pick<NoteReader, 'notes'>,
): RecordPusher {
  const { partners, leads, deals } = fieldMap

  /** The result of each record, in the order of what was sent. `more` stands beside the records in the call's body. */
  async function writeRecords(
    call: Omit<ZohoCall, 'method' | 'body'> & { method: 'POST' | 'PUT' },
    data: object[],
    more: object = {},
  ): Promise<WriteResult[]> {
    return readResults(await api.write({ ...call, body: { data, ...more } }))
  }

  // Quotes cannot stand in a query for certain: pages differ on how they are escaped.
  async function findPartnerRecord(partner: PartnerToPush, signal?: AbortSignal): Promise<string | undefined> {
    const { business_name: name, email } = partners.fields
    const test = /['\\%]/.test(partner.email)
      ? `like '${partner.email.replace(/['\\%]/g, '%')}'`
      : `= '${partner.email}'`
    const rows = await api.coql(
      `select id, ${name}, ${email} from ${partners.module} where ${email} ${test} order by id asc limit 0, 200`,
      signal,
    )
    const found = rows.find(
      (row) =>
        isSameText(readText(row, name), partner.business_name) && isSameText(readText(row, email), partner.email),
    )
    return readText(found, 'id') ?? undefined
  }

  async function upsertPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<string> {
    const settingsOf = await metadata.fieldsOf(partners.module, signal)
    const { zoho_id: zohoId, ...values } = partner
    const record = fitted(named(values, partners.fields), settingsOf)
    if (zohoId === null) {
      const found = await findPartnerRecord(partner, signal)
      if (found !== undefined && !partner.may_link) throw new CrmPartnerExists()
      if (found !== undefined) return found
    } else {
      const path = `${partners.module}/${zohoId}`
      const answer = await api.write({ method: 'PUT', path, body: { data: [record] }, isRepeatable: true, signal })
      if (!isMissing(answer) || isItemAnswer(answer)) return writtenId(readResults(answer))
      // Deleted in the CRM, or merged with another of the same name and email: that one, or a new one.
      return upsertPartner({ ...partner, zoho_id: null }, signal)
    }
    const call = { method: 'POST', path: partners.module, isRepeatable: false, signal } as const
    return writtenId(await writeRecords(call, [withoutNulls(record)]))
  }

  async function findByLoid(
    { module, fields }: { module: string; fields: PushedFields },
    loid: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const field = fields.loid
    const query = `select id, ${field} from ${module} where ${field} = '${loid}' order by id asc limit 0, 1`
    const [row] = await api.coql(query, signal)
    return readText(row, 'id') ?? undefined
  }

  async function findLeadByLoid(loid: string, signal?: AbortSignal): Promise<string | undefined> {
    const found = await findByLoid(leads, loid, signal)
    if (found !== undefined) return found
    const field = leads.fields.loid
    // A converted lead may be hidden from queries, and an upsert by its LOID would make a second one.
    const query = { criteria: `(${field}:equals:${loid})`, converted: 'true', fields: `${field},Modified_Time` }
    const { items } = readItems(await api.get(`${leads.module}/search`, query, { signal }))
    // Search finds what contains the text, too.
    return (
      readText(
        items.find((item) => readText(item, field) === loid),
        'id',
      ) ?? undefined
    )
  }

  async function upsertLead(lead: LeadToPush, signal?: AbortSignal): Promise<{ zoho_id: string }> {
    const there = await findLeadByLoid(lead.loid, signal)
    if (there !== undefined) return { zoho_id: there }

    const { partner_zoho_id, ...values } = lead
    const contact = [lead.first_name, lead.last_name].filter(Boolean).join(' ')
    const record = {
      ...named(values, leads.fields),
      [leads.fields.partner]: { id: partner_zoho_id },
      // Zoho makes no lead without a last name, and forms want a company.
      [leads.fields.last_name]: lead.last_name ?? lead.first_name ?? lead.business_name ?? lead.loid,
      [leads.fields.business_name]: lead.business_name ?? (contact || lead.loid),
    }
    return upsertByLoid(leads, record, signal)
  }

  async function upsertDeal(deal: DealToPush, signal?: AbortSignal): Promise<{ zoho_id: string }> {
    const there = await findByLoid(deals, deal.loid, signal)
    if (there !== undefined) return { zoho_id: there }

    const settings = await metadata.fieldsOf(deals.module, signal)
    const { partner_zoho_id, created_at, ...values } = deal
    const [pipeline] = usedChoices(settings?.get(PIPELINE_FIELD))
    const record = {
      ...named(values, deals.fields),
      [deals.fields.partner]: { id: partner_zoho_id },
      [deals.fields.deal_name]: deal.deal_name ?? deal.business_name ?? deal.loid,
      // With pipelines on, Zoho takes no stage without one.
      ...(pipeline !== undefined && { [PIPELINE_FIELD]: pipeline }),
    }
    const closing = { [deals.fields.closing_date]: plainDateAfter(created_at, CLOSING_DAYS) }
    return upsertByLoid(deals, record, signal, closing)
  }

  /**
   * The id of the record with this LOID, which the CRM has now or had before. `ifMissing` has what is sent when Zoho
   * insists on a field that the partner left out.
   */
  async function upsertByLoid(
    { module, fields }: { module: string; fields: PushedFields },
    record: Record<string, unknown>,
    signal?: AbortSignal,
    ifMissing: Record<string, string> = {},
  ): Promise<{ zoho_id: string }> {
    const call = { method: 'POST', path: `${module}/upsert`, isRepeatable: true, signal } as const
    const checks = { duplicate_check_fields: [fields.loid] }
    let sent = withoutNulls(fitted(record, await metadata.fieldsOf(module, signal)))
    for (;;) {
      const results = await writeRecords(call, [sent], checks)
      const [result] = results
      if (!result || 'zohoId' in result) return { zoho_id: writtenId(results) }
      const { code, field, duplicateId } = result
      // Another push of the same record was faster.
      if (code === 'DUPLICATE_DATA' && field === fields.loid && duplicateId !== null) return { zoho_id: duplicateId }
      if (code === 'INVALID_DATA' && field === fields.partner) {
        throw new CrmPartnerGone('The CRM has no record of this partner any more.')
      }
      const mended = mend(sent, result)
      if (!mended) throw itemRefusal(result)
      sent = mended
    }

    /** Each way of mending serves once, since it takes away what it answers to. */
    function mend(was: Record<string, unknown>, { code, field }: { code: string; field: string | null }) {
      if (field === null) return undefined
      // Zoho's pattern for email is narrower than the portal's; a record must not fail for that.
      const isContact = field === fields.email || field === fields.phone
      if (code === 'INVALID_DATA' && isContact && field in was)
        return withContactInWords(was, field, fields.description)
      const value = ifMissing[field]
      if (code === 'MANDATORY_NOT_FOUND' && value !== undefined && !(field in was)) return { ...was, [field]: value }
      return undefined
    }
  }

  async function createNote(
    module: CrmModule,
    zohoId: string,
    note: NoteToPush,
    signal?: AbortSignal,
  ): Promise<string> {
    const title = note.title?.slice(0, NOTE_TITLE_LENGTH_MAX) ?? null
    const there = (await notes(module, zohoId, signal)).find(
      (one) =>
        isSameLines(one.content, note.content) &&
        isSameLines(one.title ?? '', title ?? '') &&
        !note.known_zoho_ids?.includes(one.zoho_id),
    )
    if (there) return there.zoho_id
    const record = withoutNulls({ Note_Title: title, Note_Content: note.content })
    const path = `${moduleName(fieldMap, module)}/${zohoId}/Notes`
    return writtenId(await writeRecords({ method: 'POST', path, isRepeatable: false, signal }, [record]))
  }

  async function setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void> {
    const { loid: loidField, partner: partnerField } = (module === 'Leads' ? leads : deals).fields
    const call = { method: 'PUT', path: moduleName(fieldMap, module), isRepeatable: true, signal } as const
    await Promise.all(
      chunksOf(loids, RECORDS_A_CALL_MAX).map((chunk) => {
        const records = chunk.map(({ zoho_id, loid, partner_zoho_id }) => ({
          id: zoho_id,
          [loidField]: loid,
          ...(partner_zoho_id && { [partnerField]: { id: partner_zoho_id } }),
        }))
        // The portal's bookkeeping must not set off the lender's workflows.
        return writeRecords(call, records, { trigger: [] })
      }),
    )
  }

  return { findPartnerRecord, upsertPartner, upsertLead, upsertDeal, createNote, setLoids }
}

/** An answer about the record's fields, as against one about its id. */
function isItemAnswer(answer: ZohoAnswer): boolean {
  return z.object({ data: z.array(z.unknown()) }).safeParse(answer.body).success
}

/** Our values under the CRM's names; what the map does not name is left out. */
function named(values: object, fields: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([ours, value]) => (fields[ours] ? [[fields[ours], value]] : [])),
  )
}

/** Text cut to what the CRM's fields hold: a lead with a shortened name is better than none. */
function fitted(record: Record<string, unknown>, settings: ModuleSettings | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      const lengthMax = settings?.get(field)?.lengthMax
      return [field, typeof value === 'string' && lengthMax ? value.slice(0, lengthMax) : value]
    }),
  )
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}

function withContactInWords(record: Record<string, unknown>, refused: string, description: string) {
  const { [refused]: value, ...rest } = record
  const words = [record[description], `${refused}: ${String(value)}`].filter((line) => typeof line === 'string')
  return { ...rest, [description]: words.join('\n\n') }
}

function plainDateAfter(instant: string, days: number): string {
  return new Date(Date.parse(instant) + days * 86_400_000).toISOString().slice(0, 10)
}

function isSameText(a: string | null, b: string): boolean {
  return a?.toLowerCase() === b.trim().toLowerCase()
}

function isSameLines(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n').trim() === b.replaceAll('\r\n', '\n').trim()
}
