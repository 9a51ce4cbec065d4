import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@portal/contract/answer.ts'
import type { Route } from '@portal/contract/route.ts'
import { type Answer, newLead, type TestPortal } from './start-portal.ts'

const CONTRACT = join(import.meta.dirname, '../../../contract/src')

/** Every route of the contract. */
export const ROUTES = await collectRoutes()
/** The same routes, each with its name, for `test.each`. */
export const NAMED_ROUTES = ROUTES.map((route): [string, Route] => [`${route.method} ${route.path}`, route])
export const ROUTES_WITH_ID = NAMED_ROUTES.filter(([, route]) => route.path.includes(':'))

interface Asked {
  token?: string | undefined
  body?: unknown
  query?: string
  id?: string
}

/** Calls a route. If the request has no id, the path gets a LOID that no record has. */
export async function askRoute(portal: TestPortal, route: Route, request: Asked = {}): Promise<Answer> {
  const path = route.path.replace(/:\w+/, encodeURIComponent(request.id ?? 'LO-00000000'))
  const hasBody = route.body !== undefined && route.method !== 'GET'
  return portal.ask(route.method, `${path}${request.query ?? ''}`, {
    token: request.token,
    ...(hasBody && { body: request.body ?? {} }),
    ...(route.bytesMax !== undefined && { body: LEADS_FILE }),
  })
}

/**
 * Describes the fault of a refusal: a wrong status or form, no request id, or a text that reveals internal details of
 * the server. Undefined if the refusal has no fault.
 */
export function faultOf(answer: Answer, ...statuses: number[]): string | undefined {
  const text = JSON.stringify(answer.body)
  if (!statuses.includes(answer.status)) return `${answer.status} ${text}`
  if (!Failure.safeParse(answer.body).success) return `not in the form of a failure: ${text}`
  if (!answer.headers.get('x-request-id')) return 'no request id'
  const isTalkative = /node_modules|\bat \/|syntax error|PostgreSQL|pg_|kysely/i.test(text)
  return isTalkative ? `reveals too much: ${text}` : undefined
}

/** A query that the route accepts. */
export function validQuery(route: Route): string {
  if (route.bytesMax !== undefined) return '?number=0'
  return route.path === '/crm/search' ? '?q=a' : ''
}

/** True for the app's own routes, and false for routes that other systems call with an API key (D46). */
export function ignoresUnknown({ auth }: Route): boolean {
  return auth !== 'api-key' && auth !== 'session-or-api-key'
}

/** A file of leads with one row that can be submitted. */
export const LEADS_FILE = Buffer.from(
  'Business Name,First Name,Last Name,Email,Phone\nConform Pty Ltd,Robin,Lee,robin.lee@conform.example,0491 570 006\n',
)
export const INVITED = { email: 'invited@example.com', firstName: 'Robin', lastName: 'Lee', role: 'member' }
const LEAST = { business_name: 'Conform', email: 'conform@example.com' }
const CREDENTIAL = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
const CREATED_PASSKEY = { ...CREDENTIAL, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } }
const USED_PASSKEY = {
  ...CREDENTIAL,
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
}
/** Of 'hello'. */
export const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

/** A body that the route accepts, so that a test can make one part of it bad. */
export function validBody(route: Route): Record<string, unknown> | undefined {
  if (!route.body) return undefined
  const bodies: Record<string, Record<string, unknown>> = {
    '/dashboard/leads': newLead(),
    '/account/agreement': { version: '1', sha256: '0'.repeat(64) },
    '/account/announcement/put-away': { id: '0' },
    '/crm/lead/:id': newLead({ businessName: 'Corrected' }),
    '/crm/lead/:id/withdraw': { reason: 'The applicant thought again.' },
    '/crm/note/:leadId': { content: 'A note long enough.' },
    '/crm/note': { loid: 'LO-00000000', content: 'A note long enough.' },
    '/crm/documents/:loid': { name: 'bank.txt', size: 5, sha256: HELLO_SHA256 },
    '/dashboard/leads/imports/:id/columns': { fields: ['businessName', 'firstName', 'lastName', 'email', 'phone'] },
    '/dashboard/leads/imports/:id/rows': { number: 2, values: { businessName: 'Conform' } },
    '/dashboard/leads/imports/:id/submit': { consentVersion: '2026-11', withDuplicates: false, rows: 1 },
    '/crm/request/:id/answer': { content: 'An answer long enough.' },
    '/partner/leads': LEAST,
    '/partner/mcp': { jsonrpc: '2.0', id: 1, method: 'ping' },
    '/dashboard/views': { list: 'leads', name: 'Waiting', query: 'status=Contacted' },
    '/dashboard/views/:id': { is_default: true },
    '/dashboard/news/seen': { until: '2026-11-01T00:00:00.000Z' },
    '/dashboard/attention/:id/remind': { until: new Date(Date.now() + 86_400_000).toISOString() },
    '/webhook/lead': LEAST,
    '/webhook/deal': LEAST,
    '/auth/signup': { email: 'conform@example.com', password: 'correct-horse-battery', businessName: 'Conform' },
    '/auth/login': { email: 'nobody@example.com', password: 'correct-horse-battery' },
    '/auth/forgot-password': { email: 'nobody@example.com' },
    '/auth/reset-access': { token: 'x' },
    '/auth/reset-password': { token: 'x', newPassword: 'correct-horse-battery' },
    '/auth/verify': { token: 'x' },
    '/auth/verify-email': { token: 'x' },
    '/auth/disown': { token: 'x' },
    '/auth/confirm-email': { token: 'x' },
    '/auth/undo-email': { token: 'x' },
    '/account/email': { email: 'conform@example.com' },
    '/auth/invitation': { token: 'x' },
    '/auth/accept-invitation': { token: 'x', password: 'correct-horse-battery' },
    '/team/invitations': INVITED,
    '/team/people/:id': { role: 'viewer' },
    '/dashboard/api-keys': { name: 'Conform', rights: ['read'] },
    '/dashboard/webhook-url': { webhook_url: 'https://partner.example/hook' },
    '/profile': { first_name: 'Conform' },
    '/profile/password': { currentPassword: 'x', newPassword: 'y', confirmPassword: 'z' },
    '/auth/second-factor': { token: 'x', code: '000000' },
    '/auth/passkey/options': {},
    '/auth/passkey': { passkey: USED_PASSKEY },
    '/account/confirm': { password: 'x' },
    '/account/access/remove-others': { password: 'x' },
    '/account/totp/confirm': { code: '000000' },
    '/account/passkeys': { name: 'Phone', passkey: CREATED_PASSKEY },
    '/account/notifications': { choices: { 'lead-status': 'never' }, time_zone: 'Pacific/Auckland' },
    '/unsubscribe': { token: 'x' },
    '/team/settings': { second_factor_required: false },
  }
  const body = bodies[route.path]
  if (!body) throw new Error(`no valid body is known for ${route.path}`)
  return body
}

async function collectRoutes(): Promise<Route[]> {
  const files = readdirSync(CONTRACT).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((file) => import(join(CONTRACT, file))))
  return modules.flatMap((module) => Object.values<unknown>(module).filter(isRoute))
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'answer' in value
}
