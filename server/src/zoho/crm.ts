import type { Logger } from 'pino'
import { z } from 'zod'
import type { ZohoSettings } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../deps.ts'
import { isMissing, itemRefusal, readItems, readResults, type WriteResult } from './answers.ts'
import { openCallCount } from './call-count.ts'
import { type ChangeWindow, readChanges, readDeletions } from './changes.ts'
import { openClient, type RetryTuning, type ZohoAnswer, type ZohoCall } from './client.ts'
import type {
  CrmBatch,
  CrmChange,
  CrmDeal,
  CrmDeletion,
  CrmHistoryEntry,
  CrmLead,
  CrmModule,
  CrmNote,
  CrmNoteOfRecord,
  CrmNotification,
  CrmOrganisation,
  CrmVersion,
  CrmWatch,
  DealToPush,
  LeadToPush,
  LoidToPush,
  MadeFields,
  NoteToPush,
  PartnerToPush,
} from './crm-records.ts'
import { CrmForbidden, CrmPartnerGone, CrmRefused } from './errors.ts'
import type { FieldMap } from './field-map.ts'
import { fieldsToMake } from './make-fields.ts'
import { displayedIn, type ModuleSettings, openMetadata, usedChoices } from './metadata.ts'
import { openChannels } from './notifications.ts'
import { openTokens } from './token.ts'
import {
  type Displayed,
  dealFieldNames,
  leadFieldNames,
  NOTE_FIELDS,
  type Reading,
  readDeal,
  readFieldHistory,
  readLead,
  readLookupId,
  readNote,
  readNoteParent,
  readStageHistory,
  readText,
  readVersion,
  STAGE_HISTORY_FIELDS,
  ZohoId,
  zohoTime,
} from './wire.ts'

/**
 * The lender's CRM as the portal thinks of it. Every call may throw `CrmUnavailable` (away: the same call may work
 * later) or `CrmRefused` (the CRM says the data is wrong: trying again cannot help), and stops when `signal` says so.
 * A signal of `AbortSignal.timeout` ends in `CrmUnavailable`.
 */
export interface Crm {
  readonly mode: 'sandbox' | 'zoho'

  /** The partner's id in the CRM. A repeat finds the same record again: by its id, or else by name and email together. */
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

  /** Every lead of the partner, converted ones included. */
  leadVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  dealVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  /** Pages of all partners' records, the longest unchanged first, records of one second by id. */
  changesOfAllPartners(module: CrmModule, window: ChangeWindow, signal?: AbortSignal): AsyncIterable<CrmChange[]>
  /** In no particular order. */
  deletionsOfAllPartners(module: CrmModule, since: string, signal?: AbortSignal): Promise<CrmDeletion[]>
  /** Records that are gone are neither among the records nor among the problems. */
  getLeads(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmLead>>
  getDeals(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmDeal>>
  /** Null when there is none; one that cannot be read is `CrmRefused`. */
  findLead(zohoId: string, signal?: AbortSignal): Promise<CrmLead | null>
  findDeal(zohoId: string, signal?: AbortSignal): Promise<CrmDeal | null>

  /** Oldest first, from the status that the record was added with; empty where the CRM kept none. */
  leadStatusHistory(lead: Pick<CrmLead, 'zoho_id' | 'lead_status'>, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  dealStageHistory(deal: Pick<CrmDeal, 'zoho_id' | 'created_at'>, signal?: AbortSignal): Promise<CrmHistoryEntry[]>
  notes(module: CrmModule, zohoId: string, signal?: AbortSignal): Promise<CrmNote[]>
  /** The whole organisation's, because a new note may leave its record's time as it was. Null where Zoho forbids it. */
  notesSince(since: string, signal?: AbortSignal): Promise<CrmNoteOfRecord[] | null>
  /** Null when it is gone, says nothing, or stands on no lead or deal. */
  findNote(zohoId: string, signal?: AbortSignal): Promise<CrmNoteOfRecord | null>

  /** Asks the CRM to post to `notifyUrl` what happens, until then or earlier. A repeat renews. */
  watch(notifyUrl: string, until: Date, signal?: AbortSignal): Promise<CrmWatch>
  /** Throws `Unauthorized` when it does not come from the CRM. Null when it speaks of nothing that the portal keeps. */
  readNotification(body: unknown): CrmNotification | null

  /** The CRM's own lists in its own order (D22). */
  leadStatuses(signal?: AbortSignal): Promise<string[]>
  dealStages(signal?: AbortSignal): Promise<string[]>
  countLeads(partnerZohoId: string, signal?: AbortSignal): Promise<number>
  /** `Module.Field` for each field of the map that the organisation lacks. */
  missingFields(signal?: AbortSignal): Promise<string[]>
  apiDomain(): Promise<string>
  organisation(signal?: AbortSignal): Promise<CrmOrganisation>
  /** Makes the custom fields that the organisation lacks. A repeat makes those that are still missing. */
  makeMissingFields(signal?: AbortSignal): Promise<MadeFields>
  /** HTTP calls since the start of this process, the refused ones included. */
  callsUsed(): number
  /** The same of all processes in the last 24 hours (D34). */
  callsOfLastDay(): Promise<number>
  /** Writes down what is not written yet. */
  close(): Promise<void>
}

export interface CrmOptions {
  mode: 'sandbox' | 'zoho'
  settings: ZohoSettings
  fieldMap: FieldMap
  db: Db
  clock: Clock
  log: Logger
  /** Shorter delays for tests; Zoho's own limits otherwise. */
  retry?: RetryTuning
}

const COQL_ROWS_MAX = 2_000
const RECORDS_A_CALL_MAX = 100
const PAGE_SIZE = 200
const SEARCH_PAGES_MAX = 10
const NOTE_TITLE_LENGTH_MAX = 120
const MADE_UNDER_ANOTHER_NAME =
  'it was made under another API name, because its own was taken: change that in Zoho, or name it in CRM_FIELD_MAP'
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

export function openCrm({ mode, settings, fieldMap, db, clock, log, retry }: CrmOptions): Crm {
  const tokens = openTokens({ settings, db, clock, log })
  const calls = openCallCount({ db, clock, log })
  const client = openClient({ tokens, log, onCall: calls.add, ...(retry && { retry }) })
  const metadata = openMetadata(fetchFields, clock)
  const { partners, leads, deals } = fieldMap
  const moduleName = (module: CrmModule) => (module === 'Leads' ? leads.module : deals.module)
  const channels = openChannels({ client, settings, moduleName })

  function get(
    path: string,
    query: Record<string, string>,
    signal?: AbortSignal,
    headers: Record<string, string> = {},
  ) {
    return client.send({ method: 'GET', path, query, headers, signal, isRepeatable: true })
  }

  async function write(call: Omit<ZohoCall, 'body'>, data: object[], more: object = {}): Promise<WriteResult[]> {
    return readResults(await client.send({ ...call, body: { data, ...more } }))
  }

  async function writeOne(call: Omit<ZohoCall, 'body'>, record: object, more: object = {}): Promise<WriteResult> {
    const [result] = await write(call, [record], more)
    if (!result) throw new CrmRefused('UNKNOWN', 'The CRM answered a write without a result.')
    return result
  }

  async function coql(query: string, signal?: AbortSignal): Promise<unknown[]> {
    const body = { select_query: query }
    return readItems(await client.send({ method: 'POST', path: 'coql', body, isRepeatable: true, signal })).items
  }

  /** Follows page tokens where Zoho gives one, and page numbers where it does not. */
  async function getAll(
    path: string,
    query: Record<string, string>,
    options: {
      key?: string
      signal?: AbortSignal | undefined
      headers?: Record<string, string>
      sizeWithToken?: boolean
    },
  ): Promise<unknown[]> {
    const { key = 'data', signal, headers, sizeWithToken = true } = options
    const sized = { ...query, per_page: String(PAGE_SIZE) }
    const all: unknown[] = []
    let position: Record<string, string> = sized
    for (let page = 1; ; page++) {
      const answer = await get(path, position, signal, headers)
      if (page === 1 && isMissing(answer)) return []
      const { items, next } = readItems(answer, key)
      all.push(...items)
      if (!next) return all
      position = next.token
        ? { ...(sizeWithToken ? sized : query), page_token: next.token }
        : { ...sized, page: String(page + 1) }
    }
  }

  async function fetchFields(module: string, signal?: AbortSignal): Promise<unknown[] | undefined> {
    const answer = await get('settings/fields', { module, type: 'all' }, signal)
    if (answer.status === 400 || answer.status === 404) return undefined
    return readItems(answer, 'fields').items
  }

  async function displayedOf(module: string, signal?: AbortSignal): Promise<Displayed> {
    return displayedIn(await metadata.fieldsOf(module, signal))
  }

  async function choicesOf(module: string, field: string, signal?: AbortSignal): Promise<string[]> {
    return usedChoices((await metadata.fieldsOf(module, signal))?.get(field))
  }

  // Quotes cannot stand in a query for certain: pages differ on how they are escaped.
  async function findPartnerRecord(partner: PartnerToPush, signal?: AbortSignal): Promise<string | undefined> {
    const { business_name: name, email } = partners.fields
    const test = /['\\%]/.test(partner.email)
      ? `like '${partner.email.replace(/['\\%]/g, '%')}'`
      : `= '${partner.email}'`
    const rows = await coql(
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
    const { zoho_id: _, ...values } = partner
    const record = fitted(named(values, partners.fields), settingsOf)
    const zohoId = partner.zoho_id ?? (await findPartnerRecord(partner, signal))
    if (zohoId !== undefined) {
      const path = `${partners.module}/${zohoId}`
      const answer = await client.send({ method: 'PUT', path, body: { data: [record] }, isRepeatable: true, signal })
      if (!isMissing(answer) || isItemAnswer(answer)) return idOf(readResults(answer)[0])
      // Deleted in the CRM, or merged with another of the same name and email: that one, or a new one.
      if (partner.zoho_id !== null) return upsertPartner({ ...partner, zoho_id: null }, signal)
    }
    return idOf(
      await writeOne({ method: 'POST', path: partners.module, isRepeatable: false, signal }, withoutNulls(record)),
    )
  }

  async function findByLoid(
    { module, fields }: { module: string; fields: PushedFields },
    loid: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const field = fields.loid
    const query = `select id, ${field} from ${module} where ${field} = '${loid}' order by id asc limit 0, 1`
    const [row] = await coql(query, signal)
    return readText(row, 'id') ?? undefined
  }

  async function findLeadByLoid(loid: string, signal?: AbortSignal): Promise<string | undefined> {
    const found = await findByLoid(leads, loid, signal)
    if (found !== undefined) return found
    const field = leads.fields.loid
    // A converted lead may be hidden from queries, and an upsert by its LOID would make a second one.
    const query = { criteria: `(${field}:equals:${loid})`, converted: 'true', fields: `${field},Modified_Time` }
    const { items } = readItems(await get(`${leads.module}/search`, query, signal))
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
      const result = await writeOne(call, sent, checks)
      if ('zohoId' in result) return { zoho_id: result.zohoId }
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

  async function notes(module: CrmModule, zohoId: string, signal?: AbortSignal): Promise<CrmNote[]> {
    const rows = await getAll(`${moduleName(module)}/${zohoId}/Notes`, { fields: NOTE_FIELDS }, { signal })
    return rows.flatMap((row) => readNote(row) ?? [])
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
    const path = `${moduleName(module)}/${zohoId}/Notes`
    return idOf(await writeOne({ method: 'POST', path, isRepeatable: false, signal }, record))
  }

  async function setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void> {
    const field = module === 'Leads' ? leads.fields.loid : deals.fields.loid
    await forChunks(loids, (chunk) =>
      write(
        { method: 'PUT', path: moduleName(module), isRepeatable: true, signal },
        chunk.map(({ zoho_id, loid }) => ({ id: zoho_id, [field]: loid })),
        // The portal's bookkeeping must not set off the lender's workflows.
        { trigger: [] },
      ),
    )
  }

  async function versions(module: string, columns: string, where: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const all: CrmVersion[] = []
    let after = ''
    for (;;) {
      const rows = await coql(
        `select ${columns} from ${module} where ${after ? `(${where} and id > '${after}')` : where} order by id asc limit 0, ${COQL_ROWS_MAX}`,
        signal,
      )
      all.push(...rows.flatMap((row) => readVersion(row) ?? []))
      const last = z.object({ id: ZohoId }).safeParse(rows.at(-1)).data?.id
      if (rows.length < COQL_ROWS_MAX || last === undefined) return all
      after = last
    }
  }

  async function leadVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const columns = 'id, Modified_Time, Converted__s'
    const found = await versions(leads.module, columns, `${leads.fields.partner} = '${partnerZohoId}'`, signal)
    // Whether queries show converted leads could not be confirmed; when none is among them, they are asked for.
    if (found.some((version) => version.is_converted)) return found
    const byId = new Map(found.map((version) => [version.zoho_id, version]))
    for (const version of await convertedVersions(partnerZohoId, signal)) byId.set(version.zoho_id, version)
    return [...byId.values()]
  }

  async function convertedVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const { partner } = leads.fields
    const fields = `${partner},Modified_Time`
    const rows: unknown[] = []
    for (let page = 1; ; page++) {
      const query = { criteria: `(${partner}.id:equals:${partnerZohoId})`, converted: 'true', fields }
      const paged = { ...query, page: String(page), per_page: String(PAGE_SIZE) }
      const { items, next } = readItems(await get(`${leads.module}/search`, paged, signal))
      rows.push(...items)
      if (!next) break
      if (page < SEARCH_PAGES_MAX) continue
      // Search ends at two thousand. The listing does not, but cannot be limited to one partner.
      const listed = { converted: 'true', approved: 'both', fields, sort_by: 'id', sort_order: 'asc' }
      rows.push(...(await getAll(leads.module, listed, { signal })))
      break
    }
    return rows
      .filter((row) => readLookupId(row, partner) === partnerZohoId)
      .flatMap((row) => readVersion(row) ?? [])
      .map((version) => ({ ...version, is_converted: true }))
  }

  async function getBatch<Item>(
    module: string,
    zohoIds: readonly string[],
    fields: string[],
    read: (raw: unknown, displayed: Displayed) => Reading<Item>,
    signal?: AbortSignal,
  ): Promise<CrmBatch<Item>> {
    const displayed = await displayedOf(module, signal)
    // Converted leads show only when asked for; other modules do not know the parameter.
    const hidden: Record<string, string> = module === leads.module ? { converted: 'both' } : {}
    const readings = await forChunks(zohoIds, async (chunk) => {
      const query = { ids: chunk.join(','), fields: fields.join(','), approved: 'both', ...hidden }
      const { items } = readItems(await get(module, { ...query, per_page: String(RECORDS_A_CALL_MAX) }, signal))
      return items.map((raw) => read(raw, displayed))
    })
    return {
      records: readings.flatMap((reading) => ('record' in reading ? reading.record : [])),
      problems: readings.flatMap((reading) => ('problem' in reading ? reading.problem : [])),
    }
  }

  async function findOne<Item>(
    module: string,
    zohoId: string,
    fields: string[],
    read: (raw: unknown, displayed: Displayed) => Reading<Item>,
    signal?: AbortSignal,
  ): Promise<Item | null> {
    if (!ZohoId.safeParse(zohoId).success) return null
    const answer = await get(`${module}/${zohoId}`, { fields: fields.join(',') }, signal)
    if (isMissing(answer)) return null
    const [raw] = readItems(answer).items
    if (raw === undefined) return null
    const reading = read(raw, await displayedOf(module, signal))
    if ('problem' in reading) throw new CrmRefused('UNREADABLE', reading.problem.reason)
    return reading.record
  }

  const leadNames = leadFieldNames(leads.fields)
  const dealNames = dealFieldNames(deals.fields)
  const asLead = (raw: unknown, displayed: Displayed) => readLead(raw, leads.fields, displayed)
  const asDeal = (raw: unknown, displayed: Displayed) => readDeal(raw, deals.fields, displayed)

  async function leadStatusHistory(
    lead: Pick<CrmLead, 'zoho_id' | 'lead_status'>,
    signal?: AbortSignal,
  ): Promise<CrmHistoryEntry[]> {
    const path = `${leads.module}/${lead.zoho_id}/__timeline`
    const query = { sort_by: 'audited_time', sort_order: 'asc' }
    const entries = await getAll(path, query, { key: '__timeline', signal, sizeWithToken: false })
    const displayed = await displayedOf(leads.module, signal)
    return readFieldHistory(entries, leads.fields.lead_status, lead.lead_status, displayed)
  }

  async function dealStageHistory(
    deal: Pick<CrmDeal, 'zoho_id' | 'created_at'>,
    signal?: AbortSignal,
  ): Promise<CrmHistoryEntry[]> {
    const path = `${deals.module}/${deal.zoho_id}/Stage_History`
    const rows = await getAll(path, { fields: STAGE_HISTORY_FIELDS }, { signal })
    return readStageHistory(rows, deal.created_at, deals.fields.stage, await displayedOf(deals.module, signal))
  }

  function changesOfAllPartners(module: CrmModule, window: ChangeWindow, signal?: AbortSignal) {
    const { fields } = module === 'Leads' ? leads : deals
    const columns = module === 'Leads' ? 'id, Modified_Time, Converted__s' : 'id, Modified_Time'
    const of = { name: moduleName(module), partnerField: fields.partner, columns }
    return readChanges({ coql, getAll }, of, window, signal)
  }

  async function notesSince(since: string, signal?: AbortSignal): Promise<CrmNoteOfRecord[] | null> {
    const headers = { 'if-modified-since': zohoTime(since) }
    const query = { fields: NOTE_FIELDS, sort_by: 'Modified_Time', sort_order: 'asc' }
    // Only administrators may list all notes, and no listing goes beyond a hundred thousand.
    const rows = await getAll('Notes', query, { signal, headers }).catch((error: unknown) => {
      if (error instanceof CrmRefused || error instanceof CrmForbidden) return null
      throw error
    })
    if (rows === null) return null
    return rows.flatMap((row) => readNoteOfRecord(row) ?? [])
  }

  function readNoteOfRecord(row: unknown): CrmNoteOfRecord | null {
    const note = readNote(row)
    const parent = readNoteParent(row)
    const module = (['Leads', 'Deals'] as const).find((one) => moduleName(one) === parent?.module)
    return note && parent && module ? { module, record_zoho_id: parent.zoho_id, note } : null
  }

  async function findNote(zohoId: string, signal?: AbortSignal): Promise<CrmNoteOfRecord | null> {
    const answer = await get(`Notes/${zohoId}`, { fields: NOTE_FIELDS }, signal)
    return isMissing(answer) ? null : readNoteOfRecord(readItems(answer).items[0])
  }

  async function missingFields(signal?: AbortSignal): Promise<string[]> {
    const missing = await Promise.all(
      Object.values(fieldMap).map(async ({ module, fields }) => {
        const there = await metadata.fieldsOf(module, signal)
        return Object.values(fields)
          .filter((field) => !there?.has(field))
          .map((field) => `${module}.${field}`)
      }),
    )
    return missing.flat()
  }

  async function organisation(signal?: AbortSignal): Promise<CrmOrganisation> {
    const [org] = readItems(await get('org', {}, signal), 'org').items
    return {
      id: readText(org, 'id'),
      name: readText(org, 'company_name'),
      timezone: readText(org, 'time_zone'),
      currency: readText(org, 'iso_code'),
    }
  }

  async function makeMissingFields(signal?: AbortSignal): Promise<MadeFields> {
    const makings = fieldsToMake(fieldMap)
    const reasons = new Map<string, string>()
    metadata.forget()
    const missing = await missingFields(signal)
    // One a call: where several are sent, whether one refusal stops the others could not be confirmed.
    for (const name of missing) {
      const making = makings.get(name)
      if (!making) {
        reasons.set(name, 'it is Zoho’s own field and cannot be made; give the name that yours has in CRM_FIELD_MAP')
        continue
      }
      const { module, api_name: _, ...field } = making
      const query = { module }
      const body = { fields: [field] }
      const path = 'settings/fields'
      const answer = await client.send({ method: 'POST', path, query, body, isRepeatable: false, signal })
      try {
        idOf(readResults(answer, 'fields')[0])
      } catch (error) {
        if (!(error instanceof CrmRefused)) throw error
        reasons.set(name, error.message)
      }
    }
    metadata.forget()
    const stillMissing = await missingFields(signal)
    return {
      made: missing.filter((name) => !stillMissing.includes(name)),
      problems: stillMissing.map((field) => ({ field, reason: reasons.get(field) ?? MADE_UNDER_ANOTHER_NAME })),
    }
  }

  return {
    mode,
    upsertPartner,
    upsertLead,
    upsertDeal,
    createNote,
    setLoids,
    leadVersions,
    dealVersions: (partnerZohoId, signal) =>
      versions(deals.module, 'id, Modified_Time', `${deals.fields.partner} = '${partnerZohoId}'`, signal),
    changesOfAllPartners,
    deletionsOfAllPartners: (module, since, signal) =>
      readDeletions({ coql, getAll }, moduleName(module), since, signal),
    getLeads: (zohoIds, signal) => getBatch(leads.module, zohoIds, leadNames, asLead, signal),
    getDeals: (zohoIds, signal) => getBatch(deals.module, zohoIds, dealNames, asDeal, signal),
    findLead: (zohoId, signal) => findOne(leads.module, zohoId, leadNames, asLead, signal),
    findDeal: (zohoId, signal) => findOne(deals.module, zohoId, dealNames, asDeal, signal),
    leadStatusHistory,
    dealStageHistory,
    notes,
    notesSince,
    findNote,
    watch: channels.watch,
    readNotification: channels.read,
    leadStatuses: (signal) => choicesOf(leads.module, leads.fields.lead_status, signal),
    dealStages: (signal) => choicesOf(deals.module, deals.fields.stage, signal),
    countLeads: async (partnerZohoId, signal) => (await leadVersions(partnerZohoId, signal)).length,
    missingFields,
    apiDomain: async () => (await tokens.current()).apiDomain,
    organisation,
    makeMissingFields,
    callsUsed: calls.ofThisProcess,
    callsOfLastDay: calls.ofLastDay,
    close: calls.close,
  }
}

function idOf(result: WriteResult | undefined): string {
  if (result && 'zohoId' in result) return result.zohoId
  throw result ? itemRefusal(result) : new CrmRefused('UNKNOWN', 'The CRM answered a write without a result.')
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

async function forChunks<Item, Result>(
  items: readonly Item[],
  work: (chunk: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const chunks: Item[][] = []
  for (let at = 0; at < items.length; at += RECORDS_A_CALL_MAX) chunks.push(items.slice(at, at + RECORDS_A_CALL_MAX))
  return (await Promise.all(chunks.map(work))).flat()
}
