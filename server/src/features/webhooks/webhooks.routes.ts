import {
  changeWebhookUrl,
  LOST_SECRET_PREVIEW,
  listWebhookLogs,
  readWebhookLog,
  readWebhookUrl,
  redeliver,
  rotateWebhookSecret,
  sendTestEvent,
} from '@portal/contract/webhooks.ts'
import type { Deps } from '../../deps.ts'
import type { WebhookEndpointRow } from '../../platform/db/tables.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { NOTICES } from '../accounts/mail-notice.job.ts'
import { changeEndpoint } from './change-endpoint.ts'
import { findEndpoint } from './endpoints.queries.ts'
import { findAttempts, findWebhookLogs, getWebhookLog } from './log.queries.ts'
import { readSecret } from './read-secret.ts'
import { redeliverLog } from './redeliver.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTest } from './send-test.ts'

/** Each delivery leaves rows here and work for another server, which need not be the partner's. */
const BY_HAND: RateLimit = {
  name: 'deliveries-by-hand',
  points: 300,
  seconds: 3_600,
  text: 'Too many test events and repeated deliveries: at most 300 an hour.',
}

export function webhookRoutes(mount: Mount, deps: Deps): void {
  const { db, config } = deps

  mount(readWebhookUrl, async ({ partner }) => shown(deps, await findEndpoint(db, partner.id)))
  mount(changeWebhookUrl, async ({ partner, body, limit, security }) => {
    await limit(NOTICES, partner.id)
    const { endpoint, secret } = await changeEndpoint(deps, partner, body.webhook_url, security)
    return { ...shown(deps, endpoint), secret }
  })
  mount(rotateWebhookSecret, async ({ partner, limit, security }) => {
    await limit(NOTICES, partner.id)
    const { endpoint, secret } = await rotateSecret(deps, partner, security)
    return { ...shown(deps, endpoint), secret }
  })
  mount(sendTestEvent, async ({ once, partner, limit }) => {
    await limit(BY_HAND, partner.id)
    return once((tx) => sendTest(tx, deps, partner.id))
  })

  mount(listWebhookLogs, async ({ partner, query }) => {
    const { rows, pagination } = await findWebhookLogs(db, partner.id, query, config.timezone)
    return { data: rows, pagination }
  })
  mount(readWebhookLog, async ({ partner, params }) => {
    const log = await getWebhookLog(db, partner.id, params.id)
    return { ...log, attempt_list: await findAttempts(db, log.id) }
  })
  mount(redeliver, async ({ partner, params, limit }) => {
    await limit(BY_HAND, partner.id)
    return redeliverLog(deps, partner.id, params.id)
  })
}

/** The endpoint as shown in answers, without its secret. A secret is shown only once, when it is made. */
function shown(deps: Deps, endpoint: WebhookEndpointRow | undefined) {
  return {
    webhook_url: endpoint?.url ?? null,
    is_active: endpoint !== undefined && endpoint.disabled_at === null,
    disabled_at: endpoint?.disabled_at ?? null,
    disabled_reason: endpoint?.disabled_reason ?? null,
    failing_since: endpoint?.failing_since ?? null,
    secret_preview: endpoint ? secretPreview(deps, endpoint) : null,
    previous_secret_until: endpoint ? previousSecretUntil(deps, endpoint) : null,
  }
}

function secretPreview({ secrets }: Deps, { partner_id, secret: stored }: WebhookEndpointRow): string {
  const secret = readSecret(secrets, stored, partner_id)
  return secret === undefined ? LOST_SECRET_PREVIEW : `${secret.slice(0, 8)}...`
}

/** Returns the time until which the previous secret also signs deliveries, or null if it does not sign them. */
function previousSecretUntil({ secrets, clock }: Deps, endpoint: WebhookEndpointRow): string | null {
  const { partner_id, previous_secret: stored, previous_secret_until: until } = endpoint
  if (stored === null || until === null || until <= clock.now().toISOString()) return null
  return readSecret(secrets, stored, partner_id) === undefined ? null : until
}
