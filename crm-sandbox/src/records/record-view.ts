import type { Sandbox } from '../sandbox-context.ts'
import { displayValue } from '../settings/choices.ts'
import { allModules, type Field, findField, getModule, type Module } from '../settings/modules.ts'
import { findUser } from '../settings/people.ts'
import { textOrNull } from '../store.ts'
import { showInstant } from '../wire/times.ts'
import type { JsonObject } from '../wire/wire.ts'
import { type CrmRecord, findRecordAnywhere, type Value } from './records-table.ts'

/**
 * A record in the API's form, with its id and either the named fields or all fields. Fields that the module lacks are
 * left out.
 */
export function showRecord(sandbox: Sandbox, record: CrmRecord, fields?: readonly string[]): JsonObject {
  const module = sandbox.fields.of(getModule(record.module))
  const shown: JsonObject = { id: record.id }
  for (const name of fields ?? allNames(module)) {
    const value = showNamed(sandbox, module, record, name)
    if (value !== undefined) shown[name] = value
  }
  return shown
}

/** Converts one stored value to its form in an answer. */
export function showValue(sandbox: Sandbox, field: Field, value: Value): unknown {
  if (value === null) return null
  switch (field.type) {
    case 'datetime':
      return showInstant(String(value), sandbox.behaviour().timesOffset)
    case 'picklist':
      return sandbox.behaviour().recordsShow === 'actual' ? value : displayValue(field.choices ?? [], String(value))
    case 'ownerlookup':
      return showUser(String(value), true)
    case 'lookup':
      return field.apiName === 'Parent_Id' ? showParent(sandbox, String(value)) : showLookup(sandbox, String(value))
    default:
      return value
  }
}

export function showUser(id: string, withEmail: boolean): JsonObject {
  const user = findUser(id)
  return { name: user?.name ?? null, id, ...(withEmail ? { email: user?.email ?? null } : {}) }
}

/** The stored value of any field, including fields with their own column. */
export function rawValue(record: CrmRecord, field: Field): Value {
  switch (field.column) {
    case 'owner':
      return record.owner
    case 'created_by':
      return record.createdBy
    case 'modified_by':
      return record.modifiedBy
    case 'created_time':
      return record.createdTime
    case 'modified_time':
      return record.modifiedTime
    case 'converted':
      return record.converted
    default:
      return record.values[field.apiName] ?? (field.type === 'boolean' ? false : null)
  }
}

function showNamed(sandbox: Sandbox, module: Module, record: CrmRecord, name: string): unknown {
  const field = findField(module, name)
  if (field) return showValue(sandbox, field, rawValue(record, field))
  switch (name) {
    case 'Tag':
      return []
    case 'Record_Status__s':
      return 'Available'
    case '$approval_state':
      return 'approved'
    case '$editable':
      return !record.converted
    case '$state':
      return 'save'
    case '$in_merge':
    case '$locked_for_me':
      return false
    case '$currency_symbol':
      return 'A$'
    case '$converted':
      return module.name === 'Leads' ? record.converted : undefined
    case '$converted_detail':
      return module.name === 'Leads' ? convertedDetail(record) : undefined
    case '$se_module':
      return hasParent(module) ? findParentModule(sandbox, record)?.name : undefined
    default:
      return undefined
  }
}

function allNames(module: Module): string[] {
  const dollar = ['Tag', 'Record_Status__s', '$approval_state', '$editable', '$state', '$in_merge', '$currency_symbol']
  const own = module.name === 'Leads' ? ['$converted', '$converted_detail'] : hasParent(module) ? ['$se_module'] : []
  return [...module.fields.map((field) => field.apiName), ...dollar, ...own]
}

function convertedDetail(record: CrmRecord): JsonObject {
  if (!record.converted) return {}
  return {
    account: record.values['Converted_Account'] ?? null,
    contact: record.values['Converted_Contact'] ?? null,
    deal: record.values['Converted_Deal'] ?? null,
  }
}

function hasParent(module: Module): boolean {
  return module.name === 'Notes' || module.name === 'Tasks'
}

function findParentModule(sandbox: Sandbox, { values }: CrmRecord): Module | undefined {
  const parent = findRecordAnywhere(sandbox.store, String(values['Parent_Id'] ?? values['What_Id'] ?? values['Who_Id']))
  return parent && allModules().find((module) => module.name === parent.module)
}

function showLookup(sandbox: Sandbox, id: string): JsonObject | null {
  const { store } = sandbox
  const isKept = sandbox.behaviour().lookupsToDeleted === 'kept'
  const row =
    store.get('SELECT name FROM records WHERE id = ?', id) ??
    (isKept ? store.get('SELECT display_name AS name FROM deleted WHERE id = ?', id) : undefined)
  return row ? { name: textOrNull(row['name']), id } : null
}

function showParent(sandbox: Sandbox, id: string): JsonObject {
  const parent = findRecordAnywhere(sandbox.store, id)
  if (!parent) return { module: null, name: null, id }
  const module = getModule(parent.module)
  return { module: { api_name: module.name, id: module.id }, name: parent.name, id }
}
