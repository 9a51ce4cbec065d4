import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { ZohoSettings } from '../config.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../deps.ts'
import { CrmUnavailable } from '../errors.ts'
import { type AccessToken, postForm, type Tokens } from './client.ts'

type StoredToken = AccessToken & { expiresAtMs: number }

const RENEW_BEFORE_MS = 5 * 60_000
const REQUEST_MS_MAX = 10_000
/** Zoho's block ends only after a while in which nobody asks. */
const QUIET_AFTER_THROTTLE_MS = 60_000

/**
 * One access token for the whole product: a row that all processes share, renewed by one of them at a time, because
 * Zoho gives out no more than ten in ten minutes.
 */
export function openTokens(options: { settings: ZohoSettings; db: Db; clock: Clock; log: Logger }): Tokens {
  const { settings, db, clock, log } = options
  const connection = connectionName(settings)
  let known: StoredToken | undefined
  let renewal: Promise<StoredToken> | undefined
  let quietUntilMs = 0

  const nowMs = () => clock.now().getTime()
  const isUsable = (token: StoredToken | undefined, rejected?: string): token is StoredToken =>
    token !== undefined && token.value !== rejected && token.expiresAtMs > nowMs()

  async function obtain(rejected?: string): Promise<StoredToken> {
    const shared = await readRow(db, connection)
    if (isUsable(shared, rejected)) return shared
    // The one call to another machine inside a transaction: the lock is what keeps processes from asking at once, and
    // it must end with the connection if this process dies. Nothing else is read or written under it.
    return db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${connection}, 0))`.execute(tx)
      const renewedByAnother = await readRow(tx, connection)
      if (isUsable(renewedByAnother, rejected)) return renewedByAnother
      const token = await request()
      await writeRow(tx, connection, token)
      return token
    })
  }

  async function request(): Promise<StoredToken> {
    if (nowMs() < quietUntilMs) throw new CrmUnavailable('The CRM asks the portal to wait before it signs in again.')
    const answer = await post(settings)
    if ('error' in answer) {
      if (/access denied/i.test(answer.error)) quietUntilMs = nowMs() + QUIET_AFTER_THROTTLE_MS
      log.error({ error: answer.error }, 'the CRM gave no access token')
      throw new CrmUnavailable(`The CRM does not let the portal sign in (${answer.error}).`)
    }
    const lifetimeMs = answer.expires_in * 1_000
    return {
      value: answer.access_token,
      apiDomain: allowedDomain(answer.api_domain ?? settings.apiUrl, settings),
      // Short-lived tokens are renewed early too, but not so early that they are never used.
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
    replace: async (rejected) => (isUsable(known, rejected) ? known : renew(rejected)),
  }
}

const TokenAnswer = z.union([
  z.object({ error: z.string() }),
  z.object({
    access_token: z.string().min(1),
    api_domain: z.string().optional(),
    expires_in: z.coerce.number().positive().default(3_600),
  }),
])

/** Errors come with 200 as often as not, so that only the body tells. */
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
    throw new CrmUnavailable('The CRM’s sign-in does not answer.', error)
  }
}

const ZOHO_API_HOST = /^(?:www|sandbox|developer)\.zohoapis\.(?:com|eu|in|com\.au|jp|com\.cn|ca|sa|uk|ae)$/

/** The token goes to whatever address the answer names, so that only Zoho's own and the configured one will do. */
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

async function readRow(db: Db | Tx, connection: string): Promise<StoredToken | undefined> {
  const row = await db
    .selectFrom('crm_tokens')
    .select(['access_token', 'api_domain', 'expires_at'])
    .where('connection', '=', connection)
    .executeTakeFirst()
  return row && { value: row.access_token, apiDomain: row.api_domain, expiresAtMs: Date.parse(row.expires_at) }
}

async function writeRow(tx: Tx, connection: string, token: StoredToken): Promise<void> {
  const row = {
    access_token: token.value,
    api_domain: token.apiDomain,
    expires_at: new Date(token.expiresAtMs).toISOString(),
  }
  await tx
    .insertInto('crm_tokens')
    .values({ connection, ...row })
    .onConflict((conflict) => conflict.column('connection').doUpdateSet(row))
    .execute()
}
