import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ERROR_CODES } from '@portal/contract/error-codes.ts'
import { EVENT_PAYLOADS } from '@portal/contract/event-payloads.ts'
import { ApiDocs } from '@portal/contract/partner-api.ts'
import { EVENT_TYPES } from '@portal/contract/webhooks.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { insertDeal } from '../../testing/insert-deal.ts'
import { makeKey } from '../../testing/make-key.ts'
import { addApp } from '../../testing/second-factor.ts'
import {
  type Answer,
  addColleague,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { DOCUMENTED_ROUTES } from './documented-routes.ts'

let portal: TestPortal
let partner: TestPartner
let key: string
let docs: ApiDocs
let folder: string
beforeAll(async () => {
  portal = await startPortal({ env: { RATE_LIMITS: 'on', MAIL_FROM: 'Broker Desk <desk@lender.example>' } })
  partner = await portal.newPartner()
  key = await makeKey(partner, ['submit', 'read'])
  docs = (await partner.get('/dashboard/api-docs')).body.data
  folder = await mkdtemp(join(tmpdir(), 'examples '))
})
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const run = promisify(execFile)

/** Runs a program and returns its output. The test fails if the program is missing. */
async function outputOf(program: string, words: string[]): Promise<string> {
  try {
    const { stdout } = await run(program, words, { env: { ...process.env, PORTAL_API_KEY: key }, cwd: folder })
    return stdout
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) throw new Error(`${program} is needed: the documentation's examples are run as printed`)
    throw error
  }
}

async function fileWith(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

test('GET /dashboard/api-docs returns the API documentation without the partner’s key or token', async () => {
  const answer = await partner.get('/dashboard/api-docs')
  expect(answer.status).toBe(200)
  expect(ApiDocs.parse(answer.body.data)).toEqual(answer.body.data)
  expect(docs.baseUrl).toBe(`${portal.deps.publicUrl}/api`)
  // The portal writes this placeholder instead of a key.
  expect(docs.authentication.header).toBe('Authorization: Bearer <YOUR_API_KEY>')
  expect(docs.support).toEqual({
    email: 'desk@lender.example',
    documentation: `${portal.deps.publicUrl}/api-docs`,
    portal: portal.deps.publicUrl,
  })
  expect(JSON.stringify(docs)).not.toMatch(/lp_[0-9A-Za-z]{38}/)
  expect(JSON.stringify(docs)).not.toContain(partner.token)
  expect(docs.endpoints.find((one) => one.path === '/partner/leads')?.requestBody?.example).toHaveProperty(
    'business_name',
  )
})

test('GET /partner/docs returns the same documentation to a caller with an API key', async () => {
  const answer = await portal.get('/partner/docs', { token: key })
  expect([answer.status, answer.body.data]).toEqual([200, docs])
})

test('GET /openapi.json returns a valid, public document without an envelope', async () => {
  const answer = await portal.get('/openapi.json')
  expect([answer.status, answer.body.openapi]).toEqual([200, '3.1.0'])
  expect(answer.headers.get('content-type')).toContain('application/json')
  const validator = new Validator()
  const { valid, errors } = await validator.validate(answer.body)
  expect([valid, errors]).toEqual([true, undefined])
  expect(() => validator.resolveRefs()).not.toThrow()
})

test('the portal serves every route in its documentation and in its OpenAPI document', async () => {
  const { paths } = (await portal.get('/openapi.json')).body
  const described = DOCUMENTED_ROUTES.map(({ route }) => `${route.method} ${route.path.replace(/:(\w+)/, '{$1}')}`)
  const listed = docs.endpoints.map(({ method, path }) => `${method} ${path}`)
  const inOpenApi = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(listed).toEqual(described)
  expect(inOpenApi.toSorted()).toEqual(described.toSorted())
  for (const { method, path } of docs.endpoints) {
    const answer = await portal.ask(method, path.replace(/\{\w+\}/, 'LO-00000000'), { token: key })
    expect([path, answer.body.error]).not.toEqual([path, 'There is no such address in this API'])
  }
})

test('the portal accepts the documented request examples, and its answers match the documented schemas', async () => {
  const { paths } = (await portal.get('/openapi.json')).body
  for (const { route, requestExample, answerExample } of DOCUMENTED_ROUTES) {
    if (!requestExample) continue
    const answer = await portal.post(route.path, requestExample, { token: key })
    expect([route.path, answer.status]).toEqual([route.path, 201])
    expect(Object.keys(answer.body.data)).toEqual(Object.keys(Object(answerExample)))
    const { post } = paths[route.path]
    const schema = z.fromJSONSchema(post.requestBody.content['application/json'].schema)
    expect(schema.safeParse(requestExample).error).toBeUndefined()
    expect(schema.safeParse({ ...requestExample, business_name: undefined }).success).toBe(false)
    expect(schema.safeParse({ ...requestExample, loan_type: 'Gift' }).success).toBe(false)
    const answered = z.fromJSONSchema(post.responses['201'].content['application/json'].schema)
    expect(answered.safeParse(answer.body).error).toBeUndefined()
  }
})

test('the fields that the API documentation calls required are the fields that the portal requires', async () => {
  for (const { method, path, requestBody } of docs.endpoints) {
    if (!requestBody) continue
    const { fields } = (await portal.ask(method, path, { token: key, body: {} })).body
    const required = requestBody.fields.filter((field) => field.required).map((field) => field.name)
    expect([path, Object.keys(fields)]).toEqual([path, [...required, 'email', 'phone']])
  }
})

test('each description of a field ends with one full stop', () => {
  const fields = docs.endpoints.flatMap(({ requestBody }) => requestBody?.fields ?? [])
  const wrong = fields.map(({ description }) => description).filter((text) => !/[^.]\.$/.test(text))
  expect(wrong).toEqual([])
})

test('the portal’s answers have the documented limits and headers', async () => {
  const answer = await portal.get('/partner/docs', { token: key })
  for (const { name } of docs.rateLimits.headers.filter((header) => header.name !== 'Retry-After')) {
    expect([name, answer.headers.get(name)]).not.toEqual([name, null])
  }
  const [calls, body, idempotency] = docs.rateLimits.limits
  expect(calls?.limit).toBe(`${answer.headers.get('ratelimit-limit')} a minute`)
  expect([body?.limit, idempotency?.limit]).toEqual(['64 KiB', '255 characters, remembered 24 hours'])
})

test('callers get the documented error codes with the documented statuses', async () => {
  const headers = { 'idempotency-key': 'codes' }
  const limited = await portal.newPartner()
  const spent: string = (await limited.post('/dashboard/generate-api-key')).body.data.api_key
  const viewer = await addColleague(portal, limited, 'viewer')
  const ask = (body: unknown, more: object = {}) => portal.post('/webhook/lead', body, { token: key, ...more })
  const least = { business_name: 'Codes', email: 'codes@example.com' }
  const askWithoutSecondFactor = async () => {
    await addApp(portal, limited)
    await limited.put('/team/settings', { second_factor_required: true })
    return viewer.get('/webhook/status/LO-00000000')
  }
  const askSuspended = async () => {
    const suspended = await portal.newPartner()
    const { api_key: token } = (await suspended.post('/dashboard/generate-api-key')).body.data
    const { db } = portal.deps
    await db.updateTable('partners').set({ portal_access: 'Suspended' }).where('id', '=', suspended.id).execute()
    return ask(least, { token })
  }
  const gone = async (table: 'leads' | 'deals', loid: string) => {
    await portal.deps.pool.query(
      `update ${table} set archived_at = now(), archived_reason = 'left-crm' where loid = $1`,
      [loid],
    )
    return portal.get(`/partner/${table}/${loid}`, { token: key })
  }
  const { cursor } = (await portal.get('/partner/events', { token: key })).body.data
  const old = { ...JSON.parse(Buffer.from(cursor, 'base64url').toString()), day: '2020-01-01' }
  const oldCursor = Buffer.from(JSON.stringify(old)).toString('base64url')
  await ask(least, { headers })
  const answers = [
    await ask({}),
    await ask('{'),
    await ask(least, { token: 'nobody' }),
    await askSuspended(),
    await viewer.post('/webhook/lead', least),
    await askWithoutSecondFactor(),
    await portal.get('/webhook/status/LO-00000000', { token: key }),
    await gone('leads', (await ask({ ...least, email: 'gone@example.com' })).body.data.loid),
    await gone('deals', (await portal.post('/webhook/deal', least, { token: key })).body.data.loid),
    await ask({ ...least, business_name: 'Other' }, { headers }),
    await portal.get(`/partner/events?since=${oldCursor}`, { token: key }),
    await ask('x'.repeat(70_000)),
    await ask('a', { headers: { 'content-type': 'text/plain' } }),
    (await Promise.all(Array.from({ length: 121 }, () => ask({}, { token: spent })))).find(
      ({ status }) => status === 429,
    ),
  ]
  await portal.deps.pool.query('alter table history_entries rename to history_elsewhere')
  answers.push(await ask(least))
  await portal.deps.pool.query('alter table history_elsewhere rename to history_entries')
  await portal.withoutDatabase(async () => {
    answers.push(await ask(least))
  })
  const seen = answers.map((answer?: Answer) => [answer?.body.code, `HTTP ${answer?.status}`])
  const shown = Object.entries(docs.errorCodes).map(([code, text]) => [code, text.split('.', 1)[0]])
  expect(seen).toEqual(shown)
  for (const [code, text] of Object.entries(docs.errorCodes)) {
    expect(Object.entries(ERROR_CODES).some(([one, words]) => one === code && text.endsWith(words))).toBe(true)
  }
})

test('OpenAPI lists the answer 403 for every call', async () => {
  const { paths, components } = (await portal.get('/openapi.json')).body
  for (const { route } of DOCUMENTED_ROUTES) {
    const { responses } = paths[route.path.replace(/:(\w+)/, '{$1}')][route.method.toLowerCase()]
    expect([route.path, '403' in responses]).toEqual([route.path, true])
  }
  expect(components.schemas.Failure.properties.code.enum).toContain('NOT_ALLOWED')
})

test('the cURL example runs as printed', async () => {
  await outputOf('curl', ['--version'])
  const answer = JSON.parse(await outputOf('sh', [await fileWith('example.sh', docs.examples.curl)]))
  expect(answer).toMatchObject({ success: true, data: { status: 'New Lead' } })
  expect((await partner.get(`/crm/lead/${answer.data.loid}`)).body.data.lead.business_name).toBe('Okafor Freight')
})

test('the JavaScript example runs as printed', async () => {
  const output = await outputOf(process.execPath, [await fileWith('example.mjs', docs.examples.javascript)])
  expect(output).toMatch(/^Submitted LO-[0-9A-Z]{8}\nNew Lead\n$/)
})

test('the Python example runs as printed', async () => {
  const output = await outputOf('python3', [await fileWith('example.py', docs.examples.python)])
  expect(output).toMatch(/^Submitted LO-[0-9A-Z]{8}\nNew Lead\n$/)
})

test('the examples that follow changes run as printed, and go on where they stopped', async () => {
  const ways = [
    { program: 'sh', file: 'follow.sh', text: docs.readExamples.curl },
    { program: process.execPath, file: 'follow.mjs', text: docs.readExamples.javascript },
    { program: 'python3', file: 'follow.py', text: docs.readExamples.python },
  ]
  const reader = await portal.newPartner()
  const former = key
  key = await makeKey(reader, ['read'])
  try {
    for (const { program, file, text } of ways) {
      await rm(join(folder, 'cursor.txt'), { force: true })
      const { loid } = await reader.submitLead()
      const example = await fileWith(file, text)
      const isRead = async () => (await outputOf(program, [example])).includes(loid)
      await waitFor(`${file} to read the lead`, isRead)
      await waitFor(`${file} to read on`, async () => !(await isRead()))
      await portal.deps.pool.query(`update leads set state = 'VIC' where loid = $1`, [loid])
      expect(await waitFor(`${file} to read the change`, isRead)).toBe(true)
    }
  } finally {
    key = former
  }
})

test('documented answers of the read side match their schemas, and so do the portal’s answers', async () => {
  const { paths } = (await portal.get('/openapi.json')).body
  const { loid } = await partner.submitLead()
  const deal = await insertDeal(portal.deps.db, partner.id)
  for (const { route, tag, answerExample } of DOCUMENTED_ROUTES) {
    if (tag !== 'Read') continue
    const path = route.path.replace(/:(\w+)/, '{$1}')
    const answered = z.fromJSONSchema(paths[path].get.responses['200'].content['application/json'].schema)
    expect([path, answered.safeParse({ success: true, data: answerExample }).error]).toEqual([path, undefined])
    const answer = await portal.get(path.replace('{loid}', path.includes('deals') ? deal.loid : loid), { token: key })
    expect([path, answer.status, answered.safeParse(answer.body).error]).toEqual([path, 200, undefined])
  }
})

test('the Python example prints the portal’s error if the key is wrong', async () => {
  const right = key
  key = 'lp_wrong'
  try {
    const example = await fileWith('wrong.py', docs.examples.python)
    await expect(outputOf('python3', [example])).rejects.toThrow('UNAUTHORIZED: A valid API key is needed')
  } finally {
    key = right
  }
})

const SECRET = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`
const BODY = JSON.stringify({ ...EVENT_PAYLOADS['lead.created'].example, note: 'Kārearea – 50 €' })

/** Deliveries that an independent implementation signed, and deliveries that are not genuine. */
function deliveries() {
  const now = new Date()
  const seconds = (at: Date) => String(Math.floor(at.getTime() / 1_000))
  const old = new Date(now.getTime() - 10 * 60_000)
  const signature = new Webhook(SECRET).sign('msg_1', now, BODY)
  const other = new Webhook(`whsec_${Buffer.from('another secret').toString('base64')}`).sign('msg_1', now, BODY)
  const genuine = { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds(now), 'webhook-signature': signature }
  return [
    { isGenuine: true, body: BODY, headers: genuine },
    { isGenuine: true, body: BODY, headers: { ...genuine, 'webhook-signature': `${other} ${signature}` } },
    { isGenuine: false, body: `${BODY} `, headers: genuine },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-signature': other } },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-id': 'msg_2' } },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-timestamp': seconds(old) } },
    {
      isGenuine: false,
      body: BODY,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': seconds(old),
        'webhook-signature': new Webhook(SECRET).sign('msg_1', old, BODY),
      },
    },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-timestamp': 'now' } },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-signature': 'v1,AAAA' } },
    { isGenuine: false, body: BODY, headers: { ...genuine, 'webhook-signature': signature.replace('v1,', 'v2,') } },
    { isGenuine: false, body: BODY, headers: {} },
  ]
}

test('the JavaScript snippet accepts only genuine deliveries', async () => {
  const cases = deliveries()
  await fileWith('verify.mjs', docs.webhooks.verification.javascript)
  await fileWith('cases.json', JSON.stringify(cases))
  const runner = `import { readFileSync } from 'node:fs'
    import { isGenuine } from './verify.mjs'
    const cases = JSON.parse(readFileSync('cases.json', 'utf8'))
    console.log(JSON.stringify(cases.map(({ body, headers }) => isGenuine(body, headers, '${SECRET}'))))`
  const output = await outputOf(process.execPath, [await fileWith('run-verify.mjs', runner)])
  expect(JSON.parse(output)).toEqual(cases.map((one) => one.isGenuine))
})

test('the Python snippet accepts only genuine deliveries', async () => {
  const cases = deliveries()
  await fileWith('verify.py', docs.webhooks.verification.python)
  await fileWith('cases.json', JSON.stringify(cases))
  const runner = `import json
from verify import is_genuine
with open('cases.json', encoding='utf-8') as file:
    cases = json.load(file)
print(json.dumps([is_genuine(one['body'].encode(), one['headers'], '${SECRET}') for one in cases]))`
  const output = await outputOf('python3', [await fileWith('run_verify.py', runner)])
  expect(JSON.parse(output)).toEqual(cases.map((one) => one.isGenuine))
})

test('every event is documented with an example that matches the event’s schema', async () => {
  const { webhooks } = (await portal.get('/openapi.json')).body
  expect(Object.keys(EVENT_PAYLOADS)).toEqual([...EVENT_TYPES])
  expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES])
  expect(docs.webhooks.events.map((event) => event.type)).toEqual([...EVENT_TYPES])
  for (const [type, { schema, example }] of Object.entries(EVENT_PAYLOADS)) {
    expect([type, schema.safeParse(example).error]).toEqual([type, undefined])
    expect(JSON.stringify(schema)).not.toMatch(/email|phone|abn|content/)
  }
})
