import type { FastifyInstance } from 'fastify'
import type { Behaviour } from '../faults/behaviour.ts'
import type { CustomFields, Sandbox } from '../sandbox-context.ts'
import type { Store } from '../store.ts'
import {
  ApiError,
  bodyItems,
  type Failure,
  failure,
  type ItemResult,
  isObject,
  type JsonObject,
  type Query,
  sendItems,
} from '../wire/wire.ts'
import { TASK_STATUSES } from './choices.ts'
import { type Field, findModule, getModule, isDataType, type Module, type ModuleName } from './modules.ts'

const FIELDS_A_CALL_MAX = 5
const LABEL_LENGTH_MAX = 25

/**
 * The present fields of the modules. Administrators may have deleted custom fields and made new fields. Switches say
 * which fields are unique, which picklist values are missing and which fields a conversion maps.
 */
export function openCustomFields(store: Store, behaviour: () => Readonly<Behaviour>): CustomFields {
  const changed = new Map<ModuleName, Module>()
  const stored = store.readSetting('fields')
  if (isObject(stored)) {
    for (const [name, fields] of Object.entries(stored)) {
      const module = findModule(name)
      if (module && isFields(fields)) changed.set(module.name, { ...module, fields })
    }
  }
  function save() {
    store.writeSetting('fields', Object.fromEntries([...changed].map(([name, { fields }]) => [name, fields])))
  }
  // Every record shown needs the fields, so they are kept until the switches or the fields change.
  const switched = new Map<ModuleName, Module>()
  let switchedBy = behaviour()
  return {
    of(module) {
      if (switchedBy !== behaviour()) {
        switched.clear()
        switchedBy = behaviour()
      }
      const known = switched.get(module.name)
      if (known) return known
      const { fields } = changed.get(module.name) ?? module
      const result = { ...module, fields: fields.map((field) => switchField(module, field, switchedBy)) }
      switched.set(module.name, result)
      return result
    },
    clear() {
      changed.clear()
      switched.clear()
      save()
    },
    change(module, edit) {
      const { fields } = changed.get(module.name) ?? getModule(module.name)
      changed.set(module.name, { ...getModule(module.name), fields: edit(fields) })
      switched.clear()
      save()
    },
  }
}

function switchField(module: Module, field: Field, behaviour: Readonly<Behaviour>): Field {
  const { choicesMissing, choicesRenamed, conversionMapsLoidAndPartner, leadEmailUnique, loidUnique } = behaviour
  const isIdentity = field.apiName === 'LOID' || field.apiName === 'Partner'
  const isUnmapped = (isIdentity && !conversionMapsLoidAndPartner) || behaviour.conversionLoses.includes(field.apiName)
  const { convertsTo, choices: known, ...rest } = field
  const isTaskStatus = module.name === 'Tasks' && field.apiName === 'Status'
  const choices = isTaskStatus ? TASK_STATUSES[behaviour.taskStatuses] : known
  const nameOf = (value: string) => choicesRenamed.find((one) => one.startsWith(`${value}=`))?.slice(value.length + 1)
  const isMandatory = behaviour.fieldsMandatory.includes(`${module.name}.${field.apiName}`)
  return {
    ...rest,
    unique:
      field.apiName === 'LOID'
        ? field.unique && loidUnique
        : field.unique || (leadEmailUnique && module.name === 'Leads' && field.apiName === 'Email'),
    layoutMandatory: field.layoutMandatory || isMandatory,
    ...(convertsTo && !isUnmapped && { convertsTo }),
    ...(choices && {
      choices: choices
        .filter((one) => !choicesMissing.includes(`${module.name}.${field.apiName}.${one.display}`))
        .map((one) => ({ ...one, display: nameOf(`${module.name}.${field.apiName}.${one.actual}`) ?? one.display })),
    }),
  }
}

type InModule = { Querystring: Query }

/** Makes and deletes custom fields. */
export function customFieldRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post<InModule>('/crm/v8/settings/fields', (request, reply) => {
    const module = moduleOfQuery(sandbox, request.query)
    const items = bodyItems(request.body, 'fields', FIELDS_A_CALL_MAX)
    const results = sandbox.store.transaction(() => {
      const drafts = items.map((item, index) => draftOf(module, item, `$.fields[${index}]`))
      const isRefused = drafts.some((draft) => 'failure' in draft)
      if (isRefused && sandbox.behaviour().fieldsMade === 'all-or-none') {
        return drafts.flatMap((draft) => ('failure' in draft ? [draft.failure] : []))
      }
      return drafts.map((draft) => ('failure' in draft ? draft.failure : make(sandbox, module, draft.draft)))
    })
    return sendItems(reply, results, 201, 'fields')
  })

  app.delete<InModule & { Params: { id: string } }>('/crm/v8/settings/fields/:id', (request) => {
    const module = moduleOfQuery(sandbox, request.query)
    const field = module.fields.find((one) => one.id === request.params.id)
    if (!field) {
      throw new ApiError(400, 'INVALID_DATA', { resource_path_index: 2 }, 'the id given seems to be invalid')
    }
    if (!field.custom)
      throw new ApiError(400, 'NOT_ALLOWED', { resource_path_index: 2 }, 'a system field cannot be deleted')
    sandbox.store.transaction(() => {
      sandbox.fields.change(module, (fields) => fields.filter((one) => one.id !== field.id))
      sandbox.store.run(
        `UPDATE records SET data = json_remove(data, '$.${field.apiName}') WHERE module = ?`,
        module.name,
      )
    })
    return { fields: [success(field.id, 'custom field deleted')] }
  })
}

function moduleOfQuery(sandbox: Sandbox, query: Query): Module {
  const name = query['module']
  if (!name) {
    const text = 'One of the expected parameter is missing'
    throw new ApiError(400, 'REQUIRED_PARAM_MISSING', { param_name: 'module' }, text)
  }
  const module = findModule(name)
  if (!module) throw new ApiError(400, 'INVALID_MODULE', {}, 'the module name given seems to be invalid')
  return sandbox.fields.of(module)
}

type Draft = Omit<Field, 'id' | 'apiName'>

function draftOf(module: Module, item: JsonObject, path: string): { draft: Draft } | { failure: Failure } {
  const { field_label: label, data_type: type, length, lookup, unique, pick_list_values: choices } = item
  const wrong = (code: string, api_name: string, message: string, more: JsonObject = {}) => ({
    failure: failure(code, { api_name, json_path: `${path}.${api_name}`, ...more }, message),
  })
  if (label === undefined || label === '')
    return wrong('MANDATORY_NOT_FOUND', 'field_label', 'required field not found')
  if (typeof label !== 'string' || label.length > LABEL_LENGTH_MAX) {
    return wrong('INVALID_DATA', 'field_label', 'invalid data', { maximum_length: LABEL_LENGTH_MAX })
  }
  if (module.fields.some((field) => field.label.toLowerCase() === label.toLowerCase())) {
    return wrong('DUPLICATE_DATA', 'field_label', 'duplicate data')
  }
  if (type === undefined) return wrong('MANDATORY_NOT_FOUND', 'data_type', 'required field not found')
  if (typeof type !== 'string' || !isDataType(type)) return wrong('INVALID_DATA', 'data_type', 'invalid data')
  if (type === 'picklist' && !isChoices(choices)) {
    return wrong('MANDATORY_NOT_FOUND', 'pick_list_values', 'required field not found')
  }
  const target = isObject(lookup) && isObject(lookup['module']) ? String(lookup['module']['api_name']) : ''
  const targetModule = findModule(target)
  if (type === 'lookup' && !targetModule) {
    return wrong(target === '' ? 'MANDATORY_NOT_FOUND' : 'INVALID_DATA', 'lookup', 'invalid data')
  }
  return {
    draft: {
      label,
      type,
      length: typeof length === 'number' ? length : (LENGTHS[type] ?? 120),
      mandatory: false,
      layoutMandatory: false,
      readOnly: false,
      custom: true,
      unique: isObject(unique),
      ...(isChoices(choices) && {
        choices: choices.map((one) => ({
          display: one.display_value,
          actual: one.actual_value,
          colour: '#57b1fd',
        })),
      }),
      ...(type === 'lookup' && targetModule && { lookup: targetModule.name }),
    },
  }
}

const LENGTHS: { [type: string]: number } = { textarea: 2_000, email: 100, phone: 30, website: 450, text: 255 }

function make(sandbox: Sandbox, module: Module, draft: Draft): ItemResult {
  const { fields } = sandbox.fields.of(module)
  const apiName = apiNameOf(fields, draft.label)
  // A field that the organisation began with keeps its conversion mapping if it is deleted and made again with the same
  // type. Staff would have to map any other new field.
  const before = getModule(module.name).fields.find((field) => field.apiName === apiName)
  const convertsTo = before?.type === draft.type ? before.convertsTo : undefined
  const field: Field = { id: sandbox.store.nextId(), apiName, ...draft, ...(convertsTo && { convertsTo }) }
  sandbox.fields.change(module, (all) => [...all, field])
  return success(field.id, 'custom field created')
}

/** `Loan Purpose` becomes `Loan_Purpose`, or `Loan_Purpose1` if that name is taken. */
function apiNameOf(fields: readonly Field[], label: string): string {
  const name = label.trim().replace(/[^A-Za-z0-9]+/g, '_')
  const isTaken = (candidate: string) => fields.some((field) => field.apiName === candidate)
  for (let digit = 0; ; digit++) {
    const candidate = digit === 0 ? name : `${name}${digit}`
    if (!isTaken(candidate)) return candidate
  }
}

function success(id: string, message: string): ItemResult {
  return { code: 'SUCCESS', details: { id }, message, status: 'success' }
}

type WireChoice = { display_value: string; actual_value: string }

function isChoices(value: unknown): value is WireChoice[] {
  const isChoice = (one: unknown) =>
    isObject(one) && typeof one['display_value'] === 'string' && typeof one['actual_value'] === 'string'
  return Array.isArray(value) && value.length > 0 && value.every(isChoice)
}

function isFields(value: unknown): value is Field[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && typeof one['apiName'] === 'string')
}
