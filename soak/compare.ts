import { DEFAULT_FIELD_MAP } from '../server/src/crm/zoho/field-map.ts'
import type { CrmRow } from './crm.ts'
import { type Ledger, TO_BE, type Tracked } from './ledger.ts'
import type { Partner } from './partners.ts'
import type { World } from './world.ts'

export interface Difference {
  what: string
  /** What was done to the record. */
  log: string[]
}

/** Fields that the portal's API shows under these names and does not compute from other values. */
const LEAD_FIELDS = [
  'business_name',
  'first_name',
  'last_name',
  'email',
  'phone',
  'loan_amount',
  'loan_type',
  'loan_term',
  'lead_status',
  'description',
] as const
const DEAL_FIELDS = [
  'deal_name',
  'email',
  'phone',
  'amount',
  'loan_type',
  'stage',
  'closing_date',
  'description',
] as const

interface PortalRecord {
  loid: string
  [field: string]: unknown
}

/**
 * Returns the differences in fields, histories and notes between the portal and the CRM. Both must be at rest. Also
 * finds repeated events, and checks what must be true according to the ledger. Reads portal and CRM through their
 * public APIs, and the portal's events from its database.
 */
export async function compare(world: World, partners: readonly Partner[], ledger: Ledger): Promise<Difference[]> {
  const { crm } = world
  const differences: Difference[] = []
  // The comparison needs fixed settings for these switches; the run used various settings.
  await crm.behaviour({
    recordsShow: 'display',
    timelineEmptyOldValue: 'null',
    stageHistoryTime: 'entry',
    apiUserIsAdmin: true,
    timelineShowsNotes: false,
    taskStatuses: 'zoho',
  })

  const { leads: leadMap, deals: dealMap } = DEFAULT_FIELD_MAP
  const crmPartners = await crm.list('Partners', ['Name', 'Email'])
  const crmLeads = await crm.list('Leads', ['Converted__s', 'Converted_Deal', ...Object.values(leadMap.fields)])
  const crmDeals = await crm.list('Deals', Object.values(dealMap.fields))
  const crmNotes = await crm.list('Notes', ['Note_Content', 'Parent_Id'])
  const notesOf = Map.groupBy(crmNotes, (note) => lookupId(note, 'Parent_Id'))
  const leadOfDeal = new Map(
    crmLeads.flatMap((lead) => {
      const deal = lookupId(lead, 'Converted_Deal')
      return deal === undefined ? [] : [[deal, lead]]
    }),
  )
  const trackedByZohoId = new Map(ledger.records.flatMap((record) => (record.zohoId ? [[record.zohoId, record]] : [])))
  const trackedByLoid = new Map(
    ledger.records.flatMap((record) => (record.loid ? [[`${record.module} ${record.loid}`, record]] : [])),
  )

  const hidden = await world.rows<{ zoho_id: string }>('select zoho_id from hidden_records')
  const held = new Set(hidden.map(({ zoho_id }) => zoho_id))
  const authors = new Map(ledger.notes.map(({ content, by }) => [content, by]))

  function differ(what: string, record: Tracked | undefined) {
    differences.push({ what, log: record?.log ?? [] })
  }
  function trackedOf(module: Tracked['module'], row: CrmRow): Tracked | undefined {
    return trackedByZohoId.get(row.id) ?? trackedByLoid.get(`${module} ${String(row['LOID'])}`)
  }
  function compareFields(
    portal: PortalRecord,
    row: CrmRow,
    names: readonly string[],
    map: Record<string, string>,
    record: Tracked | undefined,
  ) {
    for (const name of names) {
      const inCrm = row[map[name] ?? ''] ?? null
      const inPortal = portal[name] ?? null
      if (inCrm !== inPortal)
        differ(`${portal.loid} ${name}: portal ${JSON.stringify(inPortal)}, CRM ${JSON.stringify(inCrm)}`, record)
    }
  }
  function compareLists(
    title: string,
    portal: readonly string[],
    wanted: readonly string[],
    record: Tracked | undefined,
  ) {
    if (portal.join(' → ') !== wanted.join(' → '))
      differ(`${title}: portal ${portal.join(' → ')}; CRM ${wanted.join(' → ')}`, record)
  }

  for (const partner of partners) {
    const same = crmPartners.filter((row) => row['Email'] === partner.email)
    if (same.length !== 1) differ(`partner ${partner.number} is in the CRM ${same.length} times`, undefined)
    const zohoId = same[0]?.id
    const leads = new Map((await readAll(partner, 'leads')).map((lead) => [lead.loid, lead]))
    const deals = new Map((await readAll(partner, 'deals')).map((deal) => [deal.loid, deal]))

    /** The CRM takes no LOID for a lead that was converted before the portal saw it. */
    const waitingLike = (row: CrmRow) => {
      const isLike = (lead: PortalRecord) =>
        lead['awaits_deal_since'] !== null && lead['last_name'] === row['Last_Name']
      return row['LOID'] === null ? [...leads.values()].find(isLike) : undefined
    }
    for (const row of crmLeads) {
      const record = trackedOf('Leads', row)
      const loid = String(row['LOID'])
      const isWaitingOrHeld = held.has(row.id) || (leads.get(loid)?.['awaits_deal_since'] ?? null) !== null
      if (hasLostPartner(row) && isWaitingOrHeld) leads.delete(loid)
      if (lookupId(row, 'Partner') !== zohoId) continue
      if (row['Converted__s'] === true) {
        const shown = leads.get(loid) ?? waitingLike(row)
        // A lead waits for a deal of its partner's (D124).
        const isWaiting = shown !== undefined && shown['awaits_deal_since'] !== null && !deals.has(shown.loid)
        if (!isWaiting && shown) differ(`${loid} is converted in the CRM and still a lead in the portal`, record)
        if (!isWaiting && record?.isConverted && !record.deal)
          differ(`${row.id} was converted without a deal and is not in the list`, record)
        if (shown) leads.delete(shown.loid)
        continue
      }
      const lead = leads.get(loid)
      if (!lead) {
        differ(`lead ${loid} (${row.id}) of partner ${partner.number} is in the CRM and not in the portal`, record)
        continue
      }
      leads.delete(loid)
      compareFields(lead, row, LEAD_FIELDS, leadMap.fields, record)
      const history = await partner.get(`/crm/lead/${loid}/status-history`)
      const statuses = await crm.leadStatuses(row.id, row['Lead_Status'] === null ? null : String(row['Lead_Status']))
      compareLists(`${loid} statuses`, valuesOf(history.body, 'status'), withoutRepeats(statuses), record)
      const { body } = await partner.get(`/crm/lead/${loid}`)
      compareLists(`${loid} notes`, contentsOf(body), contentsInCrm(row.id, partner), record)
    }
    for (const [loid] of leads)
      differ(
        `lead ${loid} of partner ${partner.number} is in the portal and not in the CRM`,
        trackedByLoid.get(`Leads ${loid}`),
      )

    for (const row of crmDeals) {
      const lead = leadOfDeal.get(row.id)
      const owner = lookupId(row, 'Partner') ?? (lead && lookupId(lead, 'Partner'))
      if (owner !== zohoId) continue
      const record = trackedOf('Deals', row)
      const loid = String(row['LOID'] ?? lead?.['LOID'])
      const deal = deals.get(loid)
      if (!deal) {
        differ(`deal ${loid} (${row.id}) of partner ${partner.number} is in the CRM and not in the portal`, record)
        continue
      }
      deals.delete(loid)
      compareFields(deal, row, DEAL_FIELDS, dealMap.fields, record)
      const history = await partner.get(`/crm/deal/${loid}/stage-history`)
      compareLists(`${loid} stages`, valuesOf(history.body, 'stage'), await crm.dealStages(row.id), record)
      const { body } = await partner.get(`/crm/deal/${loid}`)
      // A partner that still has the deal, but no longer the lead, sees its own notes on the lead if the lead and the
      // deal have the same LOID.
      const isReaders = lead && lookupId(lead, 'Partner') === zohoId
      const ofLead = (lead ? contentsInCrm(lead.id, partner) : []).filter(
        (content) => isReaders || (lead?.['LOID'] === loid && authors.get(content) === partner.number),
      )
      const own = contentsInCrm(row.id, partner)
      const shown = contentsOf(body)
      // Whether a lead without a partner tells the deal's partner of its notes, depends on what the portal saw before.
      const mayShow = lead && hasLostPartner(lead) ? contentsInCrm(lead.id, partner) : []
      const ofLostLead = mayShow.filter((content) => shown.includes(content) && !own.includes(content))
      compareLists(`${loid} notes`, shown, [...own, ...(mayShow.length > 0 ? ofLostLead : ofLead)].toSorted(), record)
    }
    for (const [loid] of deals)
      differ(
        `deal ${loid} of partner ${partner.number} is in the portal and not in the CRM`,
        trackedByLoid.get(`Deals ${loid}`),
      )
  }

  const withdrawals = await world.rows<{ loid: string }>(`select loid from leads where archived_reason = 'withdrawn'`)
  const withdrawn = new Set(withdrawals.map(({ loid }) => loid))
  const crmRows = new Map([...crmLeads, ...crmDeals].map((row) => [row.id, row]))
  for (const record of ledger.records) {
    const rows = record.module === 'Leads' ? crmLeads : crmDeals
    const found = record.zohoId ? rows.filter((row) => row.id === record.zohoId) : []
    // If the conversion copied no LOID, and staff gave the deal to another partner before the portal saw it, the deal
    // has its own LOID in the portal. If the lead had lost its partner, the portal does not see the deal.
    const lead = leadOfDeal.get(record.zohoId ?? '')
    const mayBeRenamed = found.length > 0 && lead !== undefined && (record.isGiven || hasLostPartner(lead))
    const named = record.loid && !mayBeRenamed ? rows.filter((row) => row['LOID'] === record.loid) : found
    if (record.module === 'Leads' && record.loid !== undefined && withdrawn.has(record.loid)) {
      if (named.length > 0) differ(`${record.loid} was withdrawn and is in the CRM`, record)
      const lost = record.isDeleted ? [] : touchesBeforeWithdrawal(record)
      if (lost.length > 0) differ(`${record.loid} was withdrawn after staff had done ${lost.join(', ')}`, record)
      continue
    }
    if (record.isDeleted) {
      // The CRM's list of deletions has only names. If staff renamed a record before the portal knew the result of its
      // push, the portal cannot recognise the record there.
      if (named.length > 0 && !record.staffSet.has('Deal_Name'))
        differ(`${record.module} ${record.loid ?? record.zohoId} was deleted by staff and is in the CRM again`, record)
      continue
    }
    if (named.length !== 1)
      differ(`${record.module} ${record.loid ?? record.zohoId} is in the CRM ${named.length} times`, record)
    const row = record.zohoId ? crmRows.get(record.zohoId) : named[0]
    for (const [field, value] of record.staffSet) {
      if (row && row[field] !== value)
        differ(
          `${record.loid ?? row.id} ${field}: staff set ${JSON.stringify(value)}, CRM has ${JSON.stringify(row[field])}`,
          record,
        )
    }
  }
  const contents = Map.groupBy(crmNotes, wordsOf)
  for (const { content, record, by } of ledger.notes) {
    const count = contents.get(content)?.length ?? 0
    // The note waits until the record, or the deal that the lead became, is restored, or until the lead has a deal.
    if (count > 1 || (count === 0 && !waitsFor(record)))
      differ(`note '${content}' (${by}) is in the CRM ${count} times`, record)
  }
  await crm.behaviour({ attachmentsOfOrganisation: 'listed' })
  const attached = (await crm.list('Attachments', ['File_Name'])).map((row) => String(row['File_Name']))
  const documents = await world.rows<{ name: string; state: string; problem: string | null }>(
    `select name, state, problem from documents where sha256 is not null`,
  )
  for (const { name, record, isRemoved } of ledger.files) {
    const count = attached.filter((one) => one === name || one.endsWith(`– ${name}`)).length
    const document = documents.find((one) => one.name === name)
    const isSettled = document?.state === 'synced' && count === 1
    // A file whose first push got no answer may be there already; the portal looks for it when there is a deal.
    const waits = document?.state === 'pending' && count <= 1 && waitsFor(record)
    const isRefused =
      document?.state === 'failed' &&
      count === 0 &&
      /withdrawn/.test(document.problem ?? '') &&
      (waitsFor(record) || wasWithdrawn(record))
    // A push whose answer was lost sends the file again if staff have deleted it before the portal looks.
    const isGone = isRemoved && document?.state === 'synced' && count === 0
    if (!isSettled && !waits && !isRefused && !isGone)
      differ(`${name} is in the CRM ${count} times and ${JSON.stringify(document)} in the portal`, record)
  }
  await world.rows(`update document_looks set looked_at = 'epoch'`)
  for (const { name, record } of ledger.attachments) {
    const { status, body } = (await partners[record.partner]?.get(`/crm/documents/${record.loid}`)) ?? { status: 0 }
    if (record.loid === undefined || status !== 200 || waitsFor(record)) continue
    const isShown = body.data.documents.some((one: { name: string }) => one.name === name)
    if (isShown !== attached.includes(name))
      differ(`${name} is ${isShown ? 'shown' : 'not shown'}, and the CRM has ${isShown ? 'deleted' : 'got'} it`, record)
  }
  const tasks = new Map((await crm.list('Tasks', ['Status'])).map((row) => [row.id, row['Status']]))
  const requests = await world.rows<{ zoho_id: string; state: string }>('select zoho_id, state from requests')
  const states = new Map(requests.map(({ zoho_id, state }) => [zoho_id, state]))
  for (const { subject, zohoId, record, wasAccepted, isRemoved } of ledger.tasks) {
    const state = states.get(zohoId)
    // Sweeps do not look again at what was accepted, so an accepted task may have been reopened and removed unheard.
    const removed = wasAccepted ? 'withdrawn accepted' : 'withdrawn'
    const wanted = isRemoved ? removed : tasks.get(zohoId) === 'Completed' ? 'accepted' : 'asked sent again'
    // The portal may not have had the record while the task was there.
    const isMissing = state === undefined && (isRemoved || waitsFor(record))
    if (!isMissing && !wanted.split(' ').includes(state ?? ''))
      differ(
        `${subject} is ${state} in the portal, and ${isRemoved ? 'removed' : tasks.get(zohoId)} in the CRM`,
        record,
      )
  }
  for (const fault of ledger.faults) differ(fault, undefined)
  if (world.exits() > 0) differ(`the portal ended by itself ${world.exits()} times`, undefined)
  const mailed = world.mails().filter((mail) => mail.includes('/reset-password'))
  for (const partner of partners) {
    const { asked, accepted } = ledger.resets.get(partner.number) ?? { asked: 0, accepted: 0 }
    const ids = mailed
      .filter((mail) => mail.includes(`To: ${partner.email}`))
      .map((mail) => /^Message-ID: (\S+)/im.exec(mail)?.[1])
    const links = new Set(ids).size
    if (links > asked || (accepted > 0 && links === 0)) {
      differ(
        `partner ${partner.number} asked ${asked} times for a reset link, was accepted ${accepted} times and got ${links}`,
        undefined,
      )
    }
  }
  for (const { type, loid, copies } of await repeatedEvents(world)) {
    differ(
      `event ${type} of ${loid} was recorded ${copies} times`,
      trackedByLoid.get(`Leads ${loid}`) ?? trackedByLoid.get(`Deals ${loid}`),
    )
  }
  return differences

  /** Whether the record, or the deal that the lead became, is not there for the portal. */
  function waitsFor(record: Tracked): boolean {
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
  }

  /** The record's notes that the reader may see. Notes by another partner, which had the record before, are hidden. */
  function contentsInCrm(id: string, reader: Partner): string[] {
    const contents = (notesOf.get(id) ?? []).map(wordsOf)
    return contents.filter((content) => ['staff', reader.number, undefined].includes(authors.get(content))).toSorted()
  }
}

/** Whether a partner withdrew the record, and staff may have restored it. */
function wasWithdrawn({ log }: Tracked): boolean {
  return log.some((line) => / withdrawn by .*: 202$/.test(line))
}

/**
 * What staff did to a lead before the partner asked to withdraw it, which the portal had to see (D86). What they did later
 * may have come after the portal's look. A verdict does not count, nor does a status that was set back.
 */
function touchesBeforeWithdrawal({ log }: Tracked): string[] {
  const accepted = log.findLastIndex((line) => /withdrawn by .*: 202$/.test(line))
  const asked = log.slice(0, Math.max(accepted, 0)).findLastIndex((line) => line.endsWith(TO_BE.withdrawn))
  const earlier = log.slice(0, Math.max(asked, 0)).filter((line) => !line.includes(': refused, '))
  const [status] = earlier.filter((line) => line.includes('"Lead_Status"')).slice(-1)
  const isMoved = status !== undefined && !status.endsWith('"Lead_Status":"New Lead"}]')
  const edits = earlier.filter((line) => /\[\{"(?:Company|Loan_Amount)"|of the staff'$/.test(line))
  return isMoved ? [status, ...edits] : edits
}

/** The CRM lets nobody enter the partner of a converted lead again that was lost with the partner's record. */
function hasLostPartner(lead: CrmRow): boolean {
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

/** Leaves out the author's name, which the CRM gets with the note (D64). */
function wordsOf(note: Record<string, unknown>): string {
  return String(note['Note_Content']).replace(/\n\n— [^\n]*$/, '')
}

/**
 * Finds events that were recorded more than once: the same change with no other change in between, two creations or
 * restorations with no removal in between, two removals with neither in between, the same note twice, or any other event
 * twice except `deal.updated`. A lead can be corrected twice, each time with another amount. If a status changes, changes back and changes again, two equal events are correct.
 */
function repeatedEvents({ rows }: World): Promise<{ type: string; loid: string; copies: number }[]> {
  return rows(
    `select type, loid, 2 as copies
       from (select type, loid, data,
                    lag(type) over of_kind as type_before, lag(data) over of_kind as data_before
               from events
             window of_kind as (
               partition by partner_id, loid,
                 case when type like '%_changed' then 'changed' when type ~ '[.](created|restored|removed)$' then split_part(type, '.', 1) else type end
               order by id)) told
      where type = type_before and (data = data_before or (type not like '%_changed' and type <> 'lead.corrected'))
        and type not in ('note.added', 'document.added', 'deal.updated') and type not like 'request.%'
     union all
     select type, loid, count(*)::int from events
      where type in ('note.added', 'document.added', 'request.opened')
      group by partner_id, type, loid, data::text having count(*) > 1`,
  )
}

async function readAll(partner: Partner, list: 'leads' | 'deals'): Promise<PortalRecord[]> {
  const all: PortalRecord[] = []
  for (let page = 1; ; page++) {
    const { body } = await partner.get(`/dashboard/${list}?limit=100&page=${page}`)
    all.push(...body.data[list])
    if (!body.pagination.has_more) return all
  }
}

function lookupId(row: CrmRow, field: string): string | undefined {
  const value = row[field]
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : undefined
}

function valuesOf(body: { data: Record<string, string>[] }, name: string): string[] {
  return body.data.map((entry) => String(entry[name])).toReversed()
}

function contentsOf(body: { data: { notes: { content: string }[] } }): string[] {
  return body.data.notes.map((note) => note.content).toSorted()
}

function withoutRepeats(values: string[]): string[] {
  return values.filter((value, index) => value !== values[index - 1])
}
