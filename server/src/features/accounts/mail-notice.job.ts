import type { AccessItem, SettledAccess } from '@portal/contract/access.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { noticeMail } from './mails.ts'
import { Notice, type NoticedAccess, type TeamNews } from './notice.ts'
import { findActiveOwners, findPerson } from './people.queries.ts'

/** Limits changes that cause notices, so that nobody can flood a person's mailbox. */
export const NOTICES: RateLimit = {
  name: 'notices',
  points: 30,
  seconds: 3_600,
  text: 'Too many changes to the API key, webhook URL or signing secret. Please try again later.',
}

export const mailNotice = defineJob({
  name: 'mail-notice',
  payload: z.object({ personId: z.string(), notice: Notice }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run({ db, mail, publicUrl, config }, { personId, notice }, _signal, id = newId()) {
    const person = await findPerson(db, personId)
    if (person) await mail.send({ ...noticeMail(person, publicUrl, notice, config.timezone), id })
  },
})

interface NoticeFacts {
  about?: TeamNews | undefined
  key?: string | undefined
}

export async function enqueueNotice(
  tx: Tx,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  personId: string,
  what: Notice['what'],
  {
    access,
    visitor,
    about,
    key,
  }: { access?: SettledAccess; visitor?: Pick<Visitor, 'browser' | 'ip'> } & NoticeFacts = {},
): Promise<void> {
  const notice: Notice = {
    what,
    at: clock.now().toISOString(),
    ...(visitor && { from: { browser: visitor.browser, ip: visitor.ip } }),
    ...(access && { access: { removed: access.removed.map(noticed), left: access.left.map(noticed) } }),
    ...(about && { about }),
    ...(key !== undefined && { key }),
  }
  await jobs.enqueue(tx, mailNotice, { personId, notice })
}

function noticed({ kind, name, added_at }: AccessItem): NoticedAccess {
  return { kind, name, added_at }
}

/**
 * Tells all owners about changes to the API key, the webhook URL, its secret and the team, which belong to the
 * business. The owner who makes the change is told too, because somebody else may use that owner's account.
 */
export async function enqueueNoticeToOwners(
  tx: Tx,
  deps: Pick<Deps, 'jobs' | 'clock'>,
  partnerId: string,
  what: Notice['what'],
  facts?: NoticeFacts,
): Promise<void> {
  for (const owner of await findActiveOwners(tx, partnerId)) await enqueueNotice(tx, deps, owner.id, what, facts)
}
