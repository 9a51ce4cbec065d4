import { CURSOR_DAYS } from '@portal/contract/partner-reads.ts'
import * as z from 'zod/mini'
import { removeRunsOfAllPartners } from '../crm/pull/run/sync-runs.queries.ts'
import { removeRefusedOfAllPartners } from '../crm/push/refused-pushes.queries.ts'
import { removeUsage } from '../crm/zoho/shared-limits.ts'
import type { Deps } from '../deps.ts'
import {
  removeAccountTokensOfAllPartners,
  removeEndedLinksOfAllPartners,
} from '../features/accounts/account-tokens.queries.ts'
import { removeEmailChangesOfAllPartners } from '../features/accounts/email-changes.queries.ts'
import { removeKnownSourcesOfAllPartners } from '../features/accounts/known-sources.queries.ts'
import { removeChallengesOfAllPartners } from '../features/accounts/second-factor/passkeys.queries.ts'
import { removeWaitingTotpSecretsOfAllPartners } from '../features/accounts/second-factor/second-factor.queries.ts'
import { removeSessionsOfAllPartners } from '../features/accounts/sessions.queries.ts'
import {
  IMPORT_MEMORY_MS,
  IMPORT_ROWS_MS,
  removeImportsOfAllPartners,
  removeRowsOfAllPartners,
} from '../features/imports/imports.queries.ts'
import { removeDoneOfAllPartners, removePutAwayOfAllPartners } from '../features/inbox/attention.queries.ts'
import { removeSeenRecordsOfAllPartners } from '../features/inbox/news.queries.ts'
import { removeMailsOfAllPartners, removeToldNewsOfAllPartners } from '../features/mails/mails.queries.ts'
import { removeUnsubscribeTokensOfAllPartners } from '../features/mails/unsubscribe-tokens.queries.ts'
import { removeChangesOfAllPartners } from '../features/partner-api/changes.queries.ts'
import { removeSecurityEntriesOfAllPartners } from '../features/security-log/security-log.queries.ts'
import { removeInvitationsOfAllPartners } from '../features/team/invitations.queries.ts'
import {
  dropAttemptMonthsOfAllPartners,
  makeAttemptMonths,
  removeAttemptsOfAllPartners,
} from '../features/webhooks/attempt-months.queries.ts'
import { removeWebhookLogsOfAllPartners } from '../features/webhooks/log.queries.ts'
import { removeInBatches } from '../platform/db/remove-in-batches.ts'
import { removeBeats } from '../platform/db/replica.ts'
import { REMEMBERED_HOURS, removeRememberedAnswers } from '../platform/http/idempotency.ts'
import { removeUsedUpLimits } from '../platform/http/rate-limit.ts'
import { defineJob } from '../platform/jobs/define-job.ts'
import { removeArchivedDealsOfAllPartners } from '../records/deals/deals.queries.ts'
import {
  removeDocumentsOfAllPartners,
  removeEndedDocumentsOfAllPartners,
  UNFINISHED_HOURS,
} from '../records/documents/documents.queries.ts'
import { removeEventsOfAllPartners } from '../records/events/events.ts'
import { removeHistoryOfAllPartners } from '../records/histories/history.queries.ts'
import { removeArchivedLeadsOfAllPartners } from '../records/leads/leads.queries.ts'
import { removeNotesOfAllPartners } from '../records/notes/notes.queries.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** For a day after its expiry, a link is refused as expired (section 8). After that, the link is unknown. */
const TOKEN_MS = DAY_MS
/**
 * A change of an email address is kept this long after it can no longer be confirmed or undone, because the mail to the
 * old address may still be waiting for a retry.
 */
const EMAIL_CHANGE_MS = DAY_MS
/** For this long, a record that left the CRM can come back with its LOID, notes and history (D30). */
const ARCHIVE_MS = 90 * DAY_MS
/**
 * An event is kept as long as the webhook logs that refer to it. The retries of deliveries need less time. The
 * dashboard shows fewer than twenty events if a partner had fewer in this time.
 */
const EVENT_MS = 90 * DAY_MS
/** Two days longer than a cursor of the read side is valid, because a cursor names only a day. */
const CHANGE_MS = (CURSOR_DAYS + 2) * DAY_MS
const RUN_MS = 90 * DAY_MS
/**
 * An invitation is removed this long after its link has expired. Until then an owner sees the invitation and can send
 * it again.
 */
const INVITATION_MS = 30 * DAY_MS
/** A browser keeps its mark for this long. */
const KNOWN_SOURCE_MS = 180 * DAY_MS
/** The time is set by D37. */
const WEBHOOK_LOG_MS = 90 * DAY_MS
/** Attempts are removed once their whole month has expired. Without their log, attempts are not shown. */
const ATTEMPT_MS = WEBHOOK_LOG_MS + 31 * DAY_MS
/** An attention item of an unchanged record can stay put away, or marked as done, for this long. */
const PUT_AWAY_MS = 365 * DAY_MS
/** The time is set by D68. */
const SECURITY_LOG_MS = 365 * DAY_MS

/** For this long, an operator sees given-up mails. */
const MAIL_MS = 30 * DAY_MS
/** For this long, the unsubscribe link of an old mail still works. */
const UNSUBSCRIBE_MS = 365 * DAY_MS

/** For this long, a person sees why a file was not sent, and a file that was taken back can be removed from the CRM. */
const REFUSED_MS = 30 * DAY_MS

/** A record that is not tried for this long is gone, or one of so many that it may as well be tried at once. */
const REFUSED_PUSH_MS = 8 * DAY_MS

type PruneDeps = Pick<Deps, 'db' | 'clock'>

/** Runs at night in Australia, where most partners are. */
export const pruneNightly = defineJob({
  name: 'prune',
  payload: z.object({}),
  schedule: '17 16 * * *',
  retry: { firstDelaySeconds: 60, delaySecondsMax: 1_800, giveUpAfterDays: 1 },
  async run(deps, _payload, signal) {
    deps.log.info({ removed: await prune(deps, signal) }, 'pruned')
  },
})

/**
 * Removes expired rows and the tables of expired months, and makes the tables of the coming months. Returns how many of
 * each kind it removed. A new kind of expiring row needs one more line here.
 */
export async function prune({ db, clock }: PruneDeps, signal?: AbortSignal): Promise<Record<string, number>> {
  const now = clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
  const kinds: Record<string, (rowsMax: number) => Promise<number>> = {
    sessions: (rowsMax) => removeSessionsOfAllPartners(db, before(0), rowsMax),
    'account tokens': (rowsMax) => removeAccountTokensOfAllPartners(db, before(TOKEN_MS), rowsMax),
    'ended links': (rowsMax) => removeEndedLinksOfAllPartners(db, before(0), rowsMax),
    'passkey challenges': (rowsMax) => removeChallengesOfAllPartners(db, before(0), rowsMax),
    'unfinished authenticator apps': (rowsMax) => removeWaitingTotpSecretsOfAllPartners(db, before(DAY_MS), rowsMax),
    'email changes': (rowsMax) => removeEmailChangesOfAllPartners(db, before(EMAIL_CHANGE_MS), rowsMax),
    invitations: (rowsMax) => removeInvitationsOfAllPartners(db, before(INVITATION_MS), rowsMax),
    'known sources': (rowsMax) => removeKnownSourcesOfAllPartners(db, before(KNOWN_SOURCE_MS), rowsMax),
    'rate limits': (rowsMax) => removeUsedUpLimits(db, now, rowsMax),
    'remembered answers': (rowsMax) => removeRememberedAnswers(db, before(REMEMBERED_HOURS * HOUR_MS), rowsMax),
    'archived deals': (rowsMax) => removeArchived(db, 'deal-stage', before(ARCHIVE_MS), rowsMax),
    'archived leads': (rowsMax) => removeArchived(db, 'lead-status', before(ARCHIVE_MS), rowsMax),
    documents: (rowsMax) =>
      removeEndedDocumentsOfAllPartners(
        db,
        { unfinished: before(UNFINISHED_HOURS * HOUR_MS), refused: before(REFUSED_MS) },
        rowsMax,
      ),
    'webhook logs': (rowsMax) => removeWebhookLogsOfAllPartners(db, before(WEBHOOK_LOG_MS), rowsMax),
    'webhook attempts': (rowsMax) => removeAttemptsOfAllPartners(db, before(ATTEMPT_MS), rowsMax),
    'security log': (rowsMax) => removeSecurityEntriesOfAllPartners(db, before(SECURITY_LOG_MS), rowsMax),
    events: (rowsMax) => removeEventsOfAllPartners(db, before(EVENT_MS), rowsMax),
    'changes of records': (rowsMax) => removeChangesOfAllPartners(db, before(CHANGE_MS), rowsMax),
    'opened records': (rowsMax) => removeSeenRecordsOfAllPartners(db, before(EVENT_MS), rowsMax),
    'put away': (rowsMax) => removePutAwayOfAllPartners(db, before(PUT_AWAY_MS), rowsMax),
    'marked as done': (rowsMax) => removeDoneOfAllPartners(db, before(PUT_AWAY_MS), rowsMax),
    // Mails are removed first, so that their news can then be removed.
    mails: (rowsMax) => removeMailsOfAllPartners(db, before(MAIL_MS), rowsMax),
    'news told by mail': (rowsMax) => removeToldNewsOfAllPartners(db, before(DAY_MS), rowsMax),
    'unsubscribe links': (rowsMax) => removeUnsubscribeTokensOfAllPartners(db, before(UNSUBSCRIBE_MS), rowsMax),
    // An import is forgotten only after its rows have been removed.
    'rows of imports': (rowsMax) => removeRowsOfAllPartners(db, before(IMPORT_ROWS_MS), rowsMax),
    imports: (rowsMax) => removeImportsOfAllPartners(db, before(IMPORT_MEMORY_MS), rowsMax),
    'sync runs': (rowsMax) => removeRunsOfAllPartners(db, before(RUN_MS), rowsMax),
    'refused pushes': (rowsMax) => removeRefusedOfAllPartners(db, before(REFUSED_PUSH_MS), rowsMax),
    'processes that ended': () => removeBeats(db, before(DAY_MS)),
    'hours of CRM calls': () => removeUsage(db, before(2 * DAY_MS)),
  }
  const removed: Record<string, number> = {}
  for (const [kind, removeSome] of Object.entries(kinds)) removed[kind] = await removeInBatches(removeSome, signal)
  // Done last, because both functions fail if other transactions lock the table for too long. The job then runs again.
  await makeAttemptMonths(db, now)
  removed['months of webhook attempts'] = await dropAttemptMonthsOfAllPartners(db, before(WEBHOOK_LOG_MS))
  return removed
}

/** Removes records with their history, and with the notes and documents that belong to no other lead or deal with the same LOID. */
function removeArchived(
  db: Deps['db'],
  kind: 'lead-status' | 'deal-stage',
  before: string,
  rowsMax: number,
): Promise<number> {
  const removeRecords = kind === 'lead-status' ? removeArchivedLeadsOfAllPartners : removeArchivedDealsOfAllPartners
  return db.transaction().execute(async (tx) => {
    const records = await removeRecords(tx, before, rowsMax)
    if (records.length > 0) {
      await removeHistoryOfAllPartners(tx, kind, records)
      const loids = records.map((record) => record.loid)
      await removeNotesOfAllPartners(tx, loids)
      await removeDocumentsOfAllPartners(tx, loids)
    }
    return records.length
  })
}
