import type { Logger } from 'pino'
import type { ZohoSettings } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../deps.ts'
import { openApi } from './api.ts'
import { openCallCount } from './call-count.ts'
import { openClient, type RetryTuning } from './client.ts'
import type { FieldMap } from './field-map.ts'
import { openRecordLister, type RecordLister } from './list-records.ts'
import { openMetadata } from './metadata.ts'
import { type Channels, openChannels } from './notifications.ts'
import { type Organisation, openOrganisation } from './organisation.ts'
import { openRecordPusher, type RecordPusher } from './push-records.ts'
import { type HistoryReader, openHistoryReader } from './read-histories.ts'
import { type NoteReader, openNoteReader } from './read-notes.ts'
import { openRecordReader, type RecordReader } from './read-records.ts'
import { openTokens } from './token.ts'

/**
 * The lender's CRM as the portal thinks of it. Every call may throw `CrmUnavailable` (away: the same call may work
 * later) or `CrmRefused` (the CRM says the data is wrong: trying again cannot help), and stops when `signal` says so.
 * A signal of `AbortSignal.timeout` ends in `CrmUnavailable`.
 */
export interface Crm
  extends RecordPusher,
    RecordReader,
    RecordLister,
    HistoryReader,
    NoteReader,
    Channels,
    Organisation {
  readonly mode: 'sandbox' | 'zoho'
  apiDomain(): Promise<string>
  /** HTTP calls since the start of this process, the refused ones included. */
  callsUsed(): number
  /** The same of all processes in the last 24 hours (D34). */
  callsOfLastDay(): Promise<number>
  /** Writes down what is not written yet. */
  close(): Promise<void>
}

export interface CrmOptions {
  mode: 'sandbox' | 'zoho'
  settings: ZohoSettings
  fieldMap: FieldMap
  db: Db
  clock: Clock
  log: Logger
  /** Shorter delays for tests; Zoho's own limits otherwise. */
  retry?: RetryTuning
}

export function openCrm({ mode, settings, fieldMap, db, clock, log, retry }: CrmOptions): Crm {
  const tokens = openTokens({ settings, db, clock, log })
  const calls = openCallCount({ db, clock, log })
  const api = openApi(openClient({ tokens, log, onCall: calls.add, ...(retry && { retry }) }))
  const parts = { api, fieldMap, metadata: openMetadata(api, clock) }
  const notes = openNoteReader(parts)
  const records = openRecordReader(parts)
  return {
    mode,
    ...openRecordPusher(parts, notes),
    ...records,
    ...openRecordLister(parts, records),
    ...openHistoryReader(parts),
    ...notes,
    ...openChannels({ api, settings, fieldMap }),
    ...openOrganisation(parts),
    apiDomain: async () => (await tokens.current()).apiDomain,
    callsUsed: calls.ofThisProcess,
    callsOfLastDay: calls.ofLastDay,
    close: calls.close,
  }
}
