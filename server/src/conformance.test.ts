import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@portal/contract/answer.ts'
import type { Route } from '@portal/contract/route.ts'
import { spelledBodyOf } from '@portal/contract/spelling.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from './db/ids.ts'
import { insertDeal } from './testing/insert-deal.ts'
import { type Answer, newLead, startPortal, type TestPartner, type TestPortal } from './testing/start-portal.ts'

/** Contract routes that the server does not have yet. It is empty once everything is built. */
const NOT_BUILT: string[] = []

const CONTRACT = join(import.meta.dirname, '../../contract/src')
const routes = await collectRoutes()
const named = routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route])
const built = named.filter(([name]) => !NOT_BUILT.includes(name))
const withSession = built.filter(([, route]) => route.auth !== 'none')
const withId = built.filter(([, route]) => route.path.includes(':'))

let portal: TestPortal
let partner: TestPartner
let apiKey: string
/** Its records are what the partner asks for in vain. */
let owner: TestPartner
let foreign: string[]
beforeAll(async () => {
  portal = await startPortal()
  partner = await portal.newPartner()
  apiKey = (await partner.post('/dashboard/generate-api-key')).body.data.api_key
  owner = await portal.newPartner()
  const lead = await owner.submitLead()
  const deal = await insertDeal(portal.deps.db, owner.id)
  const at = new Date().toISOString()
  const run = { id: newId(), partner_id: owner.id, kind: 'leads', status: 'succeeded', started_at: at } as const
  await portal.deps.db
    .insertInto('sync_runs')
    .values({ ...run, phase: null, error: null, result: null, finished_at: at })
    .execute()
  const log = { id: newId(), partner_id: owner.id, direction: 'outbound', status: 'success', created_at: at } as const
  await portal.deps.db
    .insertInto('webhook_logs')
    .values({ ...log, endpoint: 'https://partner.example/hook' })
    .execute()
  foreign = [lead.loid, lead.id, deal.loid, deal.id, run.id, log.id]
})
afterAll(async () => {
  console.log(`${routes.length} routes of the contract asked ${asked} times`)
  await portal[Symbol.asyncDispose]()
})

let asked = 0

function tokenFor(route: Route): string {
  return route.auth === 'api-key' ? apiKey : partner.token
}

async function ask(route: Route, request: { token?: string; body?: unknown; query?: string; id?: string } = {}) {
  asked += 1
  const path = route.path.replace(/:\w+/, encodeURIComponent(request.id ?? 'LO-00000000'))
  const hasBody = route.body !== undefined && route.method !== 'GET'
  return portal.ask(route.method, `${path}${request.query ?? ''}`, {
    token: request.token,
    ...(hasBody && { body: request.body ?? {} }),
  })
}

/** What is wrong with a refusal: another status, another form, or a look into the inside of the server. */
function faultOf(answer: Answer, ...statuses: number[]): string | undefined {
  const text = JSON.stringify(answer.body)
  if (!statuses.includes(answer.status)) return `${answer.status} ${text}`
  if (!Failure.safeParse(answer.body).success) return `not the form of a failure: ${text}`
  if (!answer.headers.get('x-request-id')) return 'no request id'
  const isTalkative = /node_modules|\bat \/|syntax error|PostgreSQL|pg_|kysely/i.test(text)
  return isTalkative ? `tells too much: ${text}` : undefined
}

test('the contract has routes, each at an address of its own', () => {
  expect(routes.length).toBeGreaterThan(25)
  expect(new Set(named.map(([name]) => name)).size).toBe(routes.length)
})

test.each(named)('%s is there', async (name, route) => {
  const { body } = await ask(route)
  const isMounted = body?.error !== 'There is no such address in this API'
  expect(isMounted).toBe(!NOT_BUILT.includes(name))
})

test.each(withSession)('%s answers 401 without a session, and with one that does not exist', async (_name, route) => {
  expect(faultOf(await ask(route), 401)).toBeUndefined()
  expect(faultOf(await ask(route, { token: 'A'.repeat(43) }), 401)).toBeUndefined()
  expect(faultOf(await ask(route, { token: "x' or 1=1 --" }), 401)).toBeUndefined()
})

const forOneKind = withSession.filter(([, route]) => route.auth !== 'session-or-api-key')
test.each(forOneKind)(
  '%s answers 401 to a key where it asks for a session, and the other way round',
  async (_name, route) => {
    const token = route.auth === 'session' ? apiKey : partner.token
    expect(faultOf(await ask(route, { token, body: validBody(route) }), 401)).toBeUndefined()
  },
)

test.each(withId)('%s answers 404 for another partner’s record as for an unknown one', async (_name, route) => {
  const unknown = await ask(route, { token: tokenFor(route), body: validBody(route) })
  expect(faultOf(unknown, 404)).toBeUndefined()
  for (const id of foreign) {
    const answer = await ask(route, { token: tokenFor(route), id, body: validBody(route) })
    expect([id, answer.status, answer.body]).toEqual([id, 404, unknown.body])
  }
})

test.each(withId)('%s answers 404 for what is no id at all', async (_name, route) => {
  for (const id of ODD_TEXTS) {
    expect(faultOf(await ask(route, { token: tokenFor(route), id, body: validBody(route) }), 404)).toBeUndefined()
  }
})

const withQuery = built.filter(([, route]) => route.query !== undefined)
test.each(withQuery)('%s refuses or understands any query, and never fails on one', async (_name, route) => {
  for (const field of [...fieldsOf(route.query), '__proto__', 'constructor', 'toString', 'a[b]', '']) {
    for (const text of ODD_TEXTS) {
      const query = `?${encodeURIComponent(field)}=${encodeURIComponent(text)}`
      const answer = await ask(route, { token: tokenFor(route), query })
      expect([query, answer.status === 200 ? undefined : faultOf(answer, 400)]).toEqual([query, undefined])
    }
    expect(faultOf(await ask(route, { token: tokenFor(route), query: `?${field}=a&${field}=b` }), 400)).toBeUndefined()
  }
})

const withoutQuery = built.filter(([, route]) => route.query === undefined)
test.each(withoutQuery)('%s knows no query', async (_name, route) => {
  expect(
    faultOf(await ask(route, { token: tokenFor(route), query: '?admin=true', body: validBody(route) }), 400),
  ).toBeUndefined()
})

const withBody = built.filter(([, route]) => route.body !== undefined)
test.each(withBody)('%s refuses any bad body in the API’s own form', async (_name, route) => {
  for (const body of [
    null,
    [],
    [1],
    'text',
    5,
    true,
    '{',
    '{"__proto__":{"a":1}}',
    { constructor: { prototype: {} } },
  ]) {
    expect(faultOf(await ask(route, { token: tokenFor(route), body: body ?? 'null' }), 400)).toBeUndefined()
  }
  for (const field of fieldsOf(route.body)) {
    for (const value of [...ODD_VALUES, ...ODD_TEXTS, 'x'.repeat(60_000)]) {
      const answer = await ask(route, { token: tokenFor(route), body: { ...validBody(route), [field]: value } })
      const fault = answer.status < 300 ? undefined : faultOf(answer, 400, 401, 404, 409)
      expect([field, value, fault]).toEqual([field, value, undefined])
    }
  }
})

const creating = built.filter(([, route]) => route.creates)
test.each(creating)(
  '%s answers a repeat with the same Idempotency-Key once more, and creates once',
  async (name, route) => {
    const lead = await partner.submitLead()
    // What a test event needs.
    await partner.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
    const body = {
      ...validBody(route),
      ...(name === 'POST /crm/note' && { loid: lead.loid }),
      ...(name === 'POST /auth/signup' && NOBODY_YET),
    }
    const path = route.path.replace(/:\w+/, lead.loid)
    const request = { token: tokenFor(route), headers: { 'idempotency-key': `conformance ${name}` }, body }
    const first = await portal.ask(route.method, path, request)
    const again = await portal.ask(route.method, path, request)
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  },
)

const LEAST = { business_name: 'Conform', email: 'conform@example.com' }
const NOBODY_YET = { email: 'repeat@example.com', businessName: 'Repeat' }
const ODD_TEXTS = [
  '\u0000',
  'a\u0000b',
  "'; drop table leads; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%',
  '\\',
  '${7*7}',
  'ﷺ'.repeat(40),
  '🚚\u202e\u200b',
  '-1',
  '1e999',
  'NaN',
  'null',
  '__proto__',
  '00000000-0000-0000-0000-00000000000g',
  'x'.repeat(2_000),
]
const ODD_VALUES: unknown[] = [null, true, 0, -1, 1.5, 1e308, [], ['a'], {}, { $gt: '' }, { toString: 'x' }, 'a\ud800']

/** A body that the route takes, so that only one thing is odd at a time. */
function validBody(route: Route): Record<string, unknown> | undefined {
  if (!route.body) return undefined
  const bodies: Record<string, Record<string, unknown>> = {
    '/dashboard/leads': newLead(),
    '/crm/note/:leadId': { content: 'A note long enough.' },
    '/crm/note': { loid: 'LO-00000000', content: 'A note long enough.' },
    '/partner/leads': LEAST,
    '/webhook/lead': LEAST,
    '/webhook/deal': LEAST,
    '/auth/signup': { email: 'conform@example.com', password: 'correct-horse-battery', businessName: 'Conform' },
    '/auth/login': { email: 'nobody@example.com', password: 'correct-horse-battery' },
    '/auth/forgot-password': { email: 'nobody@example.com' },
    '/auth/reset-password': { token: 'x', newPassword: 'correct-horse-battery' },
    '/auth/verify': { token: 'x' },
    '/auth/verify-email': { token: 'x' },
    '/dashboard/webhook-url': { webhook_url: 'https://partner.example/hook' },
    '/profile': { business_name: 'Conform' },
    '/profile/password': { currentPassword: 'x', newPassword: 'y', confirmPassword: 'z' },
  }
  const body = bodies[route.path]
  if (!body) throw new Error(`no valid body is known for ${route.path}`)
  return body
}

/** The names of a body's or query's fields, also where the object is the first part of a pipe. */
function fieldsOf(schema: Route['body']): string[] {
  const spelled = schema && spelledBodyOf(schema)
  if (spelled) return Object.keys(spelled.fields)
  let definition = definitionOf(schema)
  while (definition.in) definition = definitionOf(definition.in)
  return Object.keys(definition.shape ?? {})
}

function definitionOf(schema: unknown): { in?: unknown; shape?: object } {
  return (schema as { _zod: { def: { in?: unknown; shape?: object } } })._zod.def
}

async function collectRoutes(): Promise<Route[]> {
  const files = readdirSync(CONTRACT).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((file) => import(join(CONTRACT, file))))
  return modules.flatMap((module) => Object.values<unknown>(module).filter(isRoute))
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'answer' in value
}
