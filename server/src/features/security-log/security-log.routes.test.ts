import { afterAll, beforeAll, expect, test } from 'vitest'
import { prune } from '../../process/prune.job.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

async function logOf(partner: Pick<TestPartner, 'get'>, query = '') {
  const { status, body } = await partner.get(`/security-log${query}`)
  expect(status).toBe(200)
  return body.data
}

const eventsOf = (log: { entries: { event: string }[] }) => log.entries.map(({ event }) => event)

test('an owner reads who did what, when, from where and with which browser, newest first', async () => {
  const ada = await portal.newPartner({ firstName: 'Ada', lastName: 'Nguyen' })
  const headers = { 'user-agent': SAFARI }
  await portal.ask('POST', '/auth/login', { body: { email: ada.email, password: 'not-the-password' }, headers })
  await ada.post('/dashboard/generate-api-key')
  await ada.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook?secret=x' })
  await ada.post('/dashboard/webhook-secret')
  await ada.put('/dashboard/webhook-url', { webhook_url: null })
  await ada.put('/dashboard/webhook-url', { webhook_url: null })
  await ada.ask('DELETE', '/dashboard/revoke-api-key')
  await ada.post('/dashboard/generate-api-key')
  const newPassword = 'another-fine-horse'
  const change = { currentPassword: ada.password, newPassword, confirmPassword: newPassword, revokeAccess: true }
  await ada.put('/profile/password', change)

  const { entries, next_cursor } = await logOf(ada)
  expect(next_cursor).toBeNull()
  expect(eventsOf({ entries })).toEqual([
    'password-changed',
    'api-key-made',
    'api-key-revoked',
    'webhook-url-removed',
    'webhook-secret-made',
    'webhook-url-changed',
    'api-key-made',
    'sign-in-failed',
    'signed-in',
    'signed-up',
  ])
  const { person_id } = (await ada.get('/profile')).body.data
  const person = { id: person_id, name: 'Ada Nguyen' }
  expect(entries[0]).toMatchObject({
    person,
    detail: 'Removed with it: API key',
    reason: null,
    ip: '127.0.0.1',
    browser: null,
  })
  expect(entries[7]).toMatchObject({ person, reason: 'INVALID_PASSWORD', browser: 'Safari on iOS' })
  expect(JSON.stringify(entries)).not.toMatch(/secret=|horse|not-the-password|partner\.example/)
})

test('an entry names a browser only if the user agent belongs to a known browser', async () => {
  const ada = await portal.newPartner()
  for (const agent of ['my-password-1/2.0', `${'x'.repeat(9_000)}/1`, 'curl/8.5.0']) {
    const body = { email: ada.email, password: ada.password }
    await portal.ask('POST', '/auth/login', { body, headers: { 'user-agent': agent } })
  }
  const { entries } = await logOf(ada)
  expect(entries.slice(0, 3).map(({ browser }: { browser: string }) => browser)).toEqual([null, null, null])
})

test('the log can be read by cursor, by type and by person, and has no entries of another partner', async () => {
  const [ada, eve] = [await portal.newPartner(), await portal.newPartner()]
  const bob = await addColleague(portal, ada, 'member')
  for (let times = 0; times < 30; times += 1) await ada.post('/dashboard/generate-api-key')
  for (let times = 0; times < 30; times += 1) await ada.ask('DELETE', '/dashboard/revoke-api-key')
  for (let times = 0; times < 30; times += 1) await portal.post('/auth/login', { email: bob.email, password: 'wrong' })

  const first = await logOf(ada)
  expect(first.entries).toHaveLength(50)
  const second = await logOf(ada, `?cursor=${first.next_cursor}`)
  const ids = [...first.entries, ...second.entries].map(({ id }) => id)
  // The 67 entries are 30 new keys, one revoked key, 30 failed sign-ins, two sign-ins, a sign-up, a confirmed address,
  // an invitation and its acceptance.
  expect([ids.length, new Set(ids).size, second.next_cursor]).toEqual([67, 67, null])
  expect(ids).toEqual(ids.toSorted().reverse())

  expect(new Set(eventsOf(await logOf(ada, '?type=keys')))).toEqual(new Set(['api-key-made', 'api-key-revoked']))
  const bobs = await logOf(ada, `?person=${bob.id}&type=sign-ins`)
  expect(eventsOf(bobs)).toEqual([...Array(30).fill('sign-in-failed'), 'signed-in'])
  expect(eventsOf(await logOf(eve))).toEqual(['signed-in', 'signed-up'])
  expect((await logOf(eve, `?person=${bob.id}`)).entries).toEqual([])
  expect(eventsOf(await logOf(eve, `?cursor=${first.next_cursor}`))).toEqual(['signed-in', 'signed-up'])

  const team = (await logOf(ada, '?type=team')).entries
  expect(team).toMatchObject([
    { event: 'invitation-accepted', person: { id: bob.id, name: 'Robin Colleague' }, detail: 'Member' },
    { event: 'person-invited', subject: 'Robin Colleague', detail: 'Member' },
  ])
  await ada.put(`/team/people/${bob.id}`, { role: 'viewer', is_active: false })
  expect((await logOf(ada, '?type=team')).entries.slice(0, 2)).toMatchObject([
    { event: 'person-deactivated', subject: 'Robin Colleague', person: { name: ada.email } },
    { event: 'role-changed', subject: 'Robin Colleague', detail: 'Member to Viewer' },
  ])
  await ada.put(`/team/people/${bob.id}`, { is_active: true })

  for (const query of ['?cursor=x', '?person=1', '?type=all']) {
    expect((await ada.get(`/security-log${query}`)).status).toBe(400)
  }
  const { token } = (await portal.post('/auth/login', { email: bob.email, password: bob.password })).body
  expect((await portal.get('/security-log', { token })).body).toMatchObject({ code: 'NOT_ALLOWED' })
})

test('changes that need no password add at most thirty entries an hour to the log, and an unchanged setting adds no entry', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const ada = await portal.newPartner()
  await ada.put('/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' })
  for (let times = 0; times < 29; times += 1) await ada.post('/dashboard/webhook-secret')
  for (const path of ['/dashboard/webhook-secret', '/dashboard/generate-api-key']) {
    expect([path, (await ada.post(path)).body.code]).toEqual([path, 'RATE_LIMITED'])
  }
  await ada.post('/account/confirm', { password: ada.password })
  expect((await ada.put('/team/settings', { second_factor_required: false })).status).toBe(200)
  expect(eventsOf(await logOf(ada))).toEqual([
    'confirmed',
    ...Array(29).fill('webhook-secret-made'),
    'webhook-url-changed',
    'signed-in',
    'signed-up',
  ])
})

test('an entry cannot be changed, and is removed after a year', async () => {
  await using portal = await startPortal()
  await portal.newPartner()
  const { db } = portal.deps
  await expect(db.updateTable('security_log').set({ ip: '127.0.0.2' }).execute()).rejects.toThrow(/only added to/)
  portal.advance(364 * 86_400_000)
  expect(await prune(portal.deps)).toMatchObject({ 'security log': 0 })
  portal.advance(2 * 86_400_000)
  expect(await prune(portal.deps)).toMatchObject({ 'security log': 2 })
})
