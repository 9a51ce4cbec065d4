import { fillComparedNames } from './features/accounts/fill-compared-names.job.ts'
import { mailEmailChange, mailEmailChanged } from './features/accounts/mail-email-change.job.ts'
import { mailNotice } from './features/accounts/mail-notice.job.ts'
import { mailResetLink } from './features/accounts/mail-reset-link.job.ts'
import { mailVerification } from './features/accounts/mail-verification.job.ts'
import { pushDeal } from './features/deals/push-deal.job.ts'
import { pushLead } from './features/leads/push-lead.job.ts'
import { sendNewsMail } from './features/mails/send-news-mail.job.ts'
import { tellNews } from './features/mails/tell-news.job.ts'
import { pushNote } from './features/notes/push-note.job.ts'
import { removeNoteCopy } from './features/notes/remove-note-copy.job.ts'
import { fillSearchColumns } from './features/search/fill-search.job.ts'
import { connectRecords } from './features/sync/connect-records.job.ts'
import { pullDueDetails } from './features/sync/pull-details.job.ts'
import { pullNotified } from './features/sync/pull-notified.job.ts'
import { runSync } from './features/sync/run-sync.job.ts'
import { sweep } from './features/sync/sweep.job.ts'
import { watchCrm } from './features/sync/watch-crm.job.ts'
import { mailInvitation } from './features/team/mail-invitation.job.ts'
import { computeUsualTimes } from './history/compute-usual-times.job.ts'
import type { Job } from './jobs/define-job.ts'
import { pruneNightly } from './prune.job.ts'
import { pushPartner } from './push/push-partner.job.ts'

/** Every job that runs in the background. */
export const BACKGROUND_JOBS: readonly Job[] = [
  pushPartner,
  pushLead,
  pushDeal,
  pushNote,
  removeNoteCopy,
  connectRecords,
  runSync,
  mailVerification,
  mailResetLink,
  mailEmailChange,
  mailEmailChanged,
  mailInvitation,
  mailNotice,
  tellNews,
  sendNewsMail,
  pruneNightly,
  sweep,
  watchCrm,
  pullNotified,
  pullDueDetails,
  computeUsualTimes,
  fillSearchColumns,
  fillComparedNames,
]
