import { describe, expect, test } from 'vitest'
import { fetchToken, send, startTestSandbox, until } from '../test-sandbox.ts'

const GOOD = { client_id: 'sandbox', client_secret: 'sandbox', refresh_token: 'sandbox', grant_type: 'refresh_token' }

describe('the token endpoint', () => {
  test('takes its parameters from query, form and multipart, and names the sandbox as api_domain', async () => {
    await using sandbox = await startTestSandbox()
    const form = new FormData()
    for (const [name, value] of Object.entries(GOOD)) form.set(name, value)
    const endpoint = `${sandbox.url}/oauth/v2/token`
    const answers = [
      await fetch(`${endpoint}?${new URLSearchParams(GOOD)}`, { method: 'POST' }),
      await fetch(endpoint, { method: 'POST', body: new URLSearchParams(GOOD) }),
      await fetch(endpoint, { method: 'POST', body: form }),
    ]
    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({ api_domain: sandbox.url, token_type: 'Bearer', expires_in: 3_600 })
    }
  })

  test.each([
    [{ client_id: 'x' }, 'invalid_client'],
    [{ client_secret: 'x' }, 'invalid_client_secret'],
    [{ refresh_token: 'x' }, 'invalid_code'],
  ])('answers %o with 200 and the error %s', async (wrong, error) => {
    await using sandbox = await startTestSandbox()
    const body = new URLSearchParams({ ...GOOD, ...wrong })
    const answer = await fetch(`${sandbox.url}/oauth/v2/token`, { method: 'POST', body })
    expect([answer.status, await answer.json()]).toEqual([200, { error }])
  })

  test('refuses the eleventh token within ten minutes, unless a switch turns the throttle off', async () => {
    await using sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
    for (let count = 2; count <= 10; count++) await fetchToken(sandbox.url)
    await expect(fetchToken(sandbox.url)).rejects.toThrow('Access Denied')
    sandbox.setTime('2026-03-01T00:10:01Z')
    await fetchToken(sandbox.url)
    await sandbox.control('POST', '/sandbox/behaviour', { tokenThrottle: false })
    for (let count = 0; count < 12; count++) await fetchToken(sandbox.url)
  })

  test('a token is refused after its lifetime, and a call without a token gets a different error', async () => {
    await using sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
    await sandbox.control('POST', '/sandbox/behaviour', { tokenLifetimeSeconds: 60 })
    const authorization = `Zoho-oauthtoken ${await fetchToken(sandbox.url)}`
    const org = (headers: { [name: string]: string }) => send(sandbox.url, 'GET', '/crm/v8/org', undefined, headers)
    expect((await org({ authorization })).status).toBe(200)
    sandbox.setTime('2026-03-01T00:01:00Z')
    expect(await org({ authorization })).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } })
    expect(await org({})).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILURE' } })
    expect(await org({ authorization: 'Bearer x' })).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } })
  })
})

describe('faults', () => {
  test('tooMany answers the set number of calls with 429 and Retry-After, and later calls succeed', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.control('POST', '/sandbox/faults', { tooMany: { times: 2, retryAfterSeconds: 7 } })
    const answers = [
      await sandbox.call('GET', '/crm/v8/org'),
      await sandbox.call('GET', '/crm/v8/org'),
      await sandbox.call('GET', '/crm/v8/org'),
    ]
    expect(answers.map((one) => one.status)).toEqual([429, 429, 200])
    expect(answers[0]?.headers.get('retry-after')).toBe('7')
    expect(answers[0]?.body).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })

  test('an outage answers 503 or closes the connection, until an empty POST ends it', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.control('POST', '/sandbox/faults', { outage: true })
    expect((await sandbox.call('GET', '/crm/v8/org')).status).toBe(503)
    await sandbox.control('POST', '/sandbox/faults', { outage: 'socket' })
    await expect(sandbox.call('GET', '/crm/v8/org')).rejects.toThrow('fetch failed')
    await expect(fetchToken(sandbox.url)).rejects.toThrow('fetch failed')
    expect((await sandbox.control('GET', '/sandbox/faults')).body).toEqual({ outage: 'socket' })
    await sandbox.control('POST', '/sandbox/faults')
    expect((await sandbox.call('GET', '/crm/v8/org')).status).toBe(200)
  })

  test('resetAfterCommit stores the record and loses the answer', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.control('POST', '/sandbox/faults', { resetAfterCommit: { times: 1, match: 'POST /crm/v8/Leads' } })
    await expect(sandbox.add('Leads', { Last_Name: 'Ash' })).rejects.toThrow('fetch failed')
    expect((await sandbox.call('GET', '/crm/v8/Leads?fields=Last_Name')).rows).toHaveLength(1)
    await sandbox.add('Leads', { Last_Name: 'Birch' })
  })

  test('faults make tokens invalid, revoke the grant, deny permission and fail every nth call', async () => {
    await using sandbox = await startTestSandbox()
    const { call, control } = sandbox
    await control('POST', '/sandbox/faults', { failEvery: 2, forbidden: 1, refreshTokenRevoked: true })
    const first = await call('GET', '/crm/v8/org')
    const statuses = [
      first.status,
      (await call('GET', '/crm/v8/org')).status,
      (await call('GET', '/crm/v8/org')).status,
    ]
    expect(statuses).toEqual([403, 500, 200])
    await expect(fetchToken(sandbox.url)).rejects.toThrow('invalid_code')
    await control('POST', '/sandbox/faults', { scopeMismatch: 1 })
    expect((await call('GET', '/crm/v8/org')).body).toMatchObject({ code: 'OAUTH_SCOPE_MISMATCH' })
    await control('POST', '/sandbox/faults', { tokenExpired: true })
    expect((await call('GET', '/crm/v8/org')).body).toMatchObject({ code: 'INVALID_TOKEN' })
    expect((await control('POST', '/sandbox/faults', { nonsense: 1 })).status).toBe(400)
  })
})

describe('limits', () => {
  test('calls cost credits by kind, the remaining credits are shown after half are used, and calls beyond the limit are refused', async () => {
    await using sandbox = await startTestSandbox()
    const { call, control } = sandbox
    await control('POST', '/sandbox/behaviour', { creditsPerDay: 60 })
    expect((await call('GET', '/crm/v8/org')).headers.get('x-api-credits-remaining')).toBeNull()
    await call('GET', '/crm/v8/Leads/actions/count')
    expect((await call('GET', '/crm/v8/org')).headers.get('x-api-credits-remaining')).toBe('9')
    await call('POST', '/crm/v8/coql', { select_query: 'select id from Leads where id is not null limit 2000' })
    const { body } = await control('GET', '/sandbox/calls')
    expect(body).toMatchObject({
      total: 4,
      credits_used: 55,
      by_kind: { 'GET /crm/v8/org': 2, 'POST /crm/v8/coql': 1 },
    })
    await control('POST', '/sandbox/behaviour', { creditsPerDay: 50 })
    expect((await call('GET', '/crm/v8/org')).status).toBe(429)
  })

  test('calls beyond the limit on simultaneous calls are refused', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.control('POST', '/sandbox/behaviour', { subConcurrentCallsMax: 2 })
    await sandbox.control('POST', '/sandbox/faults', { slowMs: 150 })
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async () => (await sandbox.call('GET', '/crm/v8/Leads/search?word=ab')).status),
    )
    expect(statuses.toSorted()).toEqual([204, 204, 429, 429])
  })
})

test('a call whose caller hangs up makes room for the next call', async () => {
  await using sandbox = await startTestSandbox()
  await sandbox.control('POST', '/sandbox/behaviour', { subConcurrentCallsMax: 1 })
  await sandbox.control('POST', '/sandbox/faults', { slowMs: 3_000 })
  const headers = { authorization: `Zoho-oauthtoken ${sandbox.token}` }
  const body = JSON.stringify({ select_query: 'select id from Leads where id is not null' })
  const signal = AbortSignal.timeout(100)
  await expect(fetch(`${sandbox.url}/crm/v8/coql`, { method: 'POST', headers, body, signal })).rejects.toThrow(
    'timeout',
  )
  await sandbox.control('POST', '/sandbox/faults', {})
  await until(async () =>
    (await sandbox.coql('select id from Leads where id is not null')).status === 204 ? true : undefined,
  )
  const { body: calls } = await sandbox.control('GET', '/sandbox/calls')
  expect(calls['by_status']).toMatchObject({ '499': 1 })
})

test('another web site cannot use the controls through a browser', async () => {
  await using sandbox = await startTestSandbox()
  const reset = (headers: { [name: string]: string }) =>
    fetch(`${sandbox.url}/sandbox/reset`, { method: 'POST', headers }).then((answer) => answer.status)
  expect(await reset({ origin: 'https://elsewhere.example' })).toBe(403)
  expect(await reset({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await reset({ origin: sandbox.url })).toBe(200)
})

test('an unknown switch or value is refused, and all switches are listed with their meaning', async () => {
  await using sandbox = await startTestSandbox()
  const { control } = sandbox
  expect((await control('POST', '/sandbox/behaviour', { noSuch: true })).status).toBe(400)
  expect((await control('POST', '/sandbox/behaviour', { getMissing: '500' })).status).toBe(400)
  const { body } = await control('POST', '/sandbox/behaviour', { timesOffset: '-05:00' })
  expect(body['switches']).toContainEqual(
    expect.objectContaining({ name: 'timesOffset', value: '-05:00', default: '+10:00', meaning: expect.any(String) }),
  )
})
