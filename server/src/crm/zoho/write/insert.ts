import { CrmUnavailable } from '../../../platform/errors.ts'
import type { ArrivedRecord } from '../../../records/crm-records.ts'
import { itemRefusal, type WriteResult } from '../answers.ts'
import { writeRecords } from '../api.ts'
import { CrmPartnerGone, CrmRefused } from '../errors.ts'
import type { ZohoParts } from '../parts.ts'
import { readText } from '../wire.ts'
import { fitted, isContactRefused, PIPELINE_FIELD, type PushedFields, withoutNulls } from './fields.ts'

/** How long to look for a record after a lost answer. A repeated push looks again. */
const LOOK_MS_MAX = 5_000
/** The fields that need special treatment in a push. */
const OURS = new Set(['loid', 'lead_status', 'lead_source', 'partner_iso', 'stage', 'submitted_by', 'referral_consent'])

/** The module, and its fields, that records are inserted into. */
export interface Target {
  module: string
  fields: PushedFields
}

export interface Inserter {
  /** Looks up at most fifty LOIDs. Returns the CRM ids of the records with these LOIDs. */
  findByLoids(target: Target, loids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>>
  /** Also finds converted leads. */
  findLeadsByLoid(loids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>>
  /**
   * Inserts records in one call. Returns the arrived records by LOID, also if another push of the same record was faster.
   * To learn why a record is missing, push it alone.
   */
  insertMany(
    target: Target,
    records: readonly Record<string, unknown>[],
    signal?: AbortSignal,
  ): Promise<Map<string, ArrivedRecord>>
  /**
   * Makes the record with this LOID and returns the record's id. This function never updates a record, and the client
   * never repeats the call: after a lost answer the record may exist, and staff or a workflow may have changed it. So
   * after a lost answer this function looks for the record at once. A repeated push looks before it sends, and the CRM
   * should refuse a second lead or a second deal with the same LOID. `ifMissing` holds the values to send if Zoho
   * requires a field that the partner left out.
   */
  insertByLoid(
    target: Target,
    record: Record<string, unknown>,
    signal?: AbortSignal,
    ifMissing?: Record<string, string>,
  ): Promise<ArrivedRecord>
}

export function openInserter({ api, metadata, fieldMap: { leads } }: ZohoParts): Inserter {
  async function findByLoids(
    { module, fields }: Target,
    loids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, string>> {
    if (loids.length === 0) return new Map()
    const field = fields.loid
    const wanted = loids.map((loid) => `'${loid}'`).join(', ')
    const query = `select id, ${field} from ${module} where ${field} in (${wanted}) order by id desc limit 0, 200`
    return idsByLoid(await api.coql(query, signal), field)
  }

  async function findLeadsByLoid(loids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> {
    const found = await findByLoids(leads, loids, signal)
    const missing = loids.filter((loid) => !found.has(loid))
    if (missing.length === 0) return found
    const field = leads.fields.loid
    // Queries may hide a converted lead, and it could not be confirmed that Zoho refuses a second lead with the same
    // LOID.
    const criteria = `(${field}:in:${missing.join(',')})`
    const query = { criteria, converted: 'true', fields: `${field},Modified_Time` }
    const items = await api.items(`${leads.module}/search`, query, { signal })
    return new Map([...idsByLoid(items, field), ...found])
  }

  async function insertMany(
    { module, fields }: Target,
    records: readonly Record<string, unknown>[],
    signal?: AbortSignal,
  ): Promise<Map<string, ArrivedRecord>> {
    if (records.length === 0) return new Map()
    const settings = await metadata.fieldsOf(module, signal)
    const sent = records.map((record) => withoutNulls(fitted(record, settings, fields)))
    const results = await writeRecords(api, { method: 'POST', path: module, isRepeatable: false, signal }, sent)
    return new Map(
      results.flatMap((result, index) => {
        const loid = readText(sent[index], fields.loid)
        if (loid === null) return []
        if ('zohoId' in result) return [[loid, inserted(result)]]
        const there = idOfSameLoid(result, fields)
        return there === null ? [] : [[loid, wasThere(there)]]
      }),
    )
  }

  async function insertByLoid(
    { module, fields }: Target,
    record: Record<string, unknown>,
    signal?: AbortSignal,
    ifMissing: Record<string, string> = {},
  ): Promise<ArrivedRecord> {
    const call = { method: 'POST', path: module, isRepeatable: false, signal } as const
    let sent = withoutNulls(fitted(record, await metadata.fieldsOf(module, signal), fields))
    for (;;) {
      const written = await insertOnce(sent)
      if ('zoho_id' in written) return written
      const { result } = written
      if (!result) throw new CrmRefused('UNKNOWN', 'The CRM answered a write without a result.')
      if ('zohoId' in result) return inserted(result)
      const there = idOfSameLoid(result, fields)
      if (there !== null) return wasThere(there)
      const { code, field } = result
      if (code === 'INVALID_DATA' && field === fields.partner) {
        throw new CrmPartnerGone('The CRM has no record of this partner any more.')
      }
      const mended = mend(sent, result)
      if (!mended) throw itemRefusal(result, oursOf(fields))
      sent = mended
    }

    /**
     * Inserts the record. After a lost answer, looks for the record at once: by the time the push is repeated, staff
     * may have renamed and deleted the record.
     */
    async function insertOnce(data: Record<string, unknown>): Promise<ArrivedRecord | { result?: WriteResult }> {
      try {
        const [result] = await writeRecords(api, call, [data])
        return result ? { result } : {}
      } catch (error) {
        if (!(error instanceof CrmUnavailable)) throw error
        const loid = readText(data, fields.loid) ?? ''
        const timeout = AbortSignal.timeout(LOOK_MS_MAX)
        const found = await findByLoids(
          { module, fields },
          [loid],
          signal ? AbortSignal.any([signal, timeout]) : timeout,
        ).catch(() => new Map<string, string>())
        const there = found.get(loid)
        if (there === undefined) throw error
        return wasThere(there)
      }
    }

    /**
     * Corrects a refused record. Each correction is tried only once, because it removes the value that Zoho refused, or
     * adds the value that Zoho required.
     */
    function mend(was: Record<string, unknown>, { code, field }: { code: string; field: string | null }) {
      if (field === null) return undefined
      // The lender must get the record, but Zoho's pattern for email is narrower than the portal's, and an organisation
      // may allow each email or phone only once. So the refused value moves to the description.
      const isContact = field === fields.email || field === fields.phone
      if (isContactRefused(code) && isContact && field in was) return withContactInWords(was, field, fields.description)
      const value = ifMissing[field]
      if (code === 'MANDATORY_NOT_FOUND' && value !== undefined && !(field in was)) return { ...was, [field]: value }
      return undefined
    }
  }

  return { findByLoids, findLeadsByLoid, insertMany, insertByLoid }
}

function inserted({ zohoId, modifiedTime }: Extract<WriteResult, { zohoId: string }>): ArrivedRecord {
  return { zoho_id: zohoId, modified_time: modifiedTime }
}

export function wasThere(zohoId: string): ArrivedRecord {
  return { zoho_id: zohoId, modified_time: null }
}

/** The CRM's names of the fields that the portal fills in itself. */
function oursOf(fields: PushedFields): ReadonlySet<string> {
  const named = Object.entries(fields)
  return new Set([PIPELINE_FIELD, ...named.flatMap(([name, field]) => (OURS.has(name) ? field : []))])
}

/** If the CRM refused the record because another one has its LOID, the id of that one; otherwise null. */
function idOfSameLoid(
  { code, field, duplicateId }: Exclude<WriteResult, { zohoId: string }>,
  { loid }: Pick<PushedFields, 'loid'>,
): string | null {
  return code === 'DUPLICATE_DATA' && field === loid ? duplicateId : null
}

function withContactInWords(record: Record<string, unknown>, refused: string, description: string) {
  const { [refused]: value, ...rest } = record
  const words = [record[description], `${refused}: ${String(value)}`].filter((line) => typeof line === 'string')
  return { ...rest, [description]: words.join('\n\n') }
}

/**
 * The ids of the rows by LOID. If several rows have the same LOID, the id of the last such row is returned. The rows of
 * a search can also have LOIDs that merely contain the LOID that was searched for.
 */
function idsByLoid(rows: readonly unknown[], field: string): Map<string, string> {
  return new Map(
    rows.flatMap((row) => {
      const [loid, id] = [readText(row, field), readText(row, 'id')]
      return loid !== null && id !== null ? [[loid, id]] : []
    }),
  )
}
