import { NAMED_KEYS_MAX } from '@portal/contract/limits.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../testing/make-key.ts'
import { addColleague, confirmEmail, newLead, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { isWellFormedKey } from './key-format.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const STATUS = '/webhook/status/LO-00000000'
const statusOf = async (path: string, token: string) => (await portal.get(path, { token })).status

test('an owner makes keys with a name, which are shown once, and ends each without touching the others or the one key', async () => {
  const partner = await portal.newPartner()
  const { api_key: one } = (await partner.post('/dashboard/generate-api-key')).body.data
  const made = await partner.post('/dashboard/api-keys', {
    name: '  Website form ',
    rights: ['read', 'submit'],
  })
  expect(made.status).toBe(201)
  const { api_key: first, keys } = made.body.data
  expect(isWellFormedKey(first)).toBe(true)
  const key = {
    name: 'Website form',
    rights: ['submit', 'read'],
    preview: `${first.slice(0, 8)}...`,
    made_by: expect.any(String),
    last_used_at: null,
  }
  expect(keys).toEqual([expect.objectContaining(key)])
  const second = await makeKey(partner, ['read'], 'Dashboard')
  expect(JSON.stringify((await partner.get('/dashboard/api-keys')).body)).not.toContain(second)

  expect([await statusOf(STATUS, first), await statusOf(STATUS, second), await statusOf(STATUS, one)]).toEqual([
    404, 404, 404,
  ])
  const ended = await partner.ask('DELETE', `/dashboard/api-keys/${keys[0].id}`)
  expect(ended.body.data.keys.map(({ name }: { name: string }) => name)).toEqual(['Dashboard'])
  expect([await statusOf(STATUS, first), await statusOf(STATUS, second), await statusOf(STATUS, one)]).toEqual([
    401, 404, 404,
  ])
  expect((await partner.ask('DELETE', `/dashboard/api-keys/${keys[0].id}`)).status).toBe(404)
})

test('the specification’s calls speak of the one key alone', async () => {
  const partner = await portal.newPartner()
  const named = await makeKey(partner, ['submit'])
  const status = async () => (await partner.get('/dashboard/api-key-status')).body.data
  expect(await status()).toMatchObject({ has_api_key: false, api_key_preview: null, last_used: null })
  await partner.post('/dashboard/generate-api-key')
  expect((await status()).api_key_preview).not.toContain(named.slice(0, 8))
  await partner.ask('DELETE', '/dashboard/revoke-api-key')
  expect(await statusOf(STATUS, named)).toBe(404)
})

test('a key does only what it may', async () => {
  const partner = await portal.newPartner()
  const submits = await makeKey(partner, ['submit'])
  const reads = await makeKey(partner, ['read'])
  const { api_key: one } = (await partner.post('/dashboard/generate-api-key')).body.data
  for (const token of [submits, one]) {
    expect((await portal.post('/partner/leads', newLead(), { token })).status).toBe(201)
  }
  const refused = await portal.post('/partner/leads', newLead(), { token: reads })
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    403,
    'NOT_ALLOWED',
    'This API key may read only. An owner can make one that may submit.',
  ])
})

test('records, the log of calls and the security log name the key', async () => {
  const partner = await portal.newPartner()
  const key = await makeKey(partner, ['submit'], 'Website form')
  const { loid } = (await portal.post('/partner/leads', newLead(), { token: key })).body.data
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.submitted_by).toBe('Website form (API key)')
  const { api_key: one } = (await partner.post('/dashboard/generate-api-key')).body.data
  await portal.post('/webhook/lead', {}, { token: one })
  await partner.post('/webhook/lead', {})
  const log: { response_status: number; api_key: string | null }[] = (await partner.get('/dashboard/webhook-logs')).body
    .data
  expect(log.map(({ response_status, api_key }) => [response_status, api_key])).toEqual([
    [400, null],
    [400, 'API key'],
    [201, 'Website form (API key)'],
  ])
  const { id } = (await partner.get('/dashboard/api-keys')).body.data.keys[0]
  await partner.ask('DELETE', `/dashboard/api-keys/${id}`)
  const { entries } = (await partner.get('/security-log?type=keys')).body.data
  expect(entries).toMatchObject([
    { event: 'api-key-revoked', subject: 'Website form', detail: null },
    { event: 'api-key-made', subject: null },
    { event: 'api-key-made', subject: 'Website form', detail: 'It may submit' },
  ])
})

test('‘Everything that can get in’ lists each key, the mail names it, and a new password can end them all', async () => {
  const partner = await portal.newPartner()
  const key = await makeKey(partner, ['read'], 'Ledger')
  const ofKind = (items: { kind: string }[]) => items.filter(({ kind }) => kind === 'api-key')
  await confirmEmail(portal, partner)
  const { items } = (await partner.get('/account/access')).body.data
  const detail = `${key.slice(0, 8)}..., may read`
  expect(ofKind(items)).toMatchObject([{ name: 'Ledger', detail, is_recent: true }])
  const passwords = { newPassword: 'another-fine-horse', confirmPassword: 'another-fine-horse' }
  const form = { currentPassword: partner.password, ...passwords, revokeAccess: true }
  const { removed } = (await partner.put('/profile/password', form)).body.data
  expect(ofKind(removed)).toMatchObject([{ name: 'Ledger' }])
  expect(await portal.mailTo(partner.email, 'Removed at the same time')).toContain('the API key Ledger')
  expect(await statusOf(STATUS, key)).toBe(401)
})

test('the team names the keys that a person made', async () => {
  const owner = await portal.newPartner()
  const colleague = await addColleague(portal, owner, 'owner')
  await makeKey(colleague, ['read'], 'Ledger')
  const { people } = (await owner.get('/team')).body.data
  expect(people).toMatchObject([{ made_named_keys: [] }, { made_named_keys: ['Ledger'] }])
})

test('names are needed, in one line, and no two keys have the same; rights are needed', async () => {
  const partner = await portal.newPartner()
  const faultsOf = async (body: object) => {
    const { status, body: answer } = await partner.post('/dashboard/api-keys', body)
    return [status, Object.keys(answer.fields ?? {})]
  }
  await makeKey(partner, ['read'], 'Ledger')
  expect(await faultsOf({ name: ' ', rights: ['read'] })).toEqual([400, ['name']])
  expect(await faultsOf({ name: 'a\nb', rights: ['read'] })).toEqual([400, ['name']])
  // The same name, as people see it (D142).
  for (const name of ['LEDGER', 'Le\u200bdger', '“Ledger”', 'Ｌｅｄｇｅｒ', 'Lēdger']) {
    expect(await faultsOf({ name, rights: ['read'] })).toEqual([400, ['name']])
  }
  expect(await faultsOf({ name: 'Other', rights: [] })).toEqual([400, ['rights']])
  expect(await faultsOf({ name: 'Other' })).toEqual([400, ['rights']])
  expect((await faultsOf({ name: 'Other', rights: ['erase'] }))[0]).toBe(400)
})

test('a business has at most 20 keys, even if they are made at once', async () => {
  await using other = await startPortal({ on: portal, env: { ROLE: 'web' } })
  const partner = await portal.newPartner()
  const call = (at: number) => {
    const body = { name: `Key ${at}`, rights: ['read'] }
    return (at % 2 === 0 ? portal : other).post('/dashboard/api-keys', body, { token: partner.token })
  }
  const answers = await Promise.all(Array.from({ length: NAMED_KEYS_MAX + 5 }, (_, at) => call(at)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(NAMED_KEYS_MAX).fill(201),
    ...Array(5).fill(409),
  ])
})

test('all keys of a business share 120 calls a minute', async () => {
  await using limited = await startPortal({ on: portal, env: { ROLE: 'web', RATE_LIMITS: 'on' } })
  const partner = await limited.newPartner()
  const keys = [await makeKey(partner, ['read']), await makeKey(partner, ['submit', 'read'])]
  const left = async (token: string | undefined) =>
    (await limited.get(STATUS, { token })).headers.get('ratelimit-remaining')
  expect([await left(keys[0]), await left(keys[1]), await left(keys[0])]).toEqual(['119', '118', '117'])
})

test('the time of a key’s last use is stored', async () => {
  const partner = await portal.newPartner()
  const key = await makeKey(partner, ['read'])
  await statusOf(STATUS, key)
  const lastUse = async () => (await partner.get('/dashboard/api-keys')).body.data.keys[0].last_used_at
  expect(await waitFor('the use', lastUse)).toMatch(/:00\.000Z$/)
})
