import { createHash } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Clock } from '../../platform/clock.ts'
import type { ZohoSettings } from '../../platform/config.ts'
import type { Db } from '../../platform/db/database.ts'
import { underLease } from '../../platform/db/lease.ts'
import { crmTokenOf } from '../../platform/db/reencrypt-secrets.ts'
import type { Secrets } from '../../platform/db/secrets.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { type AccessToken, postForm, type Tokens } from './client.ts'
import { CrmSignInRefused, CrmSilent } from './errors.ts'

type StoredToken = AccessToken & { expiresAtMs: number }

const RENEW_BEFORE_MS = 5 * 60_000
const REQUEST_MS_MAX = 10_000
/** Longer than a request takes, because a waiting process has to wait for a whole request. */
const RENEWAL_MS_MAX = REQUEST_MS_MAX + 2_000
/** A process that died delays the other processes for no longer than this. */
const LEASE_MS = 5_000
/** Zoho blocks a throttled client until the client has sent no request for a quarter of an hour. */
const QUIET_AFTER_THROTTLE_MS = 15 * 60_000
/** After any other refusal to sign in, this process does not ask again for so long, and repeats what it was told. */
const QUIET_AFTER_REFUSAL_MS = 60_000
/** If this many new tokens are refused in a row, the organisation probably belongs to another data centre. */
const REFUSED_MAX = 3
const QUIET_AFTER_REFUSALS_MS = 5 * 60_000

/**
 * Keeps one access token for the whole portal. All processes share its row in the database. Only one process at a time
 * renews the token, because Zoho issues no more than ten tokens in ten minutes (D34). When Zoho demands a pause, the
 * row records it for all processes.
 */
export function openTokens(options: {
  settings: ZohoSettings
  db: Db
  secrets: Secrets
  clock: Clock
  log: Logger
}): Tokens {
  const { settings, db, secrets, clock, log } = options
  const connection = connectionName(settings)
  let known: StoredToken | undefined
  let renewal: Promise<StoredToken> | undefined
  let refused = 0
  let refusal: { error: CrmSignInRefused; untilMs: number } | undefined

  const nowMs = () => clock.now().getTime()
  const isUsable = (token: StoredToken | undefined, rejected?: string): token is StoredToken =>
    token !== undefined && token.value !== rejected && token.expiresAtMs > nowMs()

  async function obtain(rejected?: string): Promise<StoredToken> {
    const terms = { leaseMs: LEASE_MS, workMsMax: RENEWAL_MS_MAX, waitMs: RENEWAL_MS_MAX }
    const token = await underLease(db, { name: `crm-token ${connection}`, ...terms }, look, async () => {
      const renewed = await request()
      await writeRow(db, connection, {
        access_token: secrets.encrypt(renewed.value, crmTokenOf(connection)),
        api_domain: renewed.apiDomain,
        expires_at: instant(renewed.expiresAtMs),
      })
      return renewed
    })
    if (!token) throw new CrmUnavailable('The CRM’s sign-in does not answer.')
    return token

    async function look(): Promise<StoredToken | undefined> {
      const { token: shared, quietUntilMs } = await readRow(db, secrets, connection)
      if (isUsable(shared, rejected)) return shared
      if (nowMs() < quietUntilMs) {
        const until = `${instant(quietUntilMs).slice(0, 16).replace('T', ' ')} UTC`
        throw new CrmSignInRefused('The CRM asks the portal to wait before it signs in again.', `Wait until ${until}`)
      }
      return undefined
    }
  }

  function beQuiet(ms: number): Promise<void> {
    return writeRow(db, connection, { quiet_until: instant(nowMs() + ms) })
  }

  async function request(): Promise<StoredToken> {
    if (refusal && nowMs() < refusal.untilMs) throw refusal.error
    const answer = await post(settings)
    if ('error' in answer) {
      if (/access denied/i.test(answer.error)) await beQuiet(QUIET_AFTER_THROTTLE_MS)
      log.error({ error: answer.error }, 'the CRM gave no access token')
      const error = new CrmSignInRefused(
        `The CRM does not let the portal sign in (${answer.error}).`,
        adviceFor(answer.error, settings.accountsUrl),
      )
      refusal = { error, untilMs: nowMs() + QUIET_AFTER_REFUSAL_MS }
      throw error
    }
    const lifetimeMs = answer.expires_in * 1_000
    return {
      value: answer.access_token,
      apiDomain: allowedDomain(answer.api_domain ?? settings.apiUrl, settings),
      // Short-lived tokens are also renewed early, but not so early that they are never used.
      expiresAtMs: nowMs() + lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10),
    }
  }

  function renew(rejected?: string): Promise<StoredToken> {
    renewal ??= obtain(rejected)
      .then((token) => {
        known = token
        return token
      })
      .finally(() => {
        renewal = undefined
      })
    return renewal
  }

  return {
    current: async () => (isUsable(known) ? known : renew()),
    async replace(rejected) {
      if (isUsable(known, rejected)) return known
      const token = await renew(rejected)
      // A renewal that had already begun may not have known that this token was rejected.
      return token.value === rejected ? renew(rejected) : token
    },
    accepted() {
      refused = 0
    },
    async refusedAgain() {
      refused += 1
      if (refused < REFUSED_MAX) return
      log.error(
        { accountsUrl: settings.accountsUrl },
        'the CRM refuses the tokens that it issues: is the data centre right?',
      )
      await beQuiet(QUIET_AFTER_REFUSALS_MS)
    },
  }
}

const TokenAnswer = z.union([
  z.object({ error: z.string() }),
  z.object({
    access_token: z.string().check(z.minLength(1)),
    api_domain: z.optional(z.string()),
    expires_in: z._default(z.coerce.number().check(z.positive()), 3_600),
  }),
])

/** What an operator can do about an error of Zoho's sign-in. A refresh token belongs to one data centre. */
function adviceFor(error: string, accountsUrl: string): string {
  if (/access denied/i.test(error)) return 'Zoho gives ten tokens in ten minutes. Wait a quarter of an hour'
  const where = `ZOHO_ACCOUNTS_URL names ${accountsUrl}`
  if (/invalid_client/i.test(error)) {
    return `ZOHO_CLIENT_ID or ZOHO_CLIENT_SECRET is wrong, or the client belongs to another data centre (${where})`
  }
  return `ZOHO_REFRESH_TOKEN was revoked, or belongs to another data centre (${where}). Make a new grant there`
}

/** Requests a token. Errors often have status 200, so only the body shows whether the request failed. */
async function post(settings: ZohoSettings): Promise<z.infer<typeof TokenAnswer>> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    refresh_token: settings.refreshToken,
  })
  try {
    return TokenAnswer.parse(await postForm(`${settings.accountsUrl}/oauth/v2/token`, body, REQUEST_MS_MAX))
  } catch (error) {
    throw new CrmSilent(
      'The CRM’s sign-in does not answer.',
      `Does this machine reach ZOHO_ACCOUNTS_URL (${settings.accountsUrl})?`,
      error,
    )
  }
}

const ZOHO_API_HOST = /^(?:www|sandbox|developer)\.zohoapis\.(?:com|eu|in|com\.au|jp|com\.cn|ca|sa|uk|ae)$/

/**
 * The portal sends the token to the address that the answer names, so only Zoho's own addresses and the configured
 * address are allowed.
 */
function allowedDomain(domain: string, settings: ZohoSettings): string {
  const url = URL.parse(domain)
  const isZoho = url?.protocol === 'https:' && url.port === '' && ZOHO_API_HOST.test(url.hostname)
  if (url && (isZoho || url.origin === new URL(settings.apiUrl).origin)) return url.origin
  throw new CrmUnavailable('The CRM’s sign-in named an API address that is not Zoho’s.')
}

function connectionName({ accountsUrl, clientId, refreshToken }: ZohoSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([accountsUrl, clientId, refreshToken]))
    .digest('hex')
}

async function readRow(
  db: Db,
  secrets: Secrets,
  connection: string,
): Promise<{ token: StoredToken | undefined; quietUntilMs: number }> {
  const row = await db
    .selectFrom('crm_tokens')
    .select(['access_token', 'api_domain', 'expires_at', 'quiet_until'])
    .where('connection', '=', connection)
    .executeTakeFirst()
  const { access_token: stored, api_domain: apiDomain, expires_at, quiet_until } = row ?? {}
  const value = stored && opened(secrets, stored, connection)
  const token = value && apiDomain && expires_at ? { value, apiDomain, expiresAtMs: Date.parse(expires_at) } : undefined
  return { token, quietUntilMs: quiet_until ? Date.parse(quiet_until) : 0 }
}

/** Decrypts the stored token. Returns undefined if no key can decrypt it, and then another token is requested. */
function opened(secrets: Secrets, stored: string, connection: string): string | undefined {
  try {
    return secrets.decrypt(stored, crmTokenOf(connection))
  } catch {
    return undefined
  }
}

async function writeRow(db: Db, connection: string, row: Updateable<Tables['crm_tokens']>): Promise<void> {
  await db
    .insertInto('crm_tokens')
    .values({ connection, ...row })
    .onConflict((conflict) => conflict.column('connection').doUpdateSet(row))
    .execute()
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}
