import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PERSON_RIGHTS, type PersonRight } from './person-rights.ts'
import { ROLES, type Role, reaches } from './roles.ts'
import type { Route } from './route.ts'

/** The routes that need at least this role. A role may also call the routes of the roles below it. */
const MAY: Record<Role, string[]> = {
  owner: [
    'GET /account/crm-link',
    'POST /account/crm-link',
    'POST /account/agreement',
    'GET /team',
    'POST /team/invitations',
    'POST /team/invitations/:id/send',
    'DELETE /team/invitations/:id',
    'PUT /team/people/:id',
    'PUT /team/settings',
    'GET /security-log',
    'GET /dashboard/api-key-status',
    'POST /dashboard/generate-api-key',
    'DELETE /dashboard/revoke-api-key',
    'GET /dashboard/api-keys',
    'POST /dashboard/api-keys',
    'DELETE /dashboard/api-keys/:id',
    'GET /dashboard/webhook-url',
    'PUT /dashboard/webhook-url',
    'POST /dashboard/webhook-secret',
    'POST /dashboard/webhook-test',
    'GET /dashboard/webhook-logs',
    'GET /dashboard/webhook-logs/:id',
    'POST /dashboard/webhook-logs/:id/redeliver',
  ],
  member: [
    'POST /dashboard/leads',
    'GET /dashboard/usual-country',
    'GET /dashboard/leads/duplicates',
    'POST /dashboard/leads/imports',
    'GET /dashboard/leads/imports',
    'GET /dashboard/leads/imports/:id',
    'DELETE /dashboard/leads/imports/:id',
    'GET /dashboard/leads/imports/:id/rows',
    'PUT /dashboard/leads/imports/:id/rows',
    'PUT /dashboard/leads/imports/:id/columns',
    'POST /dashboard/leads/imports/:id/accept-offers',
    'POST /dashboard/leads/imports/:id/submit',
    'POST /dashboard/leads/imports/:id/undo',
    'GET /dashboard/leads/imports/:id/left-out',
    'GET /dashboard/leads/import-template',
    'POST /dashboard/attention/:id/done',
    'PUT /crm/lead/:id',
    'POST /crm/lead/:id/withdraw',
    'POST /crm/lead/:id/retry-push',
    'POST /crm/deal/:id/retry-push',
    'POST /crm/note',
    'POST /crm/note/:leadId',
    'POST /crm/note/:id/retry-push',
    'POST /crm/request/:id/answer',
    'POST /crm/documents/:loid',
    'PUT /crm/document/:id/parts',
    'POST /crm/document/:id/complete',
    'DELETE /crm/document/:id',
    'POST /payments/:id/ask',
    'POST /dashboard/sync-leads',
    'POST /dashboard/sync-deals',
    'POST /crm/sync',
    'POST /dashboard/sync-deal/:id',
    'POST /dashboard/debug-sync-leads',
    'POST /webhook/lead',
    'POST /webhook/deal',
  ],
  viewer: [
    'GET /account/notifications',
    'POST /account/announcement/put-away',
    'GET /account/agreement',
    'PUT /account/notifications',
    'GET /dashboard/stats',
    'GET /dashboard/recent-activity',
    'GET /dashboard/pipeline',
    'GET /dashboard/trends',
    'GET /dashboard/news',
    'POST /dashboard/news/seen',
    'GET /activity',
    'GET /dashboard/leads/export',
    'GET /dashboard/deals/export',
    'GET /dashboard/attention',
    'POST /dashboard/attention/:id/put-away',
    'POST /dashboard/attention/:id/remind',
    'GET /dashboard/leads',
    'GET /crm/lead/:id',
    'GET /crm/lead/:id/status-history',
    'GET /crm/lead/:id/timeline',
    'GET /crm/lead-statuses',
    'GET /dashboard/deals',
    'GET /dashboard/time-zone',
    'GET /crm/deal/:id',
    'GET /crm/deal/:id/stage-history',
    'GET /crm/deal/:id/timeline',
    'GET /crm/deal/:id/payment',
    'GET /payments',
    'GET /payments/sums',
    'GET /payments/export',
    'GET /payments/statements',
    'GET /payments/statements/:id/content',
    'GET /crm/stages',
    'GET /crm/search',
    'GET /crm/documents/:loid',
    'GET /crm/document/:id/content',
    'GET /live',
    'GET /dashboard/sync-runs/:id',
    'GET /webhook/status/:id',
    'GET /dashboard/submitters',
    'GET /dashboard/views',
    'POST /dashboard/views',
    'PUT /dashboard/views/:id',
    'DELETE /dashboard/views/:id',
    'GET /dashboard/api-docs',
    // These routes concern the person's own account.
    'GET /profile',
    'PUT /profile',
    'PUT /profile/password',
    'POST /auth/verify-email',
    'POST /auth/send-verification',
    'POST /auth/refresh',
    'POST /auth/logout',
    'PUT /account/email',
    'GET /account/access',
    'POST /account/access/remove-others',
    'GET /account/sessions',
    'DELETE /account/sessions/:id',
    'POST /account/sessions/end-others',
    'POST /account/confirm',
    'GET /account/second-factor',
    'POST /account/totp',
    'POST /account/totp/confirm',
    'DELETE /account/totp',
    'POST /account/recovery-codes',
    'POST /account/passkeys/options',
    'POST /account/passkeys',
    'DELETE /account/passkeys/:id',
  ],
}

/** The routes that need a right besides the role. */
const RIGHT_TO: Record<PersonRight, string[]> = {
  money: [
    'GET /crm/deal/:id/payment',
    'GET /payments',
    'GET /payments/sums',
    'GET /payments/export',
    'GET /payments/statements',
    'GET /payments/statements/:id/content',
    'POST /payments/:id/ask',
  ],
}

test('each route that a session may call requires the role under which the table lists it', async () => {
  const routes = await collectRoutes()
  for (const role of ROLES) {
    const named = routes.filter(({ least }) => least === role).map(({ method, path }) => `${method} ${path}`)
    expect([role, named.toSorted()]).toEqual([role, MAY[role].toSorted()])
  }
})

test('each route that needs a right besides the role is in the table', async () => {
  const routes = await collectRoutes()
  for (const right of PERSON_RIGHTS) {
    const named = routes.filter((route) => route.personRight === right).map(({ method, path }) => `${method} ${path}`)
    expect([right, named.toSorted()]).toEqual([right, RIGHT_TO[right].toSorted()])
  }
})

test('an owner may do everything that a member may, and a member may do everything that a viewer may', () => {
  expect(ROLES.map((role) => ROLES.filter((least) => reaches(role, least)))).toEqual([
    ['owner', 'member', 'viewer'],
    ['member', 'viewer'],
    ['viewer'],
  ])
})

async function collectRoutes(): Promise<Route[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file))))
  return modules.flatMap((module) => Object.values<unknown>(module).filter(isRoute))
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'answer' in value
}
