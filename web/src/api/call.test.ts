import { readProfile, refreshSession, signIn } from '@portal/contract/accounts.ts'
import { listLeads, readLead } from '@portal/contract/leads.ts'
import { syncLeads } from '@portal/contract/sync.ts'
import { expect, test, vi } from 'vitest'
import { data, failure, serve } from '../testing/server.ts'
import { call } from './call.ts'
import { OFFLINE } from './failure.ts'
import { readToken, storeToken } from './token.ts'

test('a call sends the token, fills in the path and leaves out blank filters', async () => {
  storeToken('secret')
  const server = serve({
    'GET /crm/lead/a%2Fb': () => ({ body: data({ lead: {}, notes: [] }) }),
    'GET /dashboard/leads': () => ({
      body: { ...data({ leads: [] }), pagination: { page: 2, limit: 20, has_more: false } },
    }),
  })
  await call(readLead, { params: { id: 'a/b' } })
  const list = await call(listLeads, { query: { page: 2, status: '', search: 'x y' } })

  expect(server.seen[0]?.headers.get('authorization')).toBe('Bearer secret')
  expect(server.seen[1]?.query).toEqual({ page: '2', search: 'x y' })
  expect(list).toEqual({ data: { leads: [] }, pagination: { page: 2, limit: 20, has_more: false } })
})

test('signing in sends no token and reads an answer without an envelope', async () => {
  storeToken('old')
  const server = serve({ 'POST /auth/login': () => ({ body: { success: true, token: 't', partner: { id: '1' } } }) })
  expect(await call(signIn, { body: { email: 'a@b.co', password: 'x' } })).toMatchObject({ token: 't' })
  expect(server.seen[0]?.headers.has('authorization')).toBe(false)
})

test('a sync that is still running returns its run', async () => {
  serve({ 'POST /dashboard/sync-leads': () => ({ status: 202, body: data({ run_id: 'r1', status: 'running' }) }) })
  expect(await call(syncLeads)).toEqual({ run_id: 'r1', status: 'running' })
})

test('a refused call throws the server’s text, code and fields', async () => {
  serve({ 'GET /profile': () => ({ status: 400, body: failure('Bad name', 'VALIDATION', { name: 'Bad name' }) }) })
  await expect(call(readProfile)).rejects.toMatchObject({
    status: 400,
    message: 'Bad name',
    code: 'VALIDATION',
    fields: { name: 'Bad name' },
  })
})

test('a failure without a text from the server has the default text', async () => {
  serve({ 'GET /profile': () => ({ status: 502, body: null }) })
  await expect(call(readProfile)).rejects.toMatchObject({ status: 502, message: 'Failed to fetch profile' })
})

test('a 401 with the code UNAUTHORIZED ends the session, unless it answers a call with an older token', async () => {
  storeToken('first')
  serve({ 'GET /profile': () => ({ status: 401, body: failure('Session ended', 'UNAUTHORIZED') }) })
  const late = call(readProfile)
  storeToken('second')
  await expect(late).rejects.toMatchObject({ status: 401 })
  expect(readToken()).toBe('second')

  await expect(call(readProfile)).rejects.toMatchObject({ status: 401 })
  expect(readToken()).toBeNull()
})

test.each([
  ['a wrong email at sign-in', signIn, 'POST /auth/login', failure('No user with this email', 'EMAIL_NOT_FOUND')],
  ['a 401 without a code', refreshSession, 'POST /auth/refresh', null],
])('%s does not end the session', async (_name, route, address, body) => {
  storeToken('token')
  serve({ [address]: () => ({ status: 401, body }) })
  const request = route === signIn ? { body: { email: 'a@b.co', password: 'x' } } : {}
  await expect(call(route, request as never)).rejects.toMatchObject({ status: 401 })
  expect(readToken()).toBe('token')
})

test('a network failure has status 0, ends no session, and has its own text if the browser is offline', async () => {
  storeToken('token')
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(call(readProfile)).rejects.toMatchObject({ status: 0, code: 'NETWORK', message: 'Network error' })
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  await expect(call(readProfile)).rejects.toMatchObject({ status: 0, code: 'OFFLINE', message: OFFLINE })
  expect(readToken()).toBe('token')
})

test('a call fails if no answer comes within thirty seconds', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  vi.stubGlobal('fetch', (_address: string, { signal }: RequestInit) => Promise.reject(signal?.reason))
  const text = 'The server took too long to answer. Please try again.'
  await expect(call(readProfile)).rejects.toMatchObject({ status: 0, code: 'TIMEOUT', message: text })
  expect(timeout).toHaveBeenCalledWith(30_000)
})

test('an answer that breaks off is a network failure, or an AbortError if the caller aborted the call', async () => {
  const brokenBy = (reason: unknown) =>
    vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ start: (stream) => stream.error(reason) })))
  brokenBy(new TypeError('network error'))
  await expect(call(readProfile)).rejects.toMatchObject({ status: 0, code: 'NETWORK' })
  const abort = AbortSignal.abort()
  brokenBy(abort.reason)
  await expect(call(readProfile, { signal: abort })).rejects.toMatchObject({ name: 'AbortError' })
})

test('a call that its caller aborts throws the AbortError, not a Failure', async () => {
  vi.stubGlobal('fetch', (_address: string, { signal }: RequestInit) => Promise.reject(signal?.reason))
  await expect(call(readProfile, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
})
