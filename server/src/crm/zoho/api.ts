import * as z from 'zod/mini'
import { chunksOf } from '../../platform/chunks-of.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { isMissing, readResults, refusal, type WriteResult, writtenId } from './answers.ts'
import type { FileToSend, ZohoAnswer, ZohoCall, ZohoClient } from './client.ts'

export type WriteCall = Omit<ZohoCall, 'method' | 'body'> & { method: 'POST' | 'PUT' }

/**
 * The kinds of calls that the portal makes to Zoho. Every call can throw `CrmUnavailable`, and stops when `signal`
 * aborts.
 */
export interface ZohoApi {
  /** Returns the answer, even if Zoho refused the request. */
  get(path: string, query: Record<string, string>, options?: GetOptions): Promise<ZohoAnswer>
  /** Returns the items of an answer that is not a refusal, and not those of later pages. */
  items(path: string, query: Record<string, string>, options?: ListOptions): Promise<unknown[]>
  write(call: WriteCall & { body: object }): Promise<ZohoAnswer>
  remove(path: string, signal?: AbortSignal, attemptsMax?: number): Promise<ZohoAnswer>
  /** Sends a file. It is not sent again if its answer is lost. */
  upload(path: string, file: FileToSend, signal?: AbortSignal): Promise<ZohoAnswer>
  /** The answer's body is the file as a stream, if the status is 200. */
  open(path: string, signal?: AbortSignal): Promise<ZohoAnswer>
  /** Returns the rows of one query. The query itself limits their number. */
  coql(query: string, signal?: AbortSignal): Promise<unknown[]>
  /**
   * Yields the pages of a listing, and fetches each page only when it is needed. Follows page tokens if Zoho sends
   * them, and page numbers otherwise. Yields nothing if the record that `path` names does not exist, and one empty page
   * if the list is empty.
   */
  pages(path: string, query: Record<string, string>, options?: PagesOptions): AsyncIterable<unknown[]>
}

interface GetOptions {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
}

interface ListOptions extends GetOptions {
  /** The key of the items in the answer. If absent, it is `data`. */
  key?: string
}

interface PagesOptions extends ListOptions {
  /** False if Zoho refuses a page size together with a token. */
  sizeWithToken?: boolean
}

/** One call reads or writes at most this many records by their ids. */
export const RECORDS_A_CALL_MAX = 100
const PAGE_SIZE = 200
/** Zoho ends a listing at 100,000 records. A server that sends twice as many is repeating itself. */
const PAGES_MAX = 1_000

export function openApi(client: ZohoClient): ZohoApi {
  function get(path: string, query: Record<string, string>, { signal, headers = {} }: GetOptions = {}) {
    return client.send({ method: 'GET', path, query, headers, signal, isRepeatable: true })
  }

  async function coql(query: string, signal?: AbortSignal): Promise<unknown[]> {
    const body = { select_query: query }
    return readItems(await client.send({ method: 'POST', path: 'coql', body, isRepeatable: true, signal })).items
  }

  async function* pages(path: string, query: Record<string, string>, options: PagesOptions = {}) {
    const { key = 'data', sizeWithToken = true, ...rest } = options
    const sized = { ...query, per_page: String(PAGE_SIZE) }
    let position: Record<string, string> = sized
    for (let page = 1; page <= PAGES_MAX; page++) {
      const answer = await get(path, position, rest)
      if (page === 1 && answer.status !== 204 && isMissing(answer)) return
      const { items, next } = readItems(answer, key)
      yield items
      if (!next) return
      if (next.token !== null && next.token === position['page_token']) break
      position = next.token
        ? { ...(sizeWithToken ? sized : query), page_token: next.token }
        : { ...sized, page: String(page + 1) }
    }
    throw new CrmUnavailable('The CRM’s list does not end.')
  }

  return {
    get,
    items: async (path, query, { key, ...options } = {}) => readItems(await get(path, query, options), key).items,
    write: (call) => client.send(call),
    upload: (path, file, signal) => client.send({ method: 'POST', path, file, isRepeatable: false, signal }),
    open: (path, signal) => client.send({ method: 'GET', path, opensFile: true, isRepeatable: true, signal }),
    remove: (path, signal, attemptsMax) =>
      client.send({ method: 'DELETE', path, isRepeatable: true, attemptsMax, signal }),
    coql,
    pages,
  }
}

/** Returns the first items of a listing. Fetches no more pages than necessary. */
export async function firstItemsOf(pages: AsyncIterable<unknown[]>, itemsMax: number): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const items of pages) {
    all.push(...items)
    if (all.length >= itemsMax) break
  }
  return all.slice(0, itemsMax)
}

/** Returns the records with these ids, in calls of a hundred. Deleted records are not among them. */
export async function itemsById(
  api: ZohoApi,
  module: string,
  zohoIds: readonly string[],
  query: Record<string, string>,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const sized = { ...query, per_page: String(RECORDS_A_CALL_MAX) }
  const chunks = chunksOf(zohoIds, RECORDS_A_CALL_MAX)
  const pages = await Promise.all(
    chunks.map((chunk) => api.items(module, { ids: chunk.join(','), ...sized }, { signal })),
  )
  return pages.flat()
}

/** Reads a page of a listing. The page is empty if Zoho answers 204 or 304. */
export function readItems(
  answer: ZohoAnswer,
  key = 'data',
): { items: unknown[]; next: { token: string | null } | null } {
  if (answer.status === 204 || answer.status === 304) return { items: [], next: null }
  if (answer.status !== 200) throw refusal(answer)
  const page = z.record(z.string(), z.unknown()).safeParse(answer.body).data
  const items = page?.[key]
  if (!Array.isArray(items)) throw new CrmUnavailable('The CRM’s answer cannot be read.')
  const info = Info.parse(page?.info)
  return { items, next: info?.more_records ? { token: info.next_page_token ?? null } : null }
}

const Info = z.catch(
  z.nullish(z.object({ more_records: z.nullish(z.boolean()), next_page_token: z.nullish(z.string()) })),
  null,
)

/**
 * Writes records. Returns one result for each record, in the order of the records. `more` is added to the call's body,
 * next to the records.
 */
export async function writeRecords(
  api: ZohoApi,
  call: WriteCall,
  data: object[],
  more: object = {},
): Promise<WriteResult[]> {
  return readResults(await api.write({ ...call, body: { data, ...more } }))
}

/** Moves a record or a note to the CRM's recycle bin. What is gone stays gone. */
export async function removeRecord(api: ZohoApi, path: string, signal?: AbortSignal, attemptsMax?: number) {
  const answer = await api.remove(path, signal, attemptsMax)
  if (!isMissing(answer)) writtenId(readResults(answer)[0])
}
