import type { Access } from '@portal/contract/accounts.ts'
import * as z from 'zod/mini'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import type { Visitor } from '../../http/visitor.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { noticeMail } from './mails.ts'
import { findActiveOwners, findPerson } from './people.queries.ts'

/** Limits changes that cause notices, so that nobody can flood a person's mailbox. */
export const NOTICES: RateLimit = {
  name: 'notices',
  points: 30,
  seconds: 3_600,
  text: 'Too many changes to the API key, webhook URL or signing secret. Please try again later.',
}

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
  ]),
  at: z.string(),
  /** For a sign-in: the names of the browser and its operating system, and the IP address. */
  from: z.optional(z.object({ browser: z.nullable(z.string()), ip: z.string() })),
  /**
   * For a new password: when the API key was made, the host of the webhook URL, and whether both were revoked. The rest
   * of the URL is left out, because it may hold a secret.
   */
  access: z.optional(
    z.object({
      api_key_made_at: z.nullable(z.string()),
      webhook_host: z.nullable(z.string()),
      revoked: z.boolean(),
    }),
  ),
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

export async function enqueueNotice(
  tx: Tx,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  personId: string,
  what: Notice['what'],
  { access, visitor }: { access?: Access; visitor?: Pick<Visitor, 'browser' | 'ip'> } = {},
): Promise<void> {
  const notice: Notice = {
    what,
    at: clock.now().toISOString(),
    ...(visitor && { from: { browser: visitor.browser, ip: visitor.ip } }),
    ...(access && {
      access: {
        api_key_made_at: access.api_key?.created_at ?? null,
        webhook_host: access.webhook_url && new URL(access.webhook_url).host,
        revoked: access.revoked,
      },
    }),
  }
  await jobs.enqueue(tx, mailNotice, { personId, notice })
}

/** Tells the owners about changes to the API key, the webhook URL and its secret, which belong to the business. */
export async function enqueueNoticeToOwners(
  tx: Tx,
  deps: Pick<Deps, 'jobs' | 'clock'>,
  partnerId: string,
  what: Notice['what'],
): Promise<void> {
  for (const owner of await findActiveOwners(tx, partnerId)) await enqueueNotice(tx, deps, owner.id, what)
}
