import type { FastifyInstance } from 'fastify'
import { CONNECT_QUEUE } from '../crm/queues.ts'
import type { Deps } from '../deps.ts'
import { accountRoutes } from '../features/accounts/accounts.routes.ts'
import { rememberCallers } from '../features/accounts/caller-memory.ts'
import { secondFactorRoutes } from '../features/accounts/second-factor.routes.ts'
import { sessionRoutes } from '../features/accounts/sessions.routes.ts'
import { findCaller, isConfirmed } from '../features/accounts/sessions.ts'
import { apiKeyRoutes } from '../features/api-keys/api-keys.routes.ts'
import { findKeyCaller } from '../features/api-keys/find-key-caller.ts'
import { hasKeyForm } from '../features/api-keys/key-format.ts'
import { dashboardRoutes } from '../features/dashboard/dashboard.routes.ts'
import { dealRoutes } from '../features/deals/deals.routes.ts'
import { documentRoutes } from '../features/documents/documents.routes.ts'
import { importRoutes } from '../features/imports/imports.routes.ts'
import { inboxRoutes } from '../features/inbox/inbox.routes.ts'
import { leadRoutes } from '../features/leads/leads.routes.ts'
import { liveRoutes } from '../features/live/live.routes.ts'
import type { Live } from '../features/live/live.ts'
import { mailRoutes } from '../features/mails/mails.routes.ts'
import { outboxRoutes } from '../features/mails/outbox.routes.ts'
import { noteRoutes } from '../features/notes/notes.routes.ts'
import { logInboundCalls } from '../features/partner-api/log-inbound-calls.ts'
import { mcpRoutes } from '../features/partner-api/mcp.routes.ts'
import { openApiRoutes } from '../features/partner-api/open-api.routes.ts'
import { partnerApiRoutes } from '../features/partner-api/partner-api.routes.ts'
import { paymentRoutes } from '../features/payments/payments.routes.ts'
import { referralRoutes } from '../features/referral/referral.routes.ts'
import { requestRoutes } from '../features/requests/requests.routes.ts'
import { searchRoutes } from '../features/search/search.routes.ts'
import { securityLogRoutes } from '../features/security-log/security-log.routes.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import { crmNotificationRoutes } from '../features/sync/crm-notifications.routes.ts'
import { syncRoutes } from '../features/sync/sync.routes.ts'
import { teamRoutes } from '../features/team/team.routes.ts'
import { viewRoutes } from '../features/views/views.routes.ts'
import { webhookRoutes } from '../features/webhooks/webhooks.routes.ts'
import type { Replica } from '../platform/db/replica.ts'
import { NotFound } from '../platform/errors.ts'
import { createAuthenticate } from '../platform/http/authenticate.ts'
import { tagAnswers } from '../platform/http/entity-tag.ts'
import { healthRoutes, type Readiness } from '../platform/http/health.ts'
import { createMount } from '../platform/http/mount.ts'
import { packAnswers } from '../platform/http/pack-answers.ts'
import { createRateLimits } from '../platform/http/rate-limit.ts'
import { type Answered, createServer } from '../platform/http/server.ts'
import { staticWeb, WEB_FOLDER } from '../platform/http/static-web.ts'
import { createAccountAccess } from './account-access.ts'

interface AppSettings {
  live: Live
  replica: Replica | undefined
  connectionsMax: number
  onAnswered: ((answered: Answered) => void) | undefined
}

/** A request's budget, as a multiple of a statement's deadline: eight seconds for five. */
const STATEMENTS_PER_REQUEST = 1.6

/**
 * Creates the HTTP server: first the parts that all requests share, then the routes of each feature. A worker answers
 * only health checks (D90).
 */
export async function createApp(
  deps: Deps,
  readiness: Omit<Readiness, 'servesPages'>,
  { live, replica, connectionsMax, onAnswered }: AppSettings,
): Promise<FastifyInstance> {
  const app = await createServer(deps.log, {
    isSecure: deps.publicUrl.startsWith('https:'),
    trustProxy: deps.config.trustProxy,
    requestTimeoutMs: deps.config.requestTimeoutMs,
    connectionsMax,
    databaseMsMax: STATEMENTS_PER_REQUEST * deps.config.databaseTimeoutMs,
    isStopping: readiness.isStopping,
    spans: deps.spans,
    onAnswered,
  })
  healthRoutes(app, { ...readiness, servesPages: deps.config.role !== 'worker' })
  if (deps.config.role === 'worker') {
    app.setNotFoundHandler(() => {
      throw new NotFound('This process works in the background: it answers only /api/health and /api/ready')
    })
    return app
  }
  openApiRoutes(app, deps)

  const callers = rememberCallers((token) => findCaller(deps, token), deps.clock)
  const rateLimits = createRateLimits(deps, deps.config.rateLimits)
  const authenticate = createAuthenticate(
    { findSessionCaller: callers.find, findKeyCaller: (key) => findKeyCaller(deps, key), hasKeyForm },
    rateLimits,
  )
  const mount = createMount(app, deps, authenticate, rateLimits, {
    findConfirmation: (caller) => isConfirmed(deps, caller),
    storeSecurity: createSecurityStore(deps),
    replica,
  })
  logInboundCalls(app, deps)
  const access = createAccountAccess(deps)
  accountRoutes(mount, deps, {
    callers,
    access,
    connectRecords: (tx, partnerId) => deps.jobs.enqueue(tx, CONNECT_QUEUE, { partnerId }),
  })
  secondFactorRoutes(mount, deps, callers)
  sessionRoutes(mount, deps, { callers, access })
  teamRoutes(mount, deps, callers)
  apiKeyRoutes(mount, deps)
  leadRoutes(mount, deps)
  dealRoutes(mount, deps)
  noteRoutes(mount, deps)
  requestRoutes(mount, deps)
  paymentRoutes(mount, deps)
  documentRoutes(mount, deps)
  importRoutes(mount, deps)
  referralRoutes(mount, deps)
  dashboardRoutes(mount, deps)
  inboxRoutes(mount, deps)
  searchRoutes(mount, deps)
  viewRoutes(mount, deps)
  liveRoutes(mount, live)
  syncRoutes(mount, deps)
  crmNotificationRoutes(app, deps)
  partnerApiRoutes(mount, deps)
  mcpRoutes(mount, deps)
  webhookRoutes(mount, deps)
  mailRoutes(mount, app, deps)
  outboxRoutes(app, deps)
  securityLogRoutes(mount, deps)

  await staticWeb(app, {
    folder: WEB_FOLDER,
    isStarted: readiness.isStarted,
    brand: deps.config.brand,
    signUp: deps.config.signUp,
  })
  tagAnswers(app)
  packAnswers(app)
  return app
}
