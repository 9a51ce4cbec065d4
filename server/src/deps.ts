import type { Announcement } from '@portal/contract/announcement.ts'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Crm } from './crm/zoho/crm.ts'
import type { Agreement } from './platform/agreement-file.ts'
import type { Clock } from './platform/clock.ts'
import type { Settings } from './platform/config.ts'
import type { Db } from './platform/db/database.ts'
import type { Reads } from './platform/db/hot-reads.ts'
import type { Secrets } from './platform/db/secrets.ts'
import type { JobQueue } from './platform/jobs/enqueue-job.ts'
import type { Mailer } from './platform/mail/mail.ts'
import type { Spans } from './platform/trace.ts'
import type { StatusMeanings } from './records/histories/status-meanings.ts'

/** The dependencies of every feature: connections, queues, the clock and the settings are passed in, not imported. */
export interface Deps {
  config: Settings
  /** The portal's address for partners, used in mails, documents and passkeys. */
  publicUrl: string
  db: Db
  /** The same database, for `sendNamed` and for libraries that send their own statements. */
  pool: pg.Pool
  /** The same database, for the quick reads that every visit needs. Send them with `sendNamed`. */
  reads: Reads
  /** Encrypts the database's secrets. */
  secrets: Secrets
  jobs: JobQueue
  crm: Crm
  statusMeanings: StatusMeanings
  /** What the lender tells all partners; absent if it tells nothing. */
  announcement?: Announcement | undefined
  /** What an owner accepts before the business submits; absent if the lender asks for nothing. */
  agreement?: Agreement | undefined
  mail: Mailer
  /** Records the spans of traces; absent without OpenTelemetry. */
  spans?: Spans | undefined
  clock: Clock
  log: Logger
}
