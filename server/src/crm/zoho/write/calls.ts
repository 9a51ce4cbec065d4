import { isMissing, readResults, type WriteResult, writtenId } from '../answers.ts'
import type { ZohoApi } from '../api.ts'
import type { ZohoCall } from '../client.ts'

export type WriteCall = Omit<ZohoCall, 'method' | 'body'> & { method: 'POST' | 'PUT' }

export const RECORDS_A_CALL_MAX = 100

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
