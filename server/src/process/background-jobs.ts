import { pullDueDetails } from '../crm/pull/details/pull-details.job.ts'
import { followFields } from '../crm/pull/fields/follow-fields.job.ts'
import { pullNoted } from '../crm/pull/notified/pull-noted.job.ts'
import { pullNotified } from '../crm/pull/notified/pull-notified.job.ts'
import { watchCrm } from '../crm/pull/notified/watch-crm.job.ts'
import { pullDocumentsLater } from '../crm/pull/pull-documents.ts'
import { connectRecords } from '../crm/pull/run/connect-records.job.ts'
import { runSync } from '../crm/pull/run/run-sync.job.ts'
import { sweep } from '../crm/pull/sweep/sweep.job.ts'
import { beginTask } from '../crm/push/begin-task.job.ts'
import { changeLead } from '../crm/push/change-lead.job.ts'
import { pushDeal } from '../crm/push/push-deal.job.ts'
import { pushDocument } from '../crm/push/push-document.job.ts'
import { pushLead } from '../crm/push/push-lead.job.ts'
import { pushNote } from '../crm/push/push-note.job.ts'
import { pushPartner } from '../crm/push/push-partner.job.ts'
import { removeDocument } from '../crm/push/remove-document.job.ts'
import { removeNoteCopy } from '../crm/push/remove-note-copy.job.ts'
import { tellFacts } from '../crm/push/tell-facts.job.ts'
import { fillComparedNames } from '../features/accounts/fill-compared-names.job.ts'
import { mailEmailChange, mailEmailChanged } from '../features/accounts/mail-email-change.job.ts'
import { mailNotice } from '../features/accounts/mail-notice.job.ts'
import { mailResetLink } from '../features/accounts/mail-reset-link.job.ts'
import { mailVerification } from '../features/accounts/mail-verification.job.ts'
import { endRestingUploads } from '../features/documents/end-resting-uploads.job.ts'
import { submitImportRows } from '../features/imports/submit-import-rows.job.ts'
import { undoImportRows } from '../features/imports/undo-import-rows.job.ts'
import { sendNewsMail } from '../features/mails/send-news-mail.job.ts'
import { tellNews } from '../features/mails/tell-news.job.ts'
import { tellDuePayments } from '../features/payments/tell-due-payments.job.ts'
import { invitePartners } from '../features/team/invite-partners.job.ts'
import { mailInvitation } from '../features/team/mail-invitation.job.ts'
import { mailPartnerInvitation } from '../features/team/mail-partner-invitation.job.ts'
import type { Job } from '../platform/jobs/define-job.ts'
import { computeUsualTimes } from '../records/histories/compute-usual-times.job.ts'
import { keyLargePartners } from '../records/kinds/key-large-partners.job.ts'
import { putCountsTogether } from '../records/kinds/put-counts-together.job.ts'
import { followAccess } from './follow-access.job.ts'
import { noteLinked } from './note-linked.job.ts'
import { pruneNightly } from './prune.job.ts'

/** Every job that runs in the background. */
export const BACKGROUND_JOBS: readonly Job[] = [
  pushPartner,
  pushLead,
  changeLead,
  pushDeal,
  pushNote,
  pushDocument,
  removeDocument,
  beginTask,
  removeNoteCopy,
  connectRecords,
  followAccess,
  noteLinked,
  tellFacts,
  runSync,
  mailVerification,
  mailResetLink,
  mailEmailChange,
  mailEmailChanged,
  mailInvitation,
  invitePartners,
  mailPartnerInvitation,
  mailNotice,
  submitImportRows,
  undoImportRows,
  tellDuePayments,
  endRestingUploads,
  tellNews,
  sendNewsMail,
  pruneNightly,
  sweep,
  watchCrm,
  followFields,
  pullNotified,
  pullNoted,
  pullDueDetails,
  pullDocumentsLater,
  computeUsualTimes,
  keyLargePartners,
  putCountsTogether,
  fillComparedNames,
]
