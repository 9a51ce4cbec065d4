import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { ZohoSettings } from '../../platform/config.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Secrets } from '../../platform/db/secrets.ts'
import { openApi } from './api.ts'
import { type Attachments, openAttachments } from './attachments.ts'
import { type Checks, openChecks } from './check/check.ts'
import { openClient, type RetryTuning, sparing } from './client.ts'
import { openCrmClock } from './crm-clock.ts'
import type { FieldMap } from './field-map.ts'
import { openFieldsThere } from './fields-there.ts'
import { type AllPartnersLister, openAllPartnersLister } from './list/of-all-partners.ts'
import { openPartnerLister, type PartnerLister } from './list/of-partner.ts'
import { openQueries } from './list/queries.ts'
import { openMetadata } from './metadata.ts'
import { type Channels, openChannels } from './notifications.ts'
import { type Organisation, openOrganisation } from './organisation.ts'
import { type HistoryReader, openHistoryReader } from './read-histories.ts'
import { type NoteReader, openNoteReader } from './read-notes.ts'
import { openRecordReader, type RecordReader } from './read-records.ts'
import { openTaskReader, type TaskReader } from './read-tasks.ts'
import { type CrmUsage, openSharedLimits } from './shared-limits.ts'
import { openTokens } from './token.ts'
import { type InsertTrial, openInsertTrial } from './try-insert.ts'
import { type LeadCorrector, openLeadCorrector } from './write/corrections.ts'
import { openInserter } from './write/insert.ts'
import { type NoteWriter, openNoteWriter } from './write/notes.ts'
import { openPartnerWriter, type PartnerWriter } from './write/partners.ts'
import { openRecordWriter, type RecordWriter } from './write/records.ts'
import { openSentFinder, type SentFinder } from './write/sent.ts'

/**
 * The lender's CRM as the portal sees it. Every call can throw `CrmUnavailable` (the same call may work later) or
 * `CrmRefused` (the CRM says that the data is wrong, so trying again cannot help). A call that gets a `signal` stops
 * when the signal aborts. If the signal is from `AbortSignal.timeout`, the call throws `CrmUnavailable`.
 */
export interface Crm
  extends PartnerWriter,
    RecordWriter,
    SentFinder,
    NoteWriter,
    LeadCorrector,
    RecordReader,
    PartnerLister,
    AllPartnersLister,
    HistoryReader,
    NoteReader,
    TaskReader,
    Attachments,
    Channels,
    Organisation,
    InsertTrial,
    Checks {
  readonly mode: 'sandbox' | 'zoho'
  readonly fieldMap: FieldMap
  apiDomain(): Promise<string>
  /** The time by the CRM's clock, which the CRM's records use. The portal's own clock may be wrong. */
  now(): Date
  /** HTTP calls since the start of this process, including refused calls. */
  callsUsed(): number
  usage(): Promise<CrmUsage>
  /** Partners that have used more than a fifth of the day's credits, and how many, as far as this process knows. */
  partnersOverShare(): ReadonlyMap<string, number>
  /** Saves the call counts that have not been saved yet. */
  close(): Promise<void>
}

export interface CrmOptions {
  mode: 'sandbox' | 'zoho'
  settings: ZohoSettings
  fieldMap: FieldMap
  /** The daily credits that the organisation's edition includes. */
  creditsPerDay: number
  db: Db
  secrets: Secrets
  clock: Clock
  log: Logger
  /** Shorter delays for tests. If absent, the delays suit Zoho's limits. */
  retry?: RetryTuning
}

export function openCrm({ mode, settings, fieldMap, creditsPerDay, db, secrets, clock, log, retry }: CrmOptions): Crm {
  const tokens = openTokens({ settings, db, secrets, clock, log })
  const limits = openSharedLimits({ creditsPerDay, db, clock, log })
  const crmClock = openCrmClock(clock)
  const client = openClient({ tokens, log, limits, crmClock, ...(retry && { retry }) })
  const api = openApi(client)
  const metadata = openMetadata(api, clock)
  const parts = { api, fieldMap, metadata, fieldsThere: openFieldsThere(metadata, fieldMap) }
  const pushing = {
    ...openNoteReader(parts),
    ...openRecordReader(parts),
    ...openAllPartnersLister(parts, openQueries(parts), crmClock),
  }
  const reading = { ...parts, api: openApi(sparing(client, limits)) }
  const queries = openQueries(reading)
  const records = openRecordReader(reading)
  const inserter = openInserter(parts)
  const organisation = openOrganisation(parts)
  return {
    mode,
    fieldMap,
    ...openPartnerWriter(parts, pushing),
    ...openRecordWriter(parts, inserter),
    ...openSentFinder(parts, inserter, pushing),
    ...openNoteWriter(parts, pushing),
    ...openLeadCorrector(parts, pushing),
    ...records,
    ...openPartnerLister(reading, records, queries),
    ...openAllPartnersLister(reading, queries, crmClock),
    ...openHistoryReader(reading),
    ...openNoteReader(reading),
    ...openTaskReader(reading),
    ...openAttachments(parts, reading, crmClock),
    ...openChannels({ api, settings, fieldMap }),
    ...organisation,
    ...openChecks(parts, organisation),
    ...openInsertTrial(parts),
    apiDomain: async () => (await tokens.current()).apiDomain,
    now: crmClock.now,
    callsUsed: limits.callsOfThisProcess,
    usage: limits.usage,
    partnersOverShare: limits.partnersOverShare,
    close: limits.close,
  }
}
