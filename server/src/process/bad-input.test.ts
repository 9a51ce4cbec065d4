import type { Route } from '@portal/contract/route.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BadInput, badInput, bodyFieldsOf, fieldsOf, ODD_TEXTS, ODD_VALUES } from '../testing/bad-input.ts'
import {
  askRoute,
  faultOf,
  HELLO_SHA256,
  INVITED,
  ignoresUnknown,
  LEADS_FILE,
  NAMED_ROUTES as named,
  ROUTES_WITH_ID,
  validBody,
  validQuery,
} from '../testing/contract-routes.ts'
import { insertDeal } from '../testing/insert-deal.ts'
import { insertRequest } from '../testing/insert-request.ts'
import { makeKey } from '../testing/make-key.ts'
import { addPasskey } from '../testing/second-factor.ts'
import { addColleague, confirmEmail, newLead, startPortal, type TestPortal } from '../testing/start-portal.ts'

let portal: TestPortal
let partnerId: string
let colleagueId: string
let sessionToken: string
let apiKey: string
beforeAll(async () => {
  await using setUp = await startPortal()
  // Without this group of fields, nobody has the right to see money.
  const group = { name: 'payments' as const, fields: ['partner_commission'], seen_at: new Date().toISOString() }
  await setUp.deps.db.insertInto('crm_field_groups').values(group).execute()
  const partner = await setUp.newPartner()
  partnerId = partner.id
  await confirmEmail(setUp, partner)
  colleagueId = (await addColleague(setUp, partner, 'member')).id
  sessionToken = partner.token
  apiKey = await makeKey(partner, ['submit', 'read'])
  // A body sent to /team/settings may make a second factor compulsory. With this passkey, every route still serves
  // `partner`.
  await addPasskey(setUp, partner)
  // If the jobs of accepted requests also ran, the test would take 50% longer.
  portal = await startPortal({ on: setUp, env: { ROLE: 'web' } })
})
afterAll(() => portal[Symbol.asyncDispose]())

let asked = 0
/** The names of the routes that received random bad input. */
const tried = new Set<string>()

function ask(route: Route, request?: Parameters<typeof askRoute>[2]) {
  asked += 1
  return askRoute(portal, route, request)
}

function tokenFor(route: Route): string {
  return route.auth === 'api-key' ? apiKey : sessionToken
}

test.each(ROUTES_WITH_ID)('%s answers 404 for a text that cannot be an id', async (_name, route) => {
  for (const id of ODD_TEXTS) {
    const valid = { query: validQuery(route), body: validBody(route) }
    expect(faultOf(await ask(route, { token: tokenFor(route), id, ...valid }), 404)).toBeUndefined()
  }
})

const withQuery = named.filter(([, route]) => route.query !== undefined)
test.each(withQuery)('%s refuses or understands any query, and never fails', async (_name, route) => {
  // No record has the requested id.
  const refused = route.path.includes(':') ? 404 : 400
  const known = fieldsOf(route.query)
  const oddValues = known.flatMap((field) => ODD_TEXTS.map((text) => [field, text] as const))
  // No route knows these names, so one value is enough for each.
  const oddNames = ['__proto__', 'constructor', 'toString', 'a[b]', ''].map((name) => [name, '\u0000'] as const)
  for (const [field, text] of [...oddValues, ...oddNames]) {
    const query = `?${encodeURIComponent(field)}=${encodeURIComponent(text)}`
    const answer = await ask(route, { token: tokenFor(route), query })
    expect([
      query,
      answer.status === route.status ? undefined : faultOf(answer, answer.status === refused ? refused : 400),
    ]).toEqual([query, undefined])
  }
  for (const field of known) {
    expect(faultOf(await ask(route, { token: tokenFor(route), query: `?${field}=a&${field}=b` }), 400)).toBeUndefined()
  }
})

const reads = named.filter(([, route]) => route.method === 'GET')
// A stream begins with the time, so no two answers are equal.
const readsOfTheApp = reads.filter(([, route]) => ignoresUnknown(route) && route.envelope !== 'stream')
test.each(readsOfTheApp)('%s ignores an unknown query parameter', async (_name, route) => {
  const query = validQuery(route)
  const plain = await ask(route, { token: tokenFor(route), query })
  const more = await ask(route, { token: tokenFor(route), query: `${query}${query ? '&' : '?'}admin=true` })
  expect([more.status, withoutMoment(more.body)]).toEqual([plain.status, withoutMoment(plain.body)])
})

test('POST /auth/verify-email, for which a session is optional, ignores an unknown query parameter', async () => {
  const answers = await Promise.all(
    ['', '?admin=true'].map((query) => portal.post(`/auth/verify-email${query}`, { token: 'A'.repeat(43) })),
  )
  expect(answers.map(({ body }) => body.code)).toEqual(['INVALID_VERIFICATION_TOKEN', 'INVALID_VERIFICATION_TOKEN'])
})

/** The answer without `until` and `snapshot`, which differ in every answer. */
function withoutMoment(body: unknown): string {
  return JSON.stringify(body, (key, value) => (key === 'until' || key === 'snapshot' ? undefined : value))
}

const readsOfSystems = reads.filter(([, route]) => !ignoresUnknown(route))
test.each(readsOfSystems)('%s refuses an unknown query parameter', async (_name, route) => {
  expect(faultOf(await ask(route, { token: tokenFor(route), query: '?admin=true' }), 400)).toBeUndefined()
})

const withBody = named.filter(([, route]) => route.body !== undefined)
test.each(withBody)('%s refuses a malformed body, and never fails on an odd value', async (_name, route) => {
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
  for (const field of bodyFieldsOf(route)) {
    const values = [...ODD_VALUES, ...ODD_TEXTS, 'x'.repeat(60_000)]
    const faults = values.map(async (value) => {
      const answer = await ask(route, { token: tokenFor(route), body: { ...validBody(route), [field]: value } })
      const fault = answer.status < 300 ? undefined : faultOf(answer, 400, 401, 404, 409)
      return fault && `${field} ${JSON.stringify(value)}: ${fault}`
    })
    expect((await Promise.all(faults)).filter(Boolean)).toEqual([])
  }
})

/** A route without a body, query or id reads no input, so a test cannot send it bad input. */
const withInput = named.filter(([, route]) => route.body || route.bytesMax || route.query || route.path.includes(':'))
const INPUTS_AT_ONCE = 10
// oxlint-disable node/no-process-env -- a longer run than that of every day
/** FUZZ_REQUESTS sends so many random inputs to all routes together, instead of twenty to each. */
const INPUTS_A_ROUTE = Math.max(20, Math.ceil(Number(process.env['FUZZ_REQUESTS'] ?? 0) / withInput.length))
/**
 * The seed of the random inputs, so that every run tests the same inputs. A failure prints the seed and the shortest
 * failing input.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_120)
// oxlint-enable node/no-process-env

/** Makes a record for the route's address, so that input reaches the route's rules. Undefined if the CRM is needed too. */
async function makeRecord({ path }: Route): Promise<string | undefined> {
  if (!path.includes(':') || /\/(sync-deal|sync-runs|statements|webhook-logs|passkeys|sessions)\/:/.test(path)) return
  const { db } = portal.deps
  const make = async (to: string, body: unknown) => (await portal.post(to, body, { token: sessionToken })).body.data
  if (/\/(deals?|payments)\/:/.test(path)) return (await insertDeal(db, partnerId, { partner_commission: 5 })).loid
  const { id: leadId, loid } = await make('/dashboard/leads', newLead())
  if (path.startsWith('/crm/request/')) return insertRequest(db, loid)
  if (path.startsWith('/dashboard/attention/')) return `no-movement.lead.${leadId}.1`
  const document = { name: 'hello.txt', size: 5, sha256: HELLO_SHA256 }
  const makers: [string, () => Promise<string>][] = [
    ['/crm/document/', async () => (await make(`/crm/documents/${loid}`, document)).document.id],
    ['/crm/note/:id', async () => (await make(`/crm/note/${loid}`, { content: 'A note long enough.' })).note.id],
    [
      '/dashboard/views/',
      async () => (await make('/dashboard/views', { list: 'leads', name: 'Hot', query: 'a=b' })).id,
    ],
    ['/dashboard/leads/imports/', async () => (await make('/dashboard/leads/imports', LEADS_FILE)).id],
    [
      '/dashboard/api-keys/',
      async () => (await make('/dashboard/api-keys', { name: loid, rights: ['read'] })).keys[0].id,
    ],
    ['/team/people/', async () => colleagueId],
    ['/team/', async () => (await make('/team/invitations', { ...INVITED, email: `${loid}@example.com` })).id],
  ]
  return makers.find(([begin]) => path.startsWith(begin))?.[1]() ?? loid
}

test.each(withInput)(
  '%s answers any input with success or a refusal, never with an internal error',
  { timeout: 300_000 + INPUTS_A_ROUTE * 1_000 },
  async (name, route) => {
    const record = await makeRecord(route)
    const inputs = fc.array(badInput(route, validBody(route), record), {
      minLength: INPUTS_AT_ONCE,
      maxLength: INPUTS_AT_ONCE,
    })
    const property = fc.asyncProperty(inputs, async (batch) => {
      const faults = await Promise.all(batch.map((input) => faultFor(route, input)))
      expect(faults.filter(Boolean)).toEqual([])
    })
    await fc.assert(property, { numRuns: Math.ceil(INPUTS_A_ROUTE / INPUTS_AT_ONCE), seed: SEED })
    tried.add(name)
  },
)

const withWrite = named.filter(([, route]) => route.method !== 'GET')
test.each(withWrite)('%s refuses a body that is too large', async (_name, route) => {
  const path = route.path.replace(/:\w+/, 'LO-00000000')
  const body = route.bytesMax !== undefined ? Buffer.alloc(route.bytesMax + 1) : { a: 'x'.repeat(66_000) }
  const large = await portal.ask(route.method, path, { token: tokenFor(route), body })
  expect(faultOf(large, 413)).toBeUndefined()
})

const readingBody = withWrite.filter(([, route]) => route.body !== undefined)
test.each(readingBody)('%s refuses a body that is not JSON', async (_name, route) => {
  const path = route.path.replace(/:\w+/, 'LO-00000000')
  const send = (body: string, type: string) =>
    portal.ask(route.method, path, { token: tokenFor(route), body, headers: { 'content-type': type } })
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
    expect([type, faultOf(await send('a=1', type), 415)]).toEqual([type, undefined])
  }
  expect(faultOf(await send('{"a":', 'application/json'), 400)).toBeUndefined()
})

test('every route that reads input received bad input', () => {
  expect(withInput.map(([name]) => name).filter((name) => !tried.has(name))).toEqual([])
  console.log(
    `Contract: ${withInput.length} of ${named.length} routes read input and received bad input (${asked} requests)`,
  )
})

/**
 * Sends an input and returns the fault of the answer, if any. Input that the contract's schemas accept may succeed;
 * other input must be refused in the API's form.
 */
async function faultFor(route: Route, input: BadInput): Promise<string | undefined> {
  const query = new URLSearchParams(input.query).toString()
  const path = route.path.replace(/:\w+/, encodeURIComponent((input.id ?? 'LO-00000000').toWellFormed()))
  asked += 1
  const body = input.body ?? (route.bytesMax ? LEADS_FILE : route.body && JSON.stringify(validBody(route)))
  const answer = await portal.ask(route.method, `${path}${query && `?${query}`}`, {
    token: tokenFor(route),
    ...(route.method !== 'GET' && body !== undefined && { body }),
  })
  const isRefusal = answer.status >= 400 && answer.status < 500
  if (answer.status >= 300) {
    const fault = isRefusal ? faultOf(answer, answer.status) : `${answer.status} ${JSON.stringify(answer.body)}`
    return fault && `${JSON.stringify(input)}: ${fault}`
  }
  const given = Object.entries(Object.fromEntries(new URLSearchParams(query)))
  const isTaken =
    takes(route, route.query, Object.fromEntries(given.filter(([, text]) => text.trim() !== ''))) &&
    takesBody(route, body)
  return isTaken ? undefined : `${JSON.stringify(input)}: accepted, although the contract refuses it`
}

function takesBody(route: Route, body: string | Buffer | undefined): boolean {
  if (route.method === 'GET' || Buffer.isBuffer(body) || (route.body === undefined && ignoresUnknown(route)))
    return true
  return takes(route, route.body, body === undefined || body === '' ? {} : JSON.parse(body))
}

function takes(route: Route, schema: Route['body'], value: unknown): boolean {
  if (schema) return schema.safeParse(value).success
  return ignoresUnknown(route) || Object.keys(Object(value)).length === 0
}
