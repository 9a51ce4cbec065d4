import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertNewerLeads } from '../../testing/insert-many.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let partner: TestPartner
beforeAll(async () => {
  portal = await startPortal()
  partner = await portal.newPartner()
  await insertNewerLeads(portal.deps, partner.id, 100)
})
afterAll(() => portal[Symbol.asyncDispose]())

interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  text: string
}

/** Sends the path unchanged; `fetch` would normalise it first. */
function raw(
  method: string,
  path: string,
  { body, headers }: { body?: string | Buffer; headers?: Record<string, string> } = {},
) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const { hostname, port } = new URL(portal.url)
    const sent = httpRequest({ hostname, port, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const json = { 'content-type': 'application/json' }

test.each([
  ['an unknown address', 'GET', '/api/nothing/here', {}, 404, 'NOT_FOUND'],
  ['a form at an unknown address', 'POST', '/api/nothing/here', { body: 'a=1', headers: form() }, 404, 'NOT_FOUND'],
  ['broken JSON at an unknown address', 'POST', '/api/nothing', { body: '{"', headers: json }, 404, 'NOT_FOUND'],
  ['the root of the API', 'GET', '/api', {}, 404, 'NOT_FOUND'],
  ['a method that the address does not have', 'DELETE', '/api/auth/login', {}, 405, 'METHOD_NOT_ALLOWED'],
  ['a method that a record’s address does not have', 'PATCH', '/api/crm/lead/x?y=z', {}, 405, 'METHOD_NOT_ALLOWED'],
  ['bytes that are not UTF-8', 'POST', '/api/auth/login', { body: latin(), headers: json }, 400, 'MALFORMED_REQUEST'],
  ['half a character', 'POST', '/api/auth/login', { body: half(), headers: json }, 400, 'MALFORMED_REQUEST'],
  ['UTF-16', 'POST', '/api/auth/login', { body: utf16(), headers: json }, 400, 'MALFORMED_REQUEST'],
  ['another charset', 'POST', '/api/auth/login', { body: '{}', headers: charset() }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [
    'a packed body',
    'POST',
    '/api/auth/login',
    { body: gzipSync('{}'), headers: gzip() },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['broken JSON', 'POST', '/api/auth/login', { body: '{"email":', headers: json }, 400, 'MALFORMED_REQUEST'],
  ['a prototype key', 'POST', '/api/auth/login', { body: '{"__proto__":{}}', headers: json }, 400, 'MALFORMED_REQUEST'],
  ['an array instead of an object', 'POST', '/api/auth/login', { body: '[]', headers: json }, 400, 'VALIDATION'],
  ['a string instead of an object', 'POST', '/api/auth/login', { body: '"x"', headers: json }, 400, 'VALIDATION'],
  ['null', 'POST', '/api/auth/login', { body: 'null', headers: json }, 400, 'VALIDATION'],
  ['an empty body', 'POST', '/api/auth/login', { body: '', headers: json }, 400, 'VALIDATION'],
  ['a form', 'POST', '/api/auth/login', { body: 'a=1', headers: form() }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['plain text', 'POST', '/api/auth/login', { body: '{}', headers: plain() }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a body that is too large', 'POST', '/api/auth/login', { body: large(), headers: json }, 413, 'PAYLOAD_TOO_LARGE'],
  ['an address that is not validly encoded', 'GET', '/api/crm/lead/%E0%A4%A', {}, 400, 'MALFORMED_REQUEST'],
  [
    'a session that does not exist',
    'GET',
    '/api/profile',
    { headers: { authorization: 'Bearer x' } },
    401,
    'UNAUTHORIZED',
  ],
  [
    'a scheme other than Bearer',
    'GET',
    '/api/profile',
    { headers: { authorization: 'Basic eDp5' } },
    401,
    'UNAUTHORIZED',
  ],
])('%s is refused with an API error', async (_what, method, path, request, status, code) => {
  const answer = await raw(method, path, request)
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    status,
    expect.objectContaining({ success: false, code, error: expect.stringMatching(/^[A-Z].{5,}/) }),
  ])
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/)
  expect(answer.text).not.toMatch(/select |node_modules|at .*\.ts|FST_/)
})

test('an answer of 405 names the methods that the address knows', async () => {
  expect((await raw('PUT', '/api/auth/login')).headers['allow']).toBe('POST')
  expect((await raw('POST', '/api/profile')).headers['allow']).toBe('GET, HEAD, PUT')
  expect((await raw('OPTIONS', '/api/health?x')).headers['allow']).toBe('GET, HEAD')
  expect((await raw('GET', '/api/nothing')).headers['allow']).toBeUndefined()
})

test('a body that is not UTF-8 stores nothing, and UTF-8 is read under each of its names, with and without a BOM', async () => {
  const partner = await portal.newPartner()
  const send = async (body: Buffer, more: Record<string, string>) => {
    const headers = { ...json, authorization: `Bearer ${partner.token}`, ...more }
    const answer = await raw('POST', '/api/dashboard/leads', { body, headers })
    return [answer.status, JSON.parse(answer.text).error]
  }
  const lead = JSON.stringify(newLead({ businessName: 'Ngāti Café' }))
  const [before = '', after = ''] = lead.split('Café')
  const notUtf8 = {
    'a single byte': [0xe9],
    'half a character': [0xc3],
    'a continuation alone': [0x80],
    'a slash, overlong': [0xc0, 0xaf],
    'half a surrogate pair': [0xed, 0xa0, 0x80],
    'a point past the last': [0xf4, 0x90, 0x80, 0x80],
    'UTF-16': [0xff, 0xfe, 0x43, 0x00],
  }
  for (const [what, bytes] of Object.entries(notUtf8)) {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    expect([what, await send(body, {})]).toEqual([what, [400, 'The body is not valid UTF-8.']])
  }
  const refused = 'The body must be JSON in UTF-8 (charset=utf-8).'
  for (const one of ['iso-8859-1', 'UTF-16', 'windows-1252', 'gbk']) {
    expect(await send(Buffer.from(lead), { 'content-type': `application/json;charset=${one}` })).toEqual([415, refused])
  }
  const packed = 'The body must not be compressed (no content-encoding).'
  for (const one of ['gzip', 'br', 'deflate', 'gzip, identity']) {
    expect(await send(gzipSync(lead), { 'content-encoding': one })).toEqual([415, packed])
  }
  expect((await partner.get('/dashboard/leads')).body.data.leads).toEqual([])
  for (const one of ['application/json; charset=UTF-8', 'application/json;charset="utf8"', 'Application/JSON']) {
    expect(await send(Buffer.from(`\ufeff${lead}`), { 'content-type': one, 'content-encoding': 'identity' })).toEqual([
      201,
      undefined,
    ])
  }
  const { leads } = (await partner.get('/dashboard/leads')).body.data
  expect(leads.map((one: { business_name: string }) => one.business_name)).toEqual(Array(3).fill('Ngāti Café'))
})

test('headers that are too large are refused with an API error', async () => {
  const answer = await raw('GET', `/api/dashboard/leads?search=${'x'.repeat(40_000)}`)
  expect(answer.status).toBe(431)
  expect(JSON.parse(answer.text)).toMatchObject({ success: false, code: 'MALFORMED_REQUEST' })
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/)
})

test('input that is not HTTP is answered with 400, and its connection is closed', async () => {
  const { hostname, port } = new URL(portal.url)
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('hello\r\n\r\n'))
    const parts: Buffer[] = []
    socket.on('data', (part) => parts.push(part))
    socket.on('end', () => resolve(Buffer.concat(parts).toString()))
    socket.on('error', reject)
  })
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  expect(text).toMatch(/x-request-id: [\w-]{36}\r\n/)
  expect(text).toContain('"success":false')
})

test('a body without a media type is refused, and a JSON body of exactly 64 KiB is read', async () => {
  const body = JSON.stringify({ email: '', password: 'x'.repeat(64 * 1024) }).slice(0, 64 * 1024 - 2)
  expect(Buffer.byteLength(`${body}"}`)).toBe(64 * 1024)
  const answer = await raw('POST', '/api/auth/login', { body: `${body}"}`, headers: json })
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'VALIDATION'])
  expect((await raw('POST', '/api/auth/login', { body: '{}' })).status).toBe(415)
})

test('every answer has its own request id, and answers of the API are never cached', async () => {
  const answers = [await portal.get('/health'), await partner.get('/profile'), await portal.get('/nothing')]
  const ids = answers.map((answer) => answer.headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(3)
  expect(answers.map((answer) => answer.headers.get('cache-control'))).toEqual(['no-store', 'no-store', 'no-store'])
  expect(answers[1]?.headers.get('x-content-type-options')).toBe('nosniff')
})

test.each([
  ['an answer of a few kilobytes', '/api/dashboard/leads', 1],
  ['an answer of more than 64 kB', '/api/dashboard/leads?limit=100', 64],
])('%s is compressed only in an encoding that the caller accepts', async (_what, path, kilobytes) => {
  const ask = (encoding: string) =>
    raw('GET', path, { headers: { authorization: `Bearer ${partner.token}`, 'accept-encoding': encoding } })
  const packed = await ask('gzip, deflate, br, zstd')
  expect(packed.headers).toMatchObject({ 'content-encoding': 'zstd', vary: 'accept-encoding' })
  const text = zstdDecompressSync(packed.bytes).toString()
  expect(Buffer.byteLength(text)).toBeGreaterThan(kilobytes * 1_024)
  expect(packed.bytes.length).toBeLessThan(text.length / 2)
  const older = await ask('gzip, deflate, br')
  expect(older.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(gunzipSync(older.bytes).toString()).toBe(text)
  expect(older.bytes.length).toBeLessThan(text.length / 2)
  for (const encoding of ['identity', 'br', 'gzip;q=0']) {
    const plainAnswer = await ask(encoding)
    expect(plainAnswer.headers).toMatchObject({ vary: 'accept-encoding' })
    expect(plainAnswer.headers['content-encoding']).toBeUndefined()
    expect(plainAnswer.text).toBe(text)
  }
})

test('a short answer is not compressed', async () => {
  const health = await raw('GET', '/api/health', { headers: { 'accept-encoding': 'gzip' } })
  expect(health.headers['content-encoding']).toBeUndefined()
})

test('the answer names at most twenty unknown fields, with shortened names', async () => {
  const body = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${'k'.repeat(60)}${i}`, i]))
  const answer = await partner.post('/webhook/lead', { ...newLead(), ...body })
  expect(answer.status).toBe(400)
  expect(answer.body.error).toBe(`${'k'.repeat(50)}… is not a known field`)
  expect(Object.keys(answer.body.fields).length).toBeLessThanOrEqual(20)
})

test('an id that is too long is answered like an unknown id', async () => {
  expect((await partner.get(`/crm/lead/${'x'.repeat(5_000)}`)).status).toBe(404)
})

test('/api-docs and /api-keys are pages, not addresses of the API', async () => {
  for (const path of ['/api-docs', '/api-keys']) {
    expect((await raw('GET', path)).headers['cache-control']).not.toBe('no-store')
  }
})

test('the app’s own routes ignore unknown fields, unknown parameters and blank filters', async () => {
  const lead = await partner.post('/dashboard/leads', { ...newLead(), lead_status: 'Funded' })
  expect([lead.status, lead.body.data.lead_status]).toEqual([201, 'New Lead'])
  for (const query of ['?_=1', '?__proto__=1&constructor=1', '?status=&source=&search=&dateFrom=&page=&limit=%20']) {
    expect([query, (await partner.get(`/dashboard/leads${query}`)).status]).toEqual([query, 200])
  }
  expect((await partner.get('/dashboard/webhook-logs?status=')).status).toBe(200)
  expect((await partner.get('/dashboard/webhook-logs?status=x')).status).toBe(400)
})

test.each([
  ['JSON', { token: 'x' }, json],
  ['broken JSON', '{"token"', json],
  ['a form', 'token=x', form()],
  ['text', 'bye', plain()],
])('signing out succeeds with any body: %s', async (_what, body, headers) => {
  const leaving = await portal.newPartner()
  expect((await leaving.post('/auth/logout', body, { headers })).status).toBe(200)
  expect((await leaving.get('/profile')).status).toBe(401)
})

function form() {
  return { 'content-type': 'application/x-www-form-urlencoded' }
}
function plain() {
  return { 'content-type': 'text/plain' }
}
function latin() {
  return Buffer.from('{"email":"jörg@example.com"}', 'latin1')
}

function half() {
  return Buffer.from('{"email":"jö"}').subarray(0, 13)
}

function utf16() {
  return Buffer.from('\ufeff{}', 'utf16le')
}

function charset() {
  return { 'content-type': 'application/json; charset="ISO-8859-1"' }
}

function gzip() {
  return { ...json, 'content-encoding': 'gzip' }
}

function large() {
  return JSON.stringify({ email: 'x'.repeat(70_000) })
}

/** A bare TCP connection. The portal can close its end, but this end stays open. */
function openConnection(to: TestPortal, text = '') {
  const { hostname, port } = new URL(to.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const heard = { text: '', isEnded: false, isClosed: false }
  socket.on('data', (part) => {
    heard.text += part.toString()
  })
  socket.on('error', () => undefined)
  socket.on('end', () => {
    heard.isEnded = true
  })
  socket.on('close', () => {
    heard.isClosed = true
  })
  socket.write(text)
  return { socket, heard }
}

/** A request whose body never ends. The server confirms its head with 100 Continue. */
const ENDLESS = [
  'POST /api/auth/login HTTP/1.1',
  'host: portal',
  'content-type: application/json',
  'content-length: 1000',
  'expect: 100-continue',
  '\r\n{',
].join('\r\n')

test('a request with two Host headers is refused', async () => {
  for (const path of ['/api/health', '/login']) {
    const { socket, heard } = openConnection(portal, `GET ${path} HTTP/1.1\r\nHost: portal\r\nhost: other\r\n\r\n`)
    await waitFor('the answer', async () => heard.text.includes('\r\n\r\n'))
    expect(heard.text).toMatch(/^HTTP\/1\.1 400 /)
    socket.destroy()
  }
})

test('a request that does not end is answered with 408, and its connection is closed even if the caller keeps it open', async () => {
  await using hasty = await startPortal({ env: { REQUEST_TIMEOUT_MS: '600' } })
  for (const beginning of [ENDLESS, 'GET /api/health HTTP/1.1\r\nho']) {
    const { socket, heard } = openConnection(hasty, beginning)
    const trickle = setInterval(() => socket.write('x'), 50)
    await waitFor('the connection to be gone', async () => heard.isClosed)
    clearInterval(trickle)
    expect(heard.text).toContain('HTTP/1.1 408 ')
  }
})

test('a portal that has reached its limit of connections closes further connections', async () => {
  await using small = await startPortal({ env: { CONNECTIONS_MAX: '10' } })
  const opened = Array.from({ length: 12 }, () => openConnection(small))
  await waitFor('a connection to be closed', async () => opened.some(({ heard }) => heard.isEnded))
  expect(opened.filter(({ heard }) => !heard.isEnded).length).toBeGreaterThan(0)
  for (const { socket } of opened) socket.destroy()
  await waitFor('a free connection', async () => (await small.get('/health')).status === 200)
})

test('a caller who hangs up in the middle of a body is not logged as a failed request', async () => {
  const lines: string[] = []
  await using talkative = await startPortal({ onLogLine: (line) => lines.push(line) })
  const { socket, heard } = openConnection(talkative, ENDLESS)
  await waitFor('the request to arrive', async () => heard.text.includes('100 Continue'))
  socket.destroy()
  await waitFor('the portal to notice', async () => lines.some((line) => /hung up|request failed/.test(line)))
  expect(lines.join('')).not.toContain('request failed')
})
