import type { SQLInputValue } from 'node:sqlite'
import { findModule, type ModuleName } from '../settings/modules.ts'
import { number, type Row, type Store, text, textOrNull } from '../store.ts'

/** Lookups are kept as the other record's id, picklists as the actual value, instants in UTC. */
export type Value = string | number | boolean | null

export type Values = { [field: string]: Value }

export type CrmRecord = {
  id: string
  module: ModuleName
  name: string | null
  owner: string
  createdBy: string
  createdTime: string
  modifiedBy: string
  modifiedTime: string
  converted: boolean
  values: Values
}

const COLUMNS =
  'r.id, r.module, r.name, r.owner, r.created_by, r.created_time, r.modified_by, r.modified_time, r.converted, r.data'

export function findRecord(store: Store, module: ModuleName, id: string): CrmRecord | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM records r WHERE r.id = ? AND r.module = ?`, id, module)
  return row && fromRow(row)
}

/** The name of a record of any module. Null if the record is gone or has no name. */
export function findRecordName(store: Store, id: string): string | null {
  return textOrNull(store.get('SELECT name FROM records WHERE id = ?', id)?.['name'])
}

export function findRecordAnywhere(store: Store, id: string): CrmRecord | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM records r WHERE r.id = ?`, id)
  return row && fromRow(row)
}

/** `clause` follows `FROM records r`, so it can refer to the records as `r`. */
export function selectRecords(store: Store, clause: string, params: SQLInputValue[]): CrmRecord[] {
  return store.all(`SELECT ${COLUMNS} FROM records r ${clause}`, ...params).map(fromRow)
}

export function countRecords(store: Store, clause: string, params: SQLInputValue[]): number {
  return number(store.get(`SELECT count(*) AS n FROM records r ${clause}`, ...params)?.['n'])
}

export function insertRow(store: Store, record: CrmRecord) {
  store.run(
    `INSERT INTO records (id, module, name, owner, created_by, created_time, modified_by, modified_time, converted, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    record.module,
    record.name,
    record.owner,
    record.createdBy,
    record.createdTime,
    record.modifiedBy,
    record.modifiedTime,
    record.converted ? 1 : 0,
    JSON.stringify(record.values),
  )
}

export function updateRow(store: Store, record: CrmRecord) {
  store.run(
    `UPDATE records SET name = ?, owner = ?, modified_by = ?, modified_time = ?, converted = ?, data = ? WHERE id = ?`,
    record.name,
    record.owner,
    record.modifiedBy,
    record.modifiedTime,
    record.converted ? 1 : 0,
    JSON.stringify(record.values),
    record.id,
  )
}

export function removeRow(store: Store, id: string) {
  store.run('DELETE FROM records WHERE id = ?', id)
}

export function parseValues(json: string): Values {
  const parsed: unknown = JSON.parse(json)
  if (!isValues(parsed)) throw new TypeError('a stored record is not an object of plain values')
  return parsed
}

function isValues(value: unknown): value is Values {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one))
  )
}

function fromRow(row: Row): CrmRecord {
  const module = findModule(text(row['module']))
  if (!module) throw new TypeError(`unknown module ${text(row['module'])} in the store`)
  return {
    id: text(row['id']),
    module: module.name,
    name: textOrNull(row['name']),
    owner: text(row['owner']),
    createdBy: text(row['created_by']),
    createdTime: text(row['created_time']),
    modifiedBy: text(row['modified_by']),
    modifiedTime: text(row['modified_time']),
    converted: row['converted'] === 1,
    values: parseValues(text(row['data'])),
  }
}
