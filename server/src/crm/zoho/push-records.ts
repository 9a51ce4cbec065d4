import * as z from 'zod/mini'
import { chunksOf } from '../../platform/chunks-of.ts'
import { cutText } from '../../platform/cut-text.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type {
  CrmModule,
  DealToPush,
  LeadToPush,
  LoidToPush,
  NoteToPush,
  PartnerReport,
  PartnerToPush,
  PushedPartner,
  SentDeal,
  SentLead,
  SentRecords,
} from '../../records/crm-records.ts'
import { OPTIONAL_PARTNER_FIELDS } from '../../records/crm-records.ts'
import { isInvalidId, isMissing, itemRefusal, readItems, readResults, type WriteResult, writtenId } from './answers.ts'
import type { ZohoAnswer, ZohoCall } from './client.ts'
import { CrmPartnerGone, CrmRefused } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { RecordLister } from './list-records.ts'
import { type ModuleSettings, usedChoices } from './metadata.ts'
import type { ZohoParts } from './parts.ts'
import type { NoteReader } from './read-notes.ts'
import type { RecordReader } from './read-records.ts'
import { readLookupId, readText, zohoTime } from './wire.ts'

export interface RecordPusher {
  /** Finds the partner records with this email, the oldest first. */
  findPartnerRecords(email: string, signal?: AbortSignal): Promise<{ zoho_id: string; business_name: string | null }[]>
  /** Returns null if the CRM no longer has the record. */
  updatePartner(zohoId: string, changed: Partial<PartnerToPush>, signal?: AbortSignal): Promise<PushedPartner | null>
  /**
   * Writes into partners' records what the portal tells the lender's team. Leaves out fields that the organisation lacks
   * and records that it refuses.
   */
  writePartnerFacts(reports: readonly PartnerReport[], signal?: AbortSignal): Promise<void>
  createPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<PushedPartner>
  /**
   * Returns the lead's id in the CRM. If the CRM already has a lead with this LOID, that lead belongs to the CRM and is
   * not changed. After a lost answer (`CrmUnavailable`), the lead may have arrived. A repeated push then finds it. If
   * the lead has to be sent, `beforeSending` is awaited first.
   */
  pushLead(lead: LeadToPush, signal?: AbortSignal, beforeSending?: BeforeSending): Promise<{ zoho_id: string }>
  pushDeal(deal: DealToPush, signal?: AbortSignal, beforeSending?: BeforeSending): Promise<{ zoho_id: string }>
  /**
   * Pushes up to fifty leads at once. Returns the CRM ids of the leads that arrived, by LOID. To learn why a lead did
   * not arrive, push it alone.
   */
  pushLeads(
    leads: readonly LeadToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, string>>
  pushDeals(
    deals: readonly DealToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, string>>
  /** Finds out what happened to records that an earlier push sent. */
  findSentLeads(sent: readonly SentLead[], signal?: AbortSignal): Promise<SentRecords>
  findSentDeals(sent: readonly SentDeal[], signal?: AbortSignal): Promise<SentRecords>
  /**
   * Returns the note's id in the CRM. If the lead of a note has become a deal, the note is added to the deal. A
   * repeated call finds the same note on the lead or on its deal instead of adding a second note. Throws
   * `CrmUnavailable` while the record is in the CRM's recycle bin, and `CrmUnanswered` if the note may arrive later.
   */
  createNote(module: CrmModule, zohoId: string, note: NoteToPush, signal?: AbortSignal): Promise<string>
  /**
   * Writes corrected fields, unless the record was changed after `unmodifiedSince` or is gone; false then. After a lost
   * answer (`CrmUnavailable`) the correction may have arrived.
   */
  correctLead(
    zohoId: string,
    corrected: Partial<LeadToPush>,
    unmodifiedSince: string,
    signal?: AbortSignal,
  ): Promise<boolean>
  /**
   * Moves a lead to the CRM's recycle bin. A lead that is gone stays gone. Sent once, because nobody may have touched the
   * lead before it: a caller that gets `CrmUnavailable` looks at the lead again.
   */
  removeLead(zohoId: string, signal?: AbortSignal): Promise<void>
  /** Whether the lead has a note besides `ownNotes`, or a task or a file by another user than the one who made the lead. */
  hasItemsOfStaff(zohoId: string, ownNotes: ReadonlySet<string>, signal?: AbortSignal): Promise<boolean>
  /** Moves a note to the CRM's recycle bin. A note that is gone stays gone. */
  removeNote(zohoId: string, signal?: AbortSignal): Promise<void>
  /**
   * Writes LOIDs into records that were made in the CRM. Also sets a record's partner if `loids` names one. A record
   * that cannot be written is skipped, because it is a converted lead or because its LOID is taken. To learn a record's
   * LOID, read the record again.
   */
  setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void>
}

/** Called with the LOIDs of the records that are sent next. */
type BeforeSending = (loids: readonly string[]) => Promise<void>

const RECORDS_A_CALL_MAX = 100
/** How long to look for a record after a lost answer. A repeated push looks again. */
const LOOK_MS_MAX = 5_000
/** The largest expected difference between Zoho's clock and the portal's. */
const CLOCKS_MS = 60_000
const NOTE_TITLE_LENGTH_MAX = 120
/** Zoho's own fields, which the field map cannot change. */
const PIPELINE_FIELD = 'Pipeline'
const CREATED_BY = 'Created_By'
/** Zoho's standard layout demands an expected closing date for a deal. The lender sets the real date. */
const CLOSING_DAYS = 30

type RecordCall = Omit<ZohoCall, 'method' | 'body'> & { method: 'POST' | 'PUT' }

/** The fields that need special treatment in a push. */
const OURS = new Set(['loid', 'lead_status', 'lead_source', 'partner_iso', 'stage', 'submitted_by', 'referral_consent'])

interface PushedFields {
  loid: string
  partner: string
  email: string
  phone: string
  description: string
}

export function openRecordPusher(
  { api, metadata, fieldMap, fieldsThere }: ZohoParts,
  {
    notePages,
    getLeads,
    partnersThere,
    deletionsOfAllPartners,
  }: Pick<
    NoteReader & RecordReader & RecordLister,
    'notePages' | 'getLeads' | 'partnersThere' | 'deletionsOfAllPartners'
  >,
): RecordPusher {
  const { partners, leads, deals } = fieldMap

  /**
   * Writes records. Returns one result for each record, in the order of the records. `more` is added to the call's
   * body, next to the records.
   */
  async function writeRecords(call: RecordCall, data: object[], more: object = {}): Promise<WriteResult[]> {
    return readResults(await api.write({ ...call, body: { data, ...more } }))
  }

  // Zoho's documentation contradicts itself on how to escape quotes in a query, so a wildcard replaces each quote.
  async function findPartnerRecords(address: string, signal?: AbortSignal) {
    const { business_name: name, email } = partners.fields
    const test = /['\\%]/.test(address) ? `like '${address.replace(/['\\%]/g, '%')}'` : `= '${address}'`
    const rows = await api.coql(
      `select id, ${name}, ${email} from ${partners.module} where ${email} ${test} order by id asc limit 0, 200`,
      signal,
    )
    return rows.flatMap((row) => {
      const zoho_id = readText(row, 'id')
      if (zoho_id === null || !isSameText(readText(row, email), address)) return []
      return { zoho_id, business_name: readText(row, name) }
    })
  }

  async function updatePartner(zohoId: string, changed: Partial<PartnerToPush>, signal?: AbortSignal) {
    const { record, lacking } = await partnerRecord(changed, signal)
    if (Object.keys(record).length === 0) {
      const isThere = (await partnersThere([zohoId], signal)).has(zohoId)
      return isThere ? { zoho_id: zohoId, left_out: [], lacking, was_there: false } : null
    }
    const call = { method: 'PUT', path: `${partners.module}/${zohoId}`, isRepeatable: true, signal } as const
    return writePartner(call, record, lacking)
  }

  async function createPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<PushedPartner> {
    const call = { method: 'POST', path: partners.module, isRepeatable: false, signal } as const
    const { record, lacking } = await partnerRecord(partner, signal)
    const made = await writePartner(call, withoutNulls(record), lacking)
    if (!made) throw new CrmRefused('INVALID_MODULE', `The CRM has no module ${partners.module}.`)
    return made
  }

  async function writePartnerFacts(reports: readonly PartnerReport[], signal?: AbortSignal): Promise<void> {
    const fields: Record<string, string> = await fieldsThere.partners(signal)
    const call = { method: 'PUT', path: partners.module, isRepeatable: true, signal } as const
    for (const chunk of chunksOf(reports, RECORDS_A_CALL_MAX)) {
      const records = chunk.map(({ zoho_id, facts }) => ({ id: zoho_id, ...named(facts, fields) }))
      // The portal's bookkeeping must not trigger the lender's workflows.
      await writeRecords(call, records, { trigger: [] })
    }
  }

  async function partnerRecord(partner: Partial<PartnerToPush>, signal?: AbortSignal) {
    const fields: Record<string, string> = await fieldsThere.partners(signal)
    const settings = await metadata.fieldsOf(partners.module, signal)
    return {
      record: fitted(named(partner, fields), settings, partners.fields),
      lacking: Object.keys(partner).filter((field) => fields[field] === undefined),
    }
  }

  /**
   * Writes the partner's record. Returns null if the record does not exist. Contact details and optional fields that
   * the CRM does not accept are left out and named in `left_out`.
   */
  async function writePartner(
    call: RecordCall,
    record: Record<string, unknown>,
    lacking: readonly string[],
  ): Promise<PushedPartner | null> {
    const spared: readonly string[] = (['email', 'phone', ...OPTIONAL_PARTNER_FIELDS] as const).map(
      (name) => partners.fields[name],
    )
    let sent = record
    const leftOut: string[] = []
    for (;;) {
      const answer = await api.write({ ...call, body: { data: [sent] } })
      if (isMissing(answer) && !isItemAnswer(answer)) return null
      const [result] = readResults(answer)
      if (!result || 'zohoId' in result)
        return { zoho_id: writtenId(result), left_out: leftOut, lacking, was_there: false }
      if (isInvalidId(result)) return null
      const { code, field } = result
      const isSpared = field !== null && spared.includes(field)
      if (!isContactRefused(code) || !isSpared || !(field in sent)) throw itemRefusal(result)
      const { [field]: _, ...rest } = sent
      sent = rest
      leftOut.push(field)
    }
  }

  /** Looks up at most fifty LOIDs. Returns the CRM ids of the records with these LOIDs. */
  async function findByLoids(
    { module, fields }: { module: string; fields: PushedFields },
    loids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, string>> {
    if (loids.length === 0) return new Map()
    const field = fields.loid
    const wanted = loids.map((loid) => `'${loid}'`).join(', ')
    const query = `select id, ${field} from ${module} where ${field} in (${wanted}) order by id desc limit 0, 200`
    return idsByLoid(await api.coql(query, signal), field)
  }

  async function findLeadsByLoid(loids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> {
    const found = await findByLoids(leads, loids, signal)
    const missing = loids.filter((loid) => !found.has(loid))
    if (missing.length === 0) return found
    const field = leads.fields.loid
    // Queries may hide a converted lead, and it could not be confirmed that Zoho refuses a second lead with the same
    // LOID.
    const criteria = `(${field}:in:${missing.join(',')})`
    const query = { criteria, converted: 'true', fields: `${field},Modified_Time` }
    const { items } = readItems(await api.get(`${leads.module}/search`, query, { signal }))
    return new Map([...idsByLoid(items, field), ...found])
  }

  async function pushLead(
    lead: LeadToPush,
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<{ zoho_id: string }> {
    const there = (await findLeadsByLoid([lead.loid], signal)).get(lead.loid)
    if (there !== undefined) return { zoho_id: there }
    await beforeSending?.([lead.loid])
    return insertByLoid(leads, leadRecord(lead), signal)
  }

  async function pushDeal(
    deal: DealToPush,
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<{ zoho_id: string }> {
    const there = (await findByLoids(deals, [deal.loid], signal)).get(deal.loid)
    if (there !== undefined) return { zoho_id: there }
    await beforeSending?.([deal.loid])
    const closing = { [deals.fields.closing_date]: plainDateAfter(deal.created_at, CLOSING_DAYS) }
    return insertByLoid(deals, await dealRecord(deal, signal), signal, closing)
  }

  async function pushLeads(
    many: readonly LeadToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, string>> {
    const there = await findLeadsByLoid(loidsOf(many), signal)
    const missing = many.filter((lead) => !there.has(lead.loid))
    await beforeSending?.(loidsOf(missing))
    return new Map([...there, ...(await insertMany(leads, missing.map(leadRecord), signal))])
  }

  async function pushDeals(
    many: readonly DealToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, string>> {
    const there = await findByLoids(deals, loidsOf(many), signal)
    const missing = many.filter((deal) => !there.has(deal.loid))
    await beforeSending?.(loidsOf(missing))
    const records = await Promise.all(missing.map((deal) => dealRecord(deal, signal)))
    return new Map([...there, ...(await insertMany(deals, records, signal))])
  }

  async function findSentLeads(sent: readonly SentLead[], signal?: AbortSignal): Promise<SentRecords> {
    const there = await findLeadsByLoid(loidsOf(sent), signal)
    const missing = without(sent, there).map((lead) => ({ ...lead, names: named(personNames(lead), leads.fields) }))
    return { there, deleted: await findDeleted('Leads', missing, signal) }
  }

  async function findSentDeals(sent: readonly SentDeal[], signal?: AbortSignal): Promise<SentRecords> {
    const there = await findByLoids(deals, loidsOf(sent), signal)
    const missing = without(sent, there).map((deal) => {
      return { ...deal, names: named({ deal_name: dealName(deal) }, deals.fields) }
    })
    return { there, deleted: await findDeleted('Deals', missing, signal) }
  }

  /**
   * `names` holds the fields that make up the record's name, in order. As in a push, the names are cut to the lengths
   * of the CRM's fields.
   */
  async function findDeleted(
    module: CrmModule,
    missing: readonly { loid: string; names: Record<string, unknown>; sent_at: string }[],
    signal?: AbortSignal,
  ): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>()
    const [first] = missing.map((one) => one.sent_at).toSorted()
    if (first === undefined) return found
    const { fields } = module === 'Leads' ? leads : deals
    const settings = await metadata.fieldsOf(moduleName(fieldMap, module), signal)
    const sent = missing.map((one) => {
      return {
        ...one,
        name: Object.values(fitted(one.names, settings, fields))
          .filter(Boolean)
          .join(' '),
      }
    })
    try {
      for await (const deletions of deletionsOfAllPartners(module, earlier(first, CLOCKS_MS), signal)) {
        for (const { loid, name, sent_at } of sent) {
          const same = deletions.filter((deletion) => {
            return isSameText(deletion.name, name) && deletion.deleted_time >= earlier(sent_at, CLOCKS_MS)
          })
          if (same.length > 0) found.set(loid, [...(found.get(loid) ?? []), ...same.map((one) => one.zoho_id)])
        }
      }
    } catch (error) {
      // There are more deletions than Zoho lists. The listed deletions are used.
      if (!(error instanceof CrmRefused)) throw error
    }
    return found
  }

  function leadRecord(lead: LeadToPush): Record<string, unknown> {
    const { partner_zoho_id, ...values } = lead
    const contact = [lead.first_name, lead.last_name].filter(Boolean).join(' ')
    return {
      ...named({ ...values, ...personNames(lead) }, leads.fields),
      [leads.fields.partner]: { id: partner_zoho_id },
      // Zoho's forms demand a company.
      [leads.fields.business_name]: lead.business_name ?? (contact || lead.loid),
    }
  }

  async function dealRecord(deal: DealToPush, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { partner_zoho_id, created_at: _, ...values } = deal
    const [pipeline] = usedChoices((await metadata.fieldsOf(deals.module, signal))?.get(PIPELINE_FIELD))
    return {
      ...named(values, deals.fields),
      [deals.fields.partner]: { id: partner_zoho_id },
      [deals.fields.deal_name]: dealName(deal),
      // If pipelines are on, Zoho accepts no stage without a pipeline.
      ...(pipeline !== undefined && { [PIPELINE_FIELD]: pipeline }),
    }
  }

  /**
   * Inserts records in one call. Returns the records' ids by LOID, also if another push of the same record was faster.
   * To learn why a record is missing, push it alone.
   */
  async function insertMany(
    { module, fields }: { module: string; fields: PushedFields },
    records: readonly Record<string, unknown>[],
    signal?: AbortSignal,
  ): Promise<Map<string, string>> {
    if (records.length === 0) return new Map()
    const settings = await metadata.fieldsOf(module, signal)
    const sent = records.map((record) => withoutNulls(fitted(record, settings, fields)))
    const results = await writeRecords({ method: 'POST', path: module, isRepeatable: false, signal }, sent)
    return new Map(
      results.flatMap((result, index) => {
        const loid = readText(sent[index], fields.loid)
        const zohoId = 'zohoId' in result ? result.zohoId : idOfSameLoid(result, fields)
        return zohoId !== null && loid !== null ? [[loid, zohoId]] : []
      }),
    )
  }

  /**
   * Makes the record with this LOID and returns the record's id. This function never updates a record, and the client
   * never repeats the call: after a lost answer the record may exist, and staff or a workflow may have changed it. So
   * after a lost answer this function looks for the record at once. A repeated push looks before it sends, and the CRM
   * should refuse a second lead or a second deal with the same LOID. `ifMissing` holds the values to send if Zoho
   * requires a field that the partner left out.
   */
  async function insertByLoid(
    { module, fields }: { module: string; fields: PushedFields },
    record: Record<string, unknown>,
    signal?: AbortSignal,
    ifMissing: Record<string, string> = {},
  ): Promise<{ zoho_id: string }> {
    const call = { method: 'POST', path: module, isRepeatable: false, signal } as const
    let sent = withoutNulls(fitted(record, await metadata.fieldsOf(module, signal), fields))
    for (;;) {
      const written = await insertOnce(sent)
      if ('zoho_id' in written) return written
      const { result } = written
      if (!result || 'zohoId' in result) return { zoho_id: writtenId(result) }
      const there = idOfSameLoid(result, fields)
      if (there !== null) return { zoho_id: there }
      const { code, field } = result
      if (code === 'INVALID_DATA' && field === fields.partner) {
        throw new CrmPartnerGone('The CRM has no record of this partner any more.')
      }
      const mended = mend(sent, result)
      if (!mended) throw itemRefusal(result, oursOf(fields))
      sent = mended
    }

    /**
     * Inserts the record. After a lost answer, looks for the record at once: by the time the push is repeated, staff
     * may have renamed and deleted the record.
     */
    async function insertOnce(data: Record<string, unknown>): Promise<{ zoho_id: string } | { result?: WriteResult }> {
      try {
        const [result] = await writeRecords(call, [data])
        return result ? { result } : {}
      } catch (error) {
        if (!(error instanceof CrmUnavailable)) throw error
        const loid = readText(data, fields.loid) ?? ''
        const timeout = AbortSignal.timeout(LOOK_MS_MAX)
        const found = await findByLoids(
          { module, fields },
          [loid],
          signal ? AbortSignal.any([signal, timeout]) : timeout,
        ).catch(() => new Map<string, string>())
        const zoho_id = found.get(loid)
        if (zoho_id === undefined) throw error
        return { zoho_id }
      }
    }

    /**
     * Corrects a refused record. Each correction is tried only once, because it removes the value that Zoho refused, or
     * adds the value that Zoho required.
     */
    function mend(was: Record<string, unknown>, { code, field }: { code: string; field: string | null }) {
      if (field === null) return undefined
      // The lender must get the record, but Zoho's pattern for email is narrower than the portal's, and an organisation
      // may allow each email or phone only once. So the refused value moves to the description.
      const isContact = field === fields.email || field === fields.phone
      if (isContactRefused(code) && isContact && field in was) return withContactInWords(was, field, fields.description)
      const value = ifMissing[field]
      if (code === 'MANDATORY_NOT_FOUND' && value !== undefined && !(field in was)) return { ...was, [field]: value }
      return undefined
    }
  }

  /** The deal that a conversion made from the lead. The portal may not know the deal yet. */
  async function findDealOfLead(zohoId: string, signal?: AbortSignal): Promise<string | undefined> {
    const [lead] = (await getLeads([zohoId], signal)).records
    return (lead?.is_converted && lead.converted_deal_zoho_id) || undefined
  }

  async function createNote(
    module: CrmModule,
    zohoId: string,
    note: NoteToPush,
    signal?: AbortSignal,
  ): Promise<string> {
    const title = note.title === null ? null : cutText(note.title, NOTE_TITLE_LENGTH_MAX)
    const leadId = module === 'Leads' ? zohoId : note.lead_zoho_id
    const onLead = leadId === undefined ? undefined : await look('Leads', leadId)
    // The deal is read after the lead's notes, because a conversion may move the notes to the deal.
    const dealId = module === 'Deals' ? zohoId : await findDealOfLead(zohoId, signal)
    const onDeal = dealId === undefined ? undefined : await look('Deals', dealId)
    const there = onDeal?.sent ?? onLead?.sent
    if (there !== undefined) return there
    // The note may be in the recycle bin with the record, and staff may restore both at any moment.
    if (!(onDeal ?? onLead)?.isThere) throw recordNotThere()
    const record = withoutNulls({ Note_Title: title, Note_Content: note.content })
    await note.beforeSending?.()
    const path = dealId === undefined ? `${leads.module}/${zohoId}/Notes` : `${deals.module}/${dealId}/Notes`
    const answer = await api.write({ method: 'POST', path, body: { data: [record] }, isRepeatable: false, signal })
    if (isMissing(answer) && !isItemAnswer(answer)) throw recordNotThere()
    return writtenId(readResults(answer)[0])

    /** Whether the record exists, and the note's id if an earlier push has added the note to the record. */
    async function look(on: CrmModule, id: string): Promise<{ isThere: boolean; sent?: string }> {
      let isThere = false
      for await (const page of notePages(on, id, signal)) {
        isThere = true
        const same = page
          .filter((one) => isSameLines(one.content, note.content) && isSameLines(one.title ?? '', title ?? ''))
          .map((one) => one.zoho_id)
        const others = same.length === 0 ? undefined : await note.findOthers?.(same)
        const sent = same.find((zohoId) => !others?.has(zohoId))
        if (sent !== undefined) return { isThere, sent }
      }
      return { isThere }
    }
  }

  async function correctLead(
    zohoId: string,
    corrected: Partial<LeadToPush>,
    unmodifiedSince: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const settings = await metadata.fieldsOf(leads.module, signal)
    const record = fitted(named(corrected, leads.fields), settings, leads.fields)
    const answer = await api.write({
      method: 'PUT',
      path: `${leads.module}/${zohoId}`,
      headers: { 'if-unmodified-since': zohoTime(unmodifiedSince) },
      body: { data: [record] },
      isRepeatable: false,
      signal,
    })
    if (answer.status === 412 || (isMissing(answer) && !isItemAnswer(answer))) return false
    const [result] = readResults(answer)
    if (result && !('zohoId' in result) && isInvalidId(result)) return false
    writtenId(result)
    return true
  }

  async function hasItemsOfStaff(
    zohoId: string,
    ownNotes: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    for await (const notes of notePages('Leads', zohoId, signal)) {
      if (notes.some((note) => !ownNotes.has(note.zoho_id))) return true
    }
    const path = `${leads.module}/${zohoId}`
    const [lead] = readItems(await api.get(path, { fields: CREATED_BY }, { signal })).items
    const portal = readLookupId(lead, CREATED_BY)
    for (const list of ['Tasks', 'Attachments']) {
      for await (const items of api.pages(`${path}/${list}`, { fields: CREATED_BY }, { signal })) {
        if (items.some((item) => readLookupId(item, CREATED_BY) !== portal)) return true
      }
    }
    return false
  }

  async function removeRecord(path: string, signal?: AbortSignal, attemptsMax?: number): Promise<void> {
    const answer = await api.remove(path, signal, attemptsMax)
    if (!isMissing(answer)) writtenId(readResults(answer)[0])
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
        // The portal's bookkeeping must not trigger the lender's workflows.
        return writeRecords(call, records, { trigger: [] })
      }),
    )
  }

  return {
    findPartnerRecords,
    updatePartner,
    writePartnerFacts,
    createPartner,
    pushLead,
    pushDeal,
    pushLeads,
    pushDeals,
    findSentLeads,
    findSentDeals,
    createNote,
    correctLead,
    hasItemsOfStaff,
    removeLead: (zohoId, signal) => removeRecord(`${leads.module}/${zohoId}`, signal, 1),
    removeNote: (zohoId, signal) => removeRecord(`Notes/${zohoId}`, signal),
    setLoids,
  }
}

/** The CRM's names of the fields that the portal fills in itself. */
function oursOf(fields: PushedFields): ReadonlySet<string> {
  const named = Object.entries(fields)
  return new Set([PIPELINE_FIELD, ...named.flatMap(([name, field]) => (OURS.has(name) ? field : []))])
}

/** If the CRM refused the record because another one has its LOID, the id of that one; otherwise null. */
function idOfSameLoid(
  { code, field, duplicateId }: Exclude<WriteResult, { zohoId: string }>,
  { loid }: Pick<PushedFields, 'loid'>,
): string | null {
  return code === 'DUPLICATE_DATA' && field === loid ? duplicateId : null
}

function recordNotThere(): CrmUnavailable {
  return new CrmUnavailable('The record is not in the CRM at the moment.')
}

/** The lead's names in the CRM. Zoho requires a last name for a lead, so a single name becomes the last name. */
function personNames(lead: Pick<LeadToPush, 'loid' | 'first_name' | 'last_name' | 'business_name'>) {
  const { loid, first_name, last_name, business_name } = lead
  if (last_name !== null) return { first_name, last_name }
  return { first_name: null, last_name: first_name ?? business_name ?? loid }
}

function dealName(deal: Pick<DealToPush, 'loid' | 'deal_name' | 'business_name'>): string {
  return deal.deal_name ?? deal.business_name ?? deal.loid
}

function without<Record extends { loid: string }>(records: readonly Record[], there: ReadonlyMap<string, string>) {
  return records.filter((record) => !there.has(record.loid))
}

function earlier(instant: string, byMs: number): string {
  return new Date(Date.parse(instant) - byMs).toISOString()
}

/** Whether an answer is about the record's fields and not about its id. */
function isItemAnswer(answer: ZohoAnswer): boolean {
  return z.object({ data: z.array(z.unknown()) }).safeParse(answer.body).success
}

/** The portal's values under the CRM's names. Fields that the map does not name are left out. */
function named(values: object, fields: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([ours, value]) => (fields[ours] ? [[fields[ours], value]] : [])),
  )
}

/**
 * Cuts text to the length of the CRM's fields, because a lead with a shortened name is better than no lead. Email and
 * phone stay whole, because a shortened address can be another person's. Zoho refuses an email or phone that is too
 * long.
 */
function fitted(
  record: Record<string, unknown>,
  settings: ModuleSettings | undefined,
  { email, phone }: Pick<PushedFields, 'email' | 'phone'>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      const lengthMax = field === email || field === phone ? null : settings?.get(field)?.lengthMax
      return [field, typeof value === 'string' && lengthMax ? cutText(value, lengthMax) : value]
    }),
  )
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}

function isContactRefused(code: string): boolean {
  return code === 'INVALID_DATA' || code === 'DUPLICATE_DATA'
}

function withContactInWords(record: Record<string, unknown>, refused: string, description: string) {
  const { [refused]: value, ...rest } = record
  const words = [record[description], `${refused}: ${String(value)}`].filter((line) => typeof line === 'string')
  return { ...rest, [description]: words.join('\n\n') }
}

function loidsOf(records: readonly { loid: string }[]): string[] {
  return records.map((record) => record.loid)
}

/**
 * The ids of the rows by LOID. If several rows have the same LOID, the id of the last such row is returned. The rows of
 * a search can also have LOIDs that merely contain the LOID that was searched for.
 */
function idsByLoid(rows: readonly unknown[], field: string): Map<string, string> {
  return new Map(
    rows.flatMap((row) => {
      const [loid, id] = [readText(row, field), readText(row, 'id')]
      return loid !== null && id !== null ? [[loid, id]] : []
    }),
  )
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
