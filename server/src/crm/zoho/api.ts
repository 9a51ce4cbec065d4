import { CrmUnavailable } from '../../platform/errors.ts'
import { isMissing, readItems } from './answers.ts'
import type { FileToSend, ZohoAnswer, ZohoCall, ZohoClient } from './client.ts'

/**
 * The kinds of calls that the portal makes to Zoho. Every call can throw `CrmUnavailable`, and stops when `signal`
 * aborts.
 */
export interface ZohoApi {
  /** Returns the answer, even if Zoho refused the request. */
  get(path: string, query: Record<string, string>, options?: GetOptions): Promise<ZohoAnswer>
  write(call: Omit<ZohoCall, 'method'> & { method: 'POST' | 'PUT'; body: object }): Promise<ZohoAnswer>
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

interface PagesOptions extends GetOptions {
  /** The key of the items in the answer. If absent, it is `data`. */
  key?: string
  /** False if Zoho refuses a page size together with a token. */
  sizeWithToken?: boolean
}

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
