import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sandbox } from '../sandbox-context.ts'
import { parseInstant, showInstant, storedInstant } from './times.ts'
import { ApiError, isObject, type JsonObject, type Query } from './wire.ts'

const FIELDS_MAX = 50
const PER_PAGE_MAX = 200
const DISCRETE_RECORDS_MAX = 2_000
const TOKEN_RECORDS_MAX = 100_000
const TOKEN_LIFETIME_MS = 24 * 3_600_000

export type Page = { perPage: number; page: number; offset: number }

/** A position between pages: just past the record with this sort value and id, forwards or backwards. */
export type WalkPosition = { backwards: boolean; page: number; sortValue: string; id: string }

/** Reads the parameter `fields`, which is required for lists of records, notes and stage histories. */
export function readFields(query: Query): string[] {
  const given = query['fields']
  if (given === undefined || given.trim() === '') {
    throw new ApiError(
      400,
      'REQUIRED_PARAM_MISSING',
      { param_name: 'fields' },
      'One of the expected parameter is missing',
    )
  }
  const fields = given
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  if (fields.length > FIELDS_MAX) {
    const details = { limit: FIELDS_MAX, param_name: 'fields' }
    throw new ApiError(400, 'LIMIT_EXCEEDED', details, 'maximum number of fields exceeded')
  }
  return fields
}

export function readPerPage(query: Query): number {
  return readWhole(query, 'per_page', PER_PAGE_MAX, PER_PAGE_MAX)
}

/** Reads a page number. Page numbers reach only the first `recordsMax` records. */
export function readPage(query: Query, recordsMax = DISCRETE_RECORDS_MAX): Page {
  const perPage = readPerPage(query)
  const page = readWhole(query, 'page', 1, Number.MAX_SAFE_INTEGER)
  if (page * perPage > recordsMax) {
    throw new ApiError(
      400,
      'DISCRETE_PAGINATION_LIMIT_EXCEEDED',
      { limit: recordsMax },
      `You can only get the first ${recordsMax} records without using page_token param`,
    )
  }
  return { perPage, page, offset: (page - 1) * perPage }
}

export function pageInfo(page: Page, count: number, hasMore: boolean): JsonObject {
  return {
    per_page: page.perPage,
    count,
    page: page.page,
    more_records: hasMore,
    next_page_token: null,
    previous_page_token: null,
    page_token_expiry: null,
  }
}

export function readModifiedSince(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const instant = typeof header === 'string' ? parseInstant(header) : undefined
  if (instant) return instant
  throw new ApiError(
    400,
    'INVALID_DATA',
    { header_name: 'If-Modified-Since', expected_data_type: 'datetime' },
    'invalid data',
  )
}

/**
 * Page tokens contain their position and are signed, so they outlive a restart without being stored. `bound` holds the
 * parameters that the token is bound to. Zoho refuses the token if one of them differs in the request.
 */
export function pageTokens(sandbox: Sandbox) {
  const secret = tokenSecret(sandbox)

  function sign(payload: string): string {
    return createHmac('sha256', secret).update(payload).digest('base64url')
  }

  return {
    issue(position: WalkPosition, bound: string): string {
      const payload = Buffer.from(
        JSON.stringify({ ...position, bound: digest(bound), expires: sandbox.now() + TOKEN_LIFETIME_MS }),
      ).toString('base64url')
      return `${payload}.${sign(payload)}`
    },

    expiry(): string {
      return showInstant(storedInstant(sandbox.now() + TOKEN_LIFETIME_MS), sandbox.behaviour().timesOffset)
    },

    read(token: string, bound: string, perPage: number): WalkPosition {
      const [payload = '', signature = ''] = token.split('.')
      const wanted = Buffer.from(sign(payload))
      const given = Buffer.from(signature)
      if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) throw invalidToken()
      const parsed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
      if (!isObject(parsed)) throw invalidToken()
      const { backwards, page, sortValue, id, expires } = parsed
      if (
        typeof backwards !== 'boolean' ||
        typeof page !== 'number' ||
        typeof sortValue !== 'string' ||
        typeof id !== 'string' ||
        typeof expires !== 'number'
      ) {
        throw invalidToken()
      }
      if (expires <= sandbox.now()) {
        const details = { api_name: 'page_token', json_path: '$.query.page_token' }
        throw new ApiError(400, 'EXPIRED_VALUE', details, 'Page token expired')
      }
      if (parsed['bound'] !== digest(bound)) {
        const details = { param_name: 'page_token' }
        throw new ApiError(400, 'TOKEN_BOUND_DATA_MISMATCH', details, 'Data bound to the page token does not match')
      }
      if (page * perPage > TOKEN_RECORDS_MAX) {
        const details = { param_name: 'page_token' }
        throw new ApiError(400, 'PAGINATION_LIMIT_EXCEEDED', details, 'You can only get the first 100000 records')
      }
      return { backwards, page, sortValue, id }
    },
  }
}

function readWhole(query: Query, name: string, fallback: number, max: number): number {
  const given = query[name]
  if (given === undefined || given === '') return fallback
  const value = /^\d{1,9}$/.test(given) ? Number(given) : 0
  if (value < 1 || value > max) throw new ApiError(400, 'INVALID_DATA', { param_name: name }, 'invalid data')
  return value
}

function tokenSecret(sandbox: Sandbox): string {
  const known = sandbox.store.readSetting('pageTokenSecret')
  if (typeof known === 'string') return known
  const secret = randomBytes(32).toString('base64url')
  sandbox.store.writeSetting('pageTokenSecret', secret)
  return secret
}

function digest(bound: string): string {
  return createHmac('sha256', 'bound').update(bound).digest('base64url').slice(0, 22)
}

function invalidToken(): ApiError {
  return new ApiError(400, 'INVALID_DATA', { param_name: 'page_token' }, 'invalid data')
}
