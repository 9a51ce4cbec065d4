import { mailResetLink } from './features/accounts/mail-reset-link.job.ts'
import { mailWelcome } from './features/accounts/mail-welcome.job.ts'
import { pushPartner } from './features/accounts/push-partner.job.ts'
import { pushLead } from './features/leads/push-lead.job.ts'
import { pushNote } from './features/notes/push-note.job.ts'
import { runSync } from './features/sync/run-sync.job.ts'
import type { Job } from './jobs/define-job.ts'
import { pruneNightly } from './prune.job.ts'

/** Every job that runs in the background. */
export const JOBS: readonly Job[] = [pushPartner, pushLead, pushNote, runSync, mailWelcome, mailResetLink, pruneNightly]
