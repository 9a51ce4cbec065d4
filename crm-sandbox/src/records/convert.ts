import type { FastifyInstance } from 'fastify'
import { queueNotices } from '../notifications/notices.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { getModule } from '../settings/modules.ts'
import type { Actor } from '../settings/people.ts'
import { daysBetween, storedInstant } from '../wire/times.ts'
import { ApiError, bodyItems, type Failure, failure, isObject, type JsonObject, sendItems } from '../wire/wire.ts'
import { requireModule, requireRecord } from './addresses.ts'
import { moveAttachments } from './attachments.ts'
import { changeRecord, createRecord, findNotesOf } from './record-changes.ts'
import { readInput } from './record-input.ts'
import { showRecord } from './record-view.ts'
import { API } from './records.ts'
import { type CrmRecord, findRecord, selectRecords, updateRow, type Values } from './records-table.ts'
import { moveTasks } from './tasks.ts'
import { recordInTimeline } from './timeline.ts'

type Target = 'Accounts' | 'Contacts' | 'Deals'

export type Conversion = {
  /**
   * An existing account and contact for the deal. If one is absent, a new record is made from the lead. A lead without
   * a company gets no account.
   */
  accountId?: string | undefined
  contactId?: string | undefined
  /** Values of the deal that override the lead's values. If absent, no deal is made. */
  deal?: Values | undefined
  owner?: string | undefined
  /** Whether the lead's values replace the values of the existing account and contact. */
  overwrite?: boolean | undefined
  at?: string
}

export type Converted = { account: CrmRecord | null; contact: CrmRecord; deal: CrmRecord | null }

/** Thrown inside the transaction, so that a conversion that is refused half-way leaves nothing behind. */
class ConversionRefused extends Error {
  readonly failure: Failure

  constructor(refusal: Failure) {
    super(refusal.message)
    this.failure = refusal
  }
}

export function convertRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post<{ Params: { id: string } }>('/crm/v8/Leads/:id/actions/convert', (request, reply) => {
    const lead = requireRecord(sandbox, requireModule(sandbox, 'Leads'), request.params.id)
    if (lead.converted) throw alreadyConverted()
    const [item = {}] = bodyItems(request.body, 'data', 1)
    const wanted = readConversion(sandbox, item)
    const result = 'failure' in wanted ? wanted : convertLead(sandbox, lead, wanted.conversion, API)
    if ('failure' in result) return sendItems(reply, [result.failure], 200)
    const named = (record: CrmRecord | null) => record && { name: record.name, id: record.id }
    const details = { Contacts: named(result.contact), Deals: named(result.deal), Accounts: named(result.account) }
    const message = 'The record has been converted successfully'
    return reply.send({ data: [{ code: 'SUCCESS', details, message, status: 'success' }] })
  })

  app.get<{ Params: { id: string } }>('/crm/v8/Leads/:id/__conversion_options', (request, reply) => {
    const lead = requireRecord(sandbox, requireModule(sandbox, 'Leads'), request.params.id)
    if (lead.converted) throw alreadyConverted()
    const accounts = findSame(sandbox, 'Accounts', 'Account_Name', lead.values['Company'])
    const contacts = findSame(sandbox, 'Contacts', 'Email', lead.values['Email'])
    if (accounts.length === 0 && contacts.length === 0) return reply.code(204).send()
    const moduleOf = (name: Target) => ({ api_name: name, id: getModule(name).id })
    return {
      __conversion_options: {
        module_preference: moduleOf('Accounts'),
        Contacts: contacts.map((one) => ({
          ...showRecord(sandbox, one, ['Full_Name', 'Email', 'Account_Name', '$editable', '$approval_state']),
          Locked__s: false,
        })),
        Accounts: accounts.map((one) => ({
          ...showRecord(sandbox, one, ['Account_Name', 'Phone', 'Website', '$editable', '$approval_state']),
          Account_Type: null,
          Locked__s: false,
        })),
        preference_field_matched_value: null,
        modules_with_multiple_layouts: [],
      },
    }
  })
}

/**
 * Turns a lead into a contact, an account if the lead has a company, and a deal if `wanted` includes one. Makes all of
 * these records or no record.
 */
export function convertLead(
  sandbox: Sandbox,
  lead: CrmRecord,
  wanted: Conversion,
  actor: Actor,
): Converted | { failure: Failure } {
  if (lead.converted) return { failure: alreadyConverted().failure }
  try {
    return sandbox.store.transaction(() => makeAll(sandbox, lead, wanted, actor))
  } catch (error) {
    if (error instanceof ConversionRefused) return { failure: error.failure }
    throw error
  }
}

function makeAll(sandbox: Sandbox, lead: CrmRecord, wanted: Conversion, actor: Actor): Converted {
  const at = wanted.at ?? storedInstant(sandbox.now())
  const by: Actor = { user: actor.user, source: 'convert' }
  const owner = wanted.owner ?? lead.owner

  const existingAccount = wanted.accountId ? findRecord(sandbox.store, 'Accounts', wanted.accountId) : undefined
  const account =
    existingAccount ??
    (lead.values['Company'] ? make(sandbox, 'Accounts', mapped(sandbox, lead, 'Accounts'), owner, by, at) : null)
  const existingContact = wanted.contactId ? findRecord(sandbox.store, 'Contacts', wanted.contactId) : undefined
  const links = { Account_Name: account?.id ?? null }
  const contact =
    existingContact ?? make(sandbox, 'Contacts', { ...mapped(sandbox, lead, 'Contacts'), ...links }, owner, by, at)
  if (wanted.overwrite) {
    if (existingAccount) overwrite(sandbox, existingAccount, mapped(sandbox, lead, 'Accounts'), by)
    if (existingContact) overwrite(sandbox, existingContact, { ...mapped(sandbox, lead, 'Contacts'), ...links }, by)
  }
  const dealValues = wanted.deal && {
    ...mapped(sandbox, lead, 'Deals'),
    ...links,
    Contact_Name: contact.id,
    Lead_Conversion_Time: daysBetween(lead.createdTime, at),
    ...wanted.deal,
  }
  const deal = dealValues ? make(sandbox, 'Deals', dealValues, owner, by, at) : null

  const behaviour = sandbox.behaviour()
  const converted: CrmRecord = {
    ...lead,
    converted: true,
    ...(behaviour.conversionBumpsModifiedTime ? { modifiedTime: at, modifiedBy: actor.user.id } : {}),
    values: {
      ...lead.values,
      Converted_Date_Time: at,
      Converted_Account: account?.id ?? null,
      Converted_Contact: contact.id,
      Converted_Deal: deal?.id ?? null,
    },
  }
  updateRow(sandbox.store, converted)
  recordInTimeline(sandbox, converted, by, { action: 'converted', at })
  if (behaviour.conversionFiresEdit) queueNotices(sandbox, converted, 'edit', { Converted__s: true })
  if (behaviour.conversionMovesNotes && deal) {
    for (const note of findNotesOf(sandbox, lead)) {
      updateRow(sandbox.store, { ...note, values: { ...note.values, Parent_Id: deal.id } })
    }
  }
  moveTasks(sandbox, lead, { deal, contact })
  moveAttachments(sandbox, lead, { deal, contact })
  return { account, contact, deal }
}

function make(sandbox: Sandbox, module: Target, values: Values, owner: string, by: Actor, at: string): CrmRecord {
  const written = createRecord(sandbox, { module, values, owner, at }, by, `$.data[0].${module}`)
  if (!written.ok) throw new ConversionRefused(written.failure)
  return written.record
}

function overwrite(sandbox: Sandbox, record: CrmRecord, values: Values, by: Actor) {
  const written = changeRecord(sandbox, record, { values }, by, '$.data[0]')
  if (!written.ok) throw new ConversionRefused(written.failure)
}

/** The lead's values under the field names of the target module. */
export function mapped(sandbox: Sandbox, lead: CrmRecord, target: Target): Values {
  const values: Values = {}
  for (const field of sandbox.fields.of(getModule('Leads')).fields) {
    const name = field.convertsTo?.[target]
    const value = lead.values[field.apiName]
    if (name !== undefined && value !== undefined && value !== null) values[name] = value
  }
  return values
}

function readConversion(sandbox: Sandbox, item: JsonObject): { conversion: Conversion } | { failure: Failure } {
  const conversion: Conversion = { overwrite: item['overwrite'] === true }
  for (const module of ['Accounts', 'Contacts'] as const) {
    const given = item[module]
    if (given === undefined || given === null) continue
    const id = isObject(given) ? given['id'] : undefined
    const path = { api_name: module, json_path: `$.data[0].${module}.id` }
    if (typeof id !== 'string' || !findRecord(sandbox.store, module, id)) {
      return { failure: failure('INVALID_DATA', path, 'invalid data') }
    }
    if (module === 'Accounts') conversion.accountId = id
    else conversion.contactId = id
  }
  const deal = item['Deals']
  if (deal !== undefined && deal !== null) {
    if (!isObject(deal)) {
      const details = { expected_data_type: 'jsonobject', api_name: 'Deals', json_path: '$.data[0].Deals' }
      return { failure: failure('INVALID_DATA', details, 'invalid data') }
    }
    if (deal['Closing_Date'] === undefined || deal['Closing_Date'] === null) {
      const details = { api_name: 'Closing_Date', json_path: '$.data[0].Deals.Closing_Date' }
      return { failure: failure('MANDATORY_NOT_FOUND', details, 'required field not found') }
    }
    const input = readInput(sandbox, sandbox.fields.of(getModule('Deals')), deal, '$.data[0].Deals', true)
    if (!input.ok) return input
    conversion.deal = input.values
  }
  const assignee = item['assign_to']
  if (isObject(assignee) && typeof assignee['id'] === 'string') conversion.owner = assignee['id']
  return { conversion }
}

function alreadyConverted(): ApiError {
  return new ApiError(400, 'ID_ALREADY_CONVERTED', { resource_path_index: 1 }, 'id already converted')
}

function findSame(sandbox: Sandbox, module: Target, field: string, value: unknown): CrmRecord[] {
  if (typeof value !== 'string') return []
  return selectRecords(
    sandbox.store,
    `WHERE r.module = ? AND (r.data ->> '$.${field}') = ? COLLATE NOCASE ORDER BY r.id LIMIT 10`,
    [module, value],
  )
}
