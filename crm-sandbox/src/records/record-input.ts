import type { Sandbox } from '../sandbox-context.ts'
import { actualValue } from '../settings/choices.ts'
import { type Field, findField, type Module } from '../settings/modules.ts'
import { findUser } from '../settings/people.ts'
import { parseInstant, parsePlainDate } from '../wire/times.ts'
import { type Failure, failure, isObject, type JsonObject } from '../wire/wire.ts'
import { findRecord, findRecordAnywhere, type Value, type Values } from './records-table.ts'

export type Input = { ok: true; values: Values; owner: string | undefined } | { ok: false; failure: Failure }

/** `within` is the key of the wrong part, if only a part of the value is wrong. */
type Parsed = { value: Value } | { wrong: JsonObject; within?: string }

const EMAIL =
  /^[A-Za-z0-9](?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,63})@(?=.{4,256}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.[A-Za-z]{2,22}$/
const ANYTHING_WITH_AT = /^[^@]+@[^@]+$/
const PHONE = /^[0-9A-Za-z+\-.()/,;:#*\s]+$/
const WEBSITE = /^(?:https?:\/\/|ftp:\/\/)?[^\s.]+(?:\.[^\s.]+)+\S*$/i

/**
 * Checks one record of a request as Zoho does, and converts its values to the stored form. `path` is the record's
 * position in the request, such as `$.data[2]`. Fields that cannot be written are ignored.
 */
export function readInput(sandbox: Sandbox, module: Module, given: JsonObject, path: string, isNew: boolean): Input {
  const behaviour = sandbox.behaviour()
  const failures: Failure[] = []
  const values: Values = {}
  let owner: string | undefined

  for (const [name, raw] of Object.entries(given)) {
    const field = findField(module, name)
    if (!field) {
      const isSystemKey = name === 'id' || name === 'Tag' || name.startsWith('$')
      if (behaviour.unknownFields === 'refuse' && !isSystemKey) failures.push(invalid(place(path, name)))
      continue
    }
    if (field.readOnly) continue
    const parsed = parseValue(sandbox, field, raw)
    if ('wrong' in parsed) failures.push(invalid({ ...parsed.wrong, ...place(path, name, parsed.within) }))
    else if (field.apiName === 'Owner') owner = typeof parsed.value === 'string' ? parsed.value : undefined
    else values[name] = parsed.value
  }

  for (const field of module.fields) {
    if (isNew && behaviour.rulesRefuse.includes(`${module.name}.${field.apiName}`)) {
      failures.push(failure('FAILED_VALIDATION', place(path, field.apiName), 'a validation rule refuses the record'))
    }
    const isEnforced =
      behaviour.layoutMandatoryEnforced || behaviour.fieldsMandatory.includes(`${module.name}.${field.apiName}`)
    const required = field.mandatory || (isEnforced && field.layoutMandatory)
    if (!required || failures.some((one) => one.details['api_name'] === field.apiName)) continue
    const isAbsent = isNew ? (values[field.apiName] ?? null) === null : values[field.apiName] === null
    if (isAbsent) {
      const details = { api_name: field.apiName, json_path: `${path}.${field.apiName}` }
      failures.push(failure('MANDATORY_NOT_FOUND', details, 'required field not found'))
    }
  }

  const [first, second] = failures
  if (!first) return { ok: true, values, owner }
  if (!second) return { ok: false, failure: first }
  return {
    ok: false,
    failure: failure('MULTIPLE_OR_MULTI_ERRORS', { errors: failures }, 'Multiple errors in the request'),
  }
}

function place(path: string, name: string, within?: string): JsonObject {
  if (within === undefined) return { api_name: name, json_path: `${path}.${name}` }
  return { api_name: within, json_path: `${path}.${name}.${within}`, parent_api_name: name }
}

function parseValue(sandbox: Sandbox, field: Field, raw: unknown): Parsed {
  if (raw === null || raw === undefined) return { value: null }
  if (raw === '' && sandbox.behaviour().emptyStringIsNull) return { value: null }
  switch (field.type) {
    case 'boolean':
      return typeof raw === 'boolean' ? { value: raw } : expected('boolean')
    case 'currency':
      return isNumber(raw, 16) ? { value: raw } : expected('double')
    case 'integer':
      return isNumber(raw, 9) && Number.isInteger(raw) ? { value: raw } : expected('integer')
    case 'percent':
      return isNumber(raw, 5) ? { value: raw } : expected('double')
    case 'lookup':
      return parseLookup(sandbox, field, raw)
    case 'ownerlookup':
      return isObject(raw) && typeof raw['id'] === 'string' && findUser(raw['id'])
        ? { value: raw['id'] }
        : expected('jsonobject')
    default:
      return typeof raw === 'string' ? parseText(sandbox, field, raw) : expected(expectedText(field))
  }
}

function parseText(sandbox: Sandbox, field: Field, raw: string): Parsed {
  if (Array.from(raw).length > field.length) return { wrong: { maximum_length: field.length } }
  switch (field.type) {
    case 'email':
      return (sandbox.behaviour().emailRule === 'strict' ? EMAIL : ANYTHING_WITH_AT).test(raw)
        ? { value: raw }
        : expected('email')
    case 'phone':
      return PHONE.test(raw) ? { value: raw } : expected('phone')
    case 'website':
      return WEBSITE.test(raw) ? { value: raw } : expected('website')
    case 'date': {
      const date = parsePlainDate(raw)
      return date ? { value: date } : expected('date')
    }
    case 'datetime': {
      const instant = parseInstant(raw)
      return instant ? { value: instant } : expected('datetime')
    }
    case 'picklist':
      // Zoho stores even a value that is not in the picklist, so a client's typo becomes data.
      return { value: raw === '-None-' ? null : actualValue(field.choices ?? [], raw) }
    default:
      return { value: raw }
  }
}

function parseLookup(sandbox: Sandbox, field: Field, raw: unknown): Parsed {
  const id = isObject(raw) ? raw['id'] : undefined
  if (typeof id !== 'string') return expected('jsonobject')
  const found = field.lookup ? findRecord(sandbox.store, field.lookup, id) : findRecordAnywhere(sandbox.store, id)
  if (found) return { value: id }
  return sandbox.behaviour().lookupRefusalNames === 'id' ? { wrong: {}, within: 'id' } : { wrong: {} }
}

function expectedText(field: Field): string {
  return field.type === 'text' || field.type === 'textarea' || field.type === 'picklist' ? 'text' : field.type
}

function isNumber(raw: unknown, digitsBefore: number): raw is number {
  return typeof raw === 'number' && Number.isFinite(raw) && Math.abs(raw) < 10 ** digitsBefore
}

function expected(type: string): Parsed {
  return { wrong: { expected_data_type: type } }
}

function invalid(details: JsonObject): Failure {
  return failure('INVALID_DATA', details, 'invalid data')
}
