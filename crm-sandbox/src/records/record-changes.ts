import { queueNotices } from '../notifications/notices.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { DEAL_STAGES, ON_CREATION } from '../settings/choices.ts'
import { allModules, findField, getModule, type Module, type ModuleName } from '../settings/modules.ts'
import type { Actor } from '../settings/people.ts'
import { text } from '../store.ts'
import { storedInstant } from '../wire/times.ts'
import { type Failure, failure, isObject } from '../wire/wire.ts'
import { rawValue, showUser, showValue } from './record-view.ts'
import { type CrmRecord, insertRow, removeRow, selectRecords, updateRow, type Values } from './records-table.ts'
import { recordStage } from './stage-history.ts'
import { taskStatus } from './tasks.ts'
import { type FieldChange, recordInTimeline } from './timeline.ts'

export type Written = { ok: true; record: CrmRecord } | { ok: false; failure: Failure }

export type NewRecord = {
  module: ModuleName
  values: Values
  owner?: string | undefined
  /** The time of creation. If absent, the record is created now. */
  at?: string
  /** True if the request turns automations off. */
  skipsWorkflows?: boolean
}

/** Adds a record with its first lines of history and its notifications. Call it within a transaction. */
export function createRecord(sandbox: Sandbox, wanted: NewRecord, actor: Actor, path: string): Written {
  const module = sandbox.fields.of(getModule(wanted.module))
  const duplicate = findDuplicate(sandbox, module, wanted.values, undefined, path)
  if (duplicate) return { ok: false, failure: duplicate }

  const record = buildRecord(sandbox, module, wanted, actor)
  const at = record.createdTime
  insertRow(sandbox.store, record)
  if (module.name === 'Notes') noteAdded(sandbox, record, actor)
  else recordInTimeline(sandbox, record, actor, { action: 'added', at })
  if (module.name === 'Deals') recordStage(sandbox, record, actor, at)
  queueNotices(sandbox, record, 'create', {})
  return wanted.skipsWorkflows ? { ok: true, record } : runWorkflow(sandbox, record, actor)
}

/** A new record that is not stored yet. */
export function buildRecord(sandbox: Sandbox, module: Module, wanted: NewRecord, actor: Actor): CrmRecord {
  const at = wanted.at ?? storedInstant(sandbox.now())
  const values = { ...wanted.values }
  if (module.name === 'Deals') values['Pipeline'] ??= 'Standard (Standard)'
  deriveValues(sandbox, module, values, values)
  return {
    id: sandbox.store.nextId(),
    module: module.name,
    name: recordName(module, values),
    owner: wanted.owner ?? actor.user.id,
    createdBy: actor.user.id,
    createdTime: at,
    modifiedBy: actor.user.id,
    modifiedTime: at,
    converted: false,
    values,
  }
}

/** Runs the organisation's workflow for new records, on behalf of the user who made the record. */
function runWorkflow(sandbox: Sandbox, record: CrmRecord, { user }: Actor): Written {
  const values = ON_CREATION[record.module]
  if (!values || !sandbox.behaviour().workflowOnCreation) return { ok: true, record }
  return changeRecord(sandbox, record, { values, at: record.createdTime }, { user, source: 'workflow' }, '$')
}

/**
 * Replaces the given values of a record, and the values that follow from them. Other values stay. Call it within a
 * transaction.
 */
export function changeRecord(
  sandbox: Sandbox,
  record: CrmRecord,
  wanted: { values: Values; owner?: string | undefined; at?: string },
  actor: Actor,
  path: string,
): Written {
  const module = sandbox.fields.of(getModule(record.module))
  if (record.converted) {
    return { ok: false, failure: failure('CONVERTED_RECORD', {}, "can't update the converted record") }
  }
  const duplicate = findDuplicate(sandbox, module, wanted.values, record.id, path)
  if (duplicate) return { ok: false, failure: duplicate }

  const at = wanted.at ?? storedInstant(sandbox.now())
  const values = { ...record.values, ...wanted.values }
  deriveValues(sandbox, module, values, wanted.values)
  const changed: CrmRecord = {
    ...record,
    name: recordName(module, values),
    owner: wanted.owner ?? record.owner,
    modifiedBy: actor.user.id,
    modifiedTime: at,
    values,
  }
  updateRow(sandbox.store, changed)
  const changes = compare(module, record, changed)
  if (changes.length > 0) {
    if (module.name !== 'Notes') recordInTimeline(sandbox, changed, actor, { action: 'updated', changes, at })
    queueNotices(sandbox, changed, 'edit', showChanges(sandbox, module, changes))
  }
  const addsStageRow =
    changes.some((one) => one.field === 'Stage') ||
    (sandbox.behaviour().stageHistoryOnAmountEdit && changes.some((one) => one.field === 'Amount'))
  if (module.name === 'Deals' && addsStageRow) recordStage(sandbox, changed, actor, at)
  const isCompleted = module.name === 'Tasks' && changes.some((one) => one.new === taskStatus(sandbox, 'accepted'))
  if (isCompleted && sandbox.behaviour().completedTasksRecur) addNextTask(sandbox, changed, actor)
  return { ok: true, record: changed }
}

/** The next task of a series is due a month after the completed one. */
function addNextTask(sandbox: Sandbox, { values }: CrmRecord, actor: Actor) {
  const due = values['Due_Date']
  const date = typeof due === 'string' ? new Date(due) : undefined
  date?.setUTCMonth(date.getUTCMonth() + 1)
  const next = {
    Status: taskStatus(sandbox, 'asked'),
    Closed_Time: null,
    Due_Date: date?.toISOString().slice(0, 10) ?? null,
  }
  createRecord(sandbox, { module: 'Tasks', values: { ...values, ...next } }, actor, '$')
}

/** Moves a record and its notes to the recycle bin. Call it within a transaction. */
export function deleteRecord(sandbox: Sandbox, record: CrmRecord, actor: Actor) {
  const { store } = sandbox
  for (const note of findNotesOf(sandbox, record)) deleteRecord(sandbox, note, actor)
  removeRow(store, record.id)
  if (sandbox.behaviour().lookupsToDeleted === 'lost') emptyLookups(sandbox, record)
  store.run(
    `INSERT INTO deleted (id, module, display_name, type, deleted_time, deleted_by, record)
     VALUES (?, ?, ?, 'recycle', ?, ?, ?)`,
    record.id,
    record.module,
    record.name,
    storedInstant(sandbox.now()),
    actor.user.id,
    JSON.stringify(record),
  )
  queueNotices(sandbox, record, 'delete', {})
}

/** Empties the lookups that name a record, without changing the time of their records. A lead goes on naming its deal. */
function emptyLookups(sandbox: Sandbox, { id, module }: CrmRecord) {
  for (const { name, fields } of allModules()) {
    for (const { apiName } of fields.filter((field) => field.lookup === module && !field.readOnly)) {
      sandbox.store.run(
        `UPDATE records SET data = json_set(data, '$.${apiName}', NULL) WHERE module = ? AND (data ->> '$.${apiName}') = ?`,
        name,
        id,
      )
    }
  }
}

/**
 * Restores a record from the recycle bin, with its old id and its deleted notes. Returns false if the record is not in
 * the bin.
 */
export function restoreRecord(sandbox: Sandbox, id: string, actor: Actor): boolean {
  const { store } = sandbox
  return store.transaction(() => {
    const row = store.get("SELECT record FROM deleted WHERE id = ? AND type = 'recycle'", id)
    if (!row) return false
    const kept: unknown = JSON.parse(text(row['record']))
    if (!isCrmRecord(kept)) throw new TypeError('the recycle bin holds something that is not a record')
    const record = { ...kept, modifiedTime: storedInstant(sandbox.now()), modifiedBy: actor.user.id }
    store.run('DELETE FROM deleted WHERE id = ?', id)
    insertRow(store, record)
    updateRow(store, record)
    if (record.module !== 'Notes') recordInTimeline(sandbox, record, actor, { action: 'restored' })
    queueNotices(sandbox, record, 'create', {})
    const notes = store.all("SELECT id FROM deleted WHERE module = 'Notes' AND record ->> '$.values.Parent_Id' = ?", id)
    for (const note of notes) restoreRecord(sandbox, text(note['id']), actor)
    return true
  })
}

export function findNotesOf(sandbox: Sandbox, parent: CrmRecord): CrmRecord[] {
  return selectRecords(sandbox.store, "WHERE r.module = 'Notes' AND r.data ->> '$.Parent_Id' = ? ORDER BY r.id", [
    parent.id,
  ])
}

function noteAdded(sandbox: Sandbox, note: CrmRecord, actor: Actor) {
  const parent = findParent(sandbox, String(note.values['Parent_Id']))
  if (!parent) return
  const behaviour = sandbox.behaviour()
  if (behaviour.timelineShowsNotes) {
    const relatedRecord = { module: 'Notes', id: note.id, name: note.name }
    recordInTimeline(sandbox, parent, actor, { action: 'added', relatedRecord, at: note.createdTime })
  }
  if (behaviour.noteBumpsParent) updateRow(sandbox.store, { ...parent, modifiedTime: note.createdTime })
}

function findParent(sandbox: Sandbox, id: string): CrmRecord | undefined {
  return selectRecords(sandbox.store, "WHERE r.id = ? AND r.module <> 'Notes'", [id])[0]
}

function findDuplicate(
  sandbox: Sandbox,
  module: Module,
  values: Values,
  ownId: string | undefined,
  path: string,
): Failure | undefined {
  for (const field of module.fields) {
    const value = values[field.apiName]
    if (!field.unique || value === null || value === undefined) continue
    const [other] = selectRecords(
      sandbox.store,
      `WHERE r.module = ? AND (r.data ->> '$.${field.apiName}') = ? COLLATE NOCASE AND r.id <> ? LIMIT 1`,
      [module.name, String(value), ownId ?? ''],
    )
    if (other) return duplicateOf(other, field.apiName, path)
  }
  return undefined
}

export function duplicateOf(other: CrmRecord, apiName: string, path: string): Failure {
  const module = getModule(other.module)
  const details = {
    api_name: apiName,
    json_path: `${path}.${apiName}`,
    id: other.id,
    duplicate_record: {
      id: other.id,
      Owner: { ...showUser(other.owner, false), zuid: other.owner },
      module: { api_name: module.name, id: module.id },
    },
    more_records: false,
  }
  return failure('DUPLICATE_DATA', details, 'duplicate data')
}

function recordName(module: Module, values: Values): string | null {
  const name = values[module.nameField]
  return typeof name === 'string' ? name : null
}

/**
 * Fills in the values that follow from other fields. `given` holds the values of this write. If this write sets a
 * probability, the stage does not change the probability.
 */
function deriveValues(sandbox: Sandbox, module: Module, values: Values, given: Values) {
  if (module.nameField === 'Full_Name') {
    const names = [values['First_Name'], values['Last_Name']]
    values['Full_Name'] = names.filter((name) => typeof name === 'string' && name !== '').join(' ')
  }
  if (module.name === 'Tasks' && given['Status'] !== undefined) {
    values['Closed_Time'] = given['Status'] === taskStatus(sandbox, 'accepted') ? storedInstant(Date.now()) : null
  }
  if (module.name !== 'Deals') return
  const stage = DEAL_STAGES.find((one) => one.actual === given['Stage'])
  if (stage?.probability !== undefined && given['Probability'] === undefined) values['Probability'] = stage.probability
  const { Amount: amount, Probability: probability } = values
  values['Expected_Revenue'] =
    typeof amount === 'number' && typeof probability === 'number' ? (amount * probability) / 100 : null
}

function compare(module: Module, before: CrmRecord, after: CrmRecord): FieldChange[] {
  const changes: FieldChange[] = []
  for (const field of module.fields) {
    if (field.readOnly) continue
    const old = rawValue(before, field)
    const now = rawValue(after, field)
    if (old !== now) changes.push({ field: field.apiName, old, new: now })
  }
  return changes
}

function showChanges(sandbox: Sandbox, module: Module, changes: FieldChange[]): { [field: string]: unknown } {
  return Object.fromEntries(
    changes.map((change) => {
      const field = findField(module, change.field)
      return [change.field, field ? showValue(sandbox, field, change.new) : change.new]
    }),
  )
}

function isCrmRecord(value: unknown): value is CrmRecord {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['createdTime'] === 'string' &&
    isObject(value['values'])
  )
}
