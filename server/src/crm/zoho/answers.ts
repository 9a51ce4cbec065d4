import * as z from 'zod/mini'
import { CrmUnavailable } from '../../platform/errors.ts'
import { errorCode, type ZohoAnswer } from './client.ts'
import { CrmForbidden, CrmRefused } from './errors.ts'
import { ZohoId, ZohoInstant } from './wire-values.ts'

/**
 * The codes of refusals that are not about the data. A later try can succeed, because the record or the portal's rights
 * can change.
 */
const PASSING_CODES = new Set(['RECORD_LOCKED', 'NOT_APPROVED', 'RECORD_IN_BLUEPRINT', 'NO_PERMISSION'])

/** Zoho's answer for one item of a write. */
export type WriteResult =
  | { zohoId: string; modifiedTime: string | null }
  | { code: string; field: string | null; duplicateId: string | null; message: string }

const Success = z.object({
  status: z.literal('success'),
  details: z.object({ id: ZohoId, Modified_Time: z.catch(z.nullable(ZohoInstant), null) }),
})

const Failure = z.object({
  code: z.string(),
  message: z.catch(z.string(), ''),
  details: z.catch(
    z.object({
      api_name: z.nullish(z.string()),
      parent_api_name: z.nullish(z.string()),
      id: z.nullish(ZohoId),
      errors: z.nullish(z.array(z.unknown())),
    }),
    {},
  ),
})

const Items = z.array(z.unknown())

/**
 * Reads the results of a write, in the order in which the items were sent. Throws if the request was refused as a
 * whole.
 */
export function readResults(answer: ZohoAnswer, key = 'data'): WriteResult[] {
  const items = Items.safeParse(z.record(z.string(), z.unknown()).safeParse(answer.body).data?.[key])
  if (!items.success) throw refusal(answer)
  return items.data.map(readResult)
}

function readResult(item: unknown): WriteResult {
  const success = Success.safeParse(item)
  if (success.success) {
    const { id, Modified_Time } = success.data.details
    return { zohoId: id, modifiedTime: Modified_Time }
  }
  const failure = Failure.safeParse(item)
  if (!failure.success) return { code: 'UNKNOWN', field: null, duplicateId: null, message: 'an unreadable answer' }
  const { code, message, details } = failure.data
  const [first] = details.errors ?? []
  if (first !== undefined) return readResult(first)
  // If Zoho refuses a lookup, it can give `id` as the field's name, and the lookup's own name as the parent's name.
  const field = details.parent_api_name ?? details.api_name ?? null
  return { code, field, duplicateId: details.id ?? null, message }
}

/** The id of the one record that was written. Throws if the record was refused. */
export function writtenId(result: WriteResult | undefined): string {
  if (result && 'zohoId' in result) return result.zohoId
  throw result ? itemRefusal(result) : new CrmRefused('UNKNOWN', 'The CRM answered a write without a result.')
}

/**
 * The error to throw for one refused item. Its text is for the partner: the text names the field, never the value. `ours`
 * are fields whose content is the portal's, so that the partner cannot mend it.
 */
export function itemRefusal(
  { field, ...result }: Exclude<WriteResult, { zohoId: string }>,
  ours: ReadonlySet<string> = new Set(),
): Error {
  const text = refusalText({ field, ...result })
  if (PASSING_CODES.has(result.code)) return new CrmUnavailable(text)
  return new CrmRefused(result.code, text, field !== null && ours.has(field) ? null : field)
}

function refusalText({ code, field, message }: Exclude<WriteResult, { zohoId: string }>): string {
  const name = field?.replaceAll('_', ' ')
  if (name && code === 'INVALID_DATA') return `The CRM does not accept the content of ${name}.`
  if (name && code === 'DUPLICATE_DATA') return `The CRM has another record with the same ${name}.`
  if (name && code === 'MANDATORY_NOT_FOUND') return `The CRM requires ${name}, which is empty.`
  return `The CRM refused the record: ${[code, name && `(${name})`, message].filter(Boolean).join(' ')}`
}

/** The error to throw for a request that was refused as a whole. */
export function refusal(answer: ZohoAnswer): Error {
  const code = errorCode(answer.body)
  const text = `The CRM refused the request: HTTP ${answer.status} ${code}`
  if (answer.status === 403) return new CrmForbidden(text)
  return PASSING_CODES.has(code) ? new CrmUnavailable(text) : new CrmRefused(code, text)
}

/**
 * Whether no record has the requested id. Zoho then answers without content, with 404, or with the claim that the id is
 * invalid.
 */
export function isMissing(answer: ZohoAnswer): boolean {
  if (answer.status === 204 || answer.status === 404) return true
  return answer.status === 400 && errorCode(answer.body) === 'INVALID_DATA'
}

/** Whether an answer is about the record's fields and not about its id. */
export function isItemAnswer(answer: ZohoAnswer): boolean {
  return z.object({ data: z.array(z.unknown()) }).safeParse(answer.body).success
}

/**
 * Whether Zoho refused to update an item because no record has its id. Zoho's message decides, because it could not be
 * confirmed which details Zoho gives.
 */
export function isInvalidId({ code, message }: Exclude<WriteResult, { zohoId: string }>): boolean {
  return code === 'INVALID_DATA' && message.toLowerCase() === 'the id given seems to be invalid'
}
