import type { FastifyReply } from 'fastify'

export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One of Zoho's error objects: the whole body of a refused request, or one item of a list of results. */
export type Failure = { code: string; details: JsonObject; message: string; status: 'error' }

export function failure(code: string, details: JsonObject, message: string): Failure {
  return { code, details, message, status: 'error' }
}

/** Thrown to refuse the whole request. */
export class ApiError extends Error {
  readonly status: number
  readonly failure: Failure

  constructor(status: number, code: string, details: JsonObject, message: string) {
    super(message)
    this.status = status
    this.failure = failure(code, details, message)
  }
}

type Success = {
  code: 'SUCCESS'
  details: JsonObject
  message: string
  status: 'success'
  /** Whether an upsert inserted or updated the record, and by which field it found the record. */
  action?: 'insert' | 'update'
  duplicate_field?: string | null
}

export type ItemResult = Success | Failure

/**
 * Sends per-item results in request order. The status is `allOk` if every item succeeded, 207 if some items did, and
 * 400 if no item did.
 */
export function sendItems(reply: FastifyReply, results: ItemResult[], allOk: 200 | 201, key = 'data') {
  const succeeded = results.filter((result) => result.status === 'success').length
  const status = succeeded === results.length ? allOk : succeeded > 0 ? 207 : 400
  return reply.code(status).send({ [key]: results })
}

/**
 * Reads the list under `key` of a request body. Refuses the whole request, as Zoho does, if the list is missing, empty,
 * of the wrong type or too long.
 */
export function bodyItems(body: unknown, key = 'data', maxItems = 100): JsonObject[] {
  const value = isObject(body) ? body[key] : undefined
  if (value === undefined || value === null) {
    throw new ApiError(400, 'MANDATORY_NOT_FOUND', { api_name: key, json_path: `$.${key}` }, 'required field not found')
  }
  const invalid = { expected_data_type: 'jsonarray', api_name: key, json_path: `$.${key}` }
  if (!Array.isArray(value) || value.length === 0) throw new ApiError(400, 'INVALID_DATA', invalid, 'invalid data')
  if (value.length > maxItems) {
    throw new ApiError(
      400,
      'LIMIT_EXCEEDED',
      { maximum_length: maxItems, api_name: key, json_path: `$.${key}` },
      'you have exceeded the maximum limit',
    )
  }
  const items: JsonObject[] = []
  for (const [index, item] of value.entries()) {
    if (!isObject(item)) {
      const details = { expected_data_type: 'jsonobject', api_name: key, json_path: `$.${key}[${index}]` }
      throw new ApiError(400, 'INVALID_DATA', details, 'invalid data')
    }
    items.push(item)
  }
  return items
}

export type Query = { [name: string]: string }

/**
 * Decodes a query string as Zoho does. A trailing `&` is ignored. A raw `+` is a space, except in a time's offset or an
 * email address, where some clients, such as Zoho's own SDK, send it unencoded.
 */
export function parseQuery(raw: string): Query {
  const query: Query = {}
  for (const pair of raw.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decode(cut < 0 ? pair : pair.slice(0, cut))
    const value = (cut < 0 ? '' : pair.slice(cut + 1))
      .replace(/\+(?=\d{2}(?::|%3A)?\d{2}(?:\D|$))/gi, '%2B')
      .replace(/\+(?=[^&(),:\s]*(?:@|%40))/gi, '%2B')
    query[name] = decode(value)
  }
  return query
}

function decode(value: string): string {
  const spaced = value.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
