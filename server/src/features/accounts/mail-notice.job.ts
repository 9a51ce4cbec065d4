import { ACCESS_KINDS, type AccessItem, type SettledAccess } from '@portal/contract/access.ts'
import { Role } from '@portal/contract/roles.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { noticeMail } from './mails.ts'
import { findActiveOwners, findPerson } from './people.queries.ts'

/** Limits changes that cause notices, so that nobody can flood a person's mailbox. */
export const NOTICES: RateLimit = {
  name: 'notices',
  points: 30,
  seconds: 3_600,
  text: 'Too many changes to the API key, webhook URL or signing secret. Please try again later.',
}

/** A part of `AccessItem`. */
const NoticedAccess = z.object({ kind: z.enum(ACCESS_KINDS), name: z.string(), added_at: z.string() })
export type NoticedAccess = z.infer<typeof NoticedAccess>
const TeamNews = z.object({ name: z.string(), email: z.string(), role: Role })
type TeamNews = z.infer<typeof TeamNews>

/** What the person is told by mail, because somebody else may have done it (D65, D66). */
const Notice = z.object({
  what: z.enum([
    'signed-in-elsewhere',
    'password-changed',
    'password-reset',
    'api-key-made',
    'api-key-revoked',
    'webhook-url-set',
    'webhook-url-removed',
    'webhook-secret-made',
    'second-factor-added',
    'second-factor-removed',
    'second-factor-reset',
    'recovery-code-used',
    'recovery-codes-made',
    'owner-invited',
    'person-joined',
    'role-changed',
    'email-change-asked',
  ]),
  at: z.string(),
  /** For a sign-in: the names of the browser and its operating system, and the IP address. */
  from: z.optional(z.object({ browser: z.nullable(z.string()), ip: z.string() })),
  /** For a new password: what it removed, and what can still get in. Jobs of version 0.2 have another form. */
  access: z.catch(z.optional(z.object({ removed: z.array(NoticedAccess), left: z.array(NoticedAccess) })), undefined),
  /** For a change in the team: the person it is about. */
  about: z.optional(TeamNews),
  /** For an API key with a name: the name. */
  key: z.optional(z.string()),
})
export type Notice = z.infer<typeof Notice>

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
