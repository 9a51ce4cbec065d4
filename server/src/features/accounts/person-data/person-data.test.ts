import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../../testing/portal-process.ts'
import { addApp } from '../../../testing/second-factor.ts'
import { addColleague, confirmEmail, SECRETS_KEY, startPortal, type TestPortal } from '../../../testing/start-portal.ts'
import { upload } from '../../../testing/upload.ts'
import { waitFor } from '../../../testing/wait-for.ts'

/** The rows of all tables, the job queue's too, that match. */
async function rowsThatMatch({ deps: { pool } }: TestPortal, pattern: RegExp): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and relkind = 'r'`,
  )
  const texts = await Promise.all(
    rows.map(async ({ name }) =>
      (await pool.query<{ t: string }>(`select t::text from ${name} t`)).rows.map(({ t }) => `${name} ${t}`),
    ),
  )
  return texts.flat().filter((text) => pattern.test(text))
}

test('a person’s data is exported and erased, and what they did stays as a former colleague’s', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const bob = await addColleague(portal, owner, 'owner')
  await bob.put('/profile', { first_name: 'Bobby', last_name: 'Byronović', phone: '0491 570 006' })
  await addApp(portal, bob)
  await bob.put('/dashboard/webhook-url', { webhook_url: 'https://127.0.0.1.example/hook' })
  const lead = { ...APPLICANT, firstName: 'Nkem' }
  const { loid } = (await bob.post('/dashboard/leads', lead)).body.data
  const headers = { 'idempotency-key': 'a note' }
  const noteText = { content: 'The applicant called back' }
  await portal.ask('POST', `/crm/note/${loid}`, { token: bob.token, body: noteText, headers })
  await bob.post('/dashboard/views', { list: 'leads', name: 'Bobby’s view', query: 'status=Contacted' })
  await bob.post('/dashboard/api-keys', { name: 'Ledger', rights: ['read'] })
  const file = Buffer.from('Business Name,First Name,Last Name,Email,Phone\nA,B,C,c@a.example,0491 570 006\n')
  expect((await bob.post('/dashboard/leads/imports?name=leads.csv', file)).status).toBe(201)
  const scan = { loid, name: 'scan.txt', content: new Uint8Array(Buffer.from('Income')) }
  expect((await upload(portal, bob, scan)).status).toBe(200)
  await bob.post('/team/invitations', { email: 'guest@example.com', firstName: 'Guest', role: 'member' })
  expect((await portal.post('/auth/login', { ...bob, password: 'not the password' })).status).toBe(401)
  await portal.post('/auth/forgot-password', bob)
  await waitFor('the delivery', async () => (await owner.get('/dashboard/webhook-logs')).body.data.length >= 2)

  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY }
  const run = (...words: string[]) => folder.command(['people', ...words], env)
  const target = join(folder.path, 'bob.json')
  const exported = await run('export', bob.email.toUpperCase(), '--to', target)
  expect([exported.code, exported.out]).toEqual([0, expect.stringMatching(/^leads +1$/m)])
  expect((await stat(target)).mode & 0o777).toBe(0o600)
  const text = await readFile(target, 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    person: [{ email: bob.email, first_name: 'Bobby', business_name: owner.businessName, phone: '+61491570006' }],
    leads: [{ loid, submitted_by: 'Bobby Byronović' }],
    notes: [{ loid, content: 'The applicant called back' }],
    authenticator_apps: [{ confirmed_at: expect.any(String) }],
    views: [{ name: 'Bobby’s view' }],
    named_api_keys: [{ name: 'Ledger' }],
    imports: [{ rows: 1 }],
    documents: [{ loid, name: 'scan.txt' }],
  })
  expect(text).not.toMatch(/argon2|_hash|secret/)
  expect((await run('export', bob.email, '--to', target)).err).toMatch(/EEXIST/)

  expect((await run('erase', bob.email)).err).toMatch(/^Nothing was erased: add --yes/)
  expect((await bob.get('/profile')).status).toBe(200)
  const names = /bobby|byronovi|colleague\d+@|guest@/i
  expect((await rowsThatMatch(portal, names)).length).toBeGreaterThan(9)
  const erased = await run('erase', bob.email, '--yes')
  expect([erased.code, erased.out]).toEqual([
    0,
    expect.stringContaining('They set the webhook URL https://127.0.0.1.example/hook, which still gets events.'),
  ])
  expect(await rowsThatMatch(portal, names)).toEqual([])
  expect((await portal.post('/auth/login', bob)).body.code).toBe('EMAIL_NOT_FOUND')
  await waitFor('the session to end', async () => (await bob.get('/profile')).status === 401)

  const kept = (await owner.get(`/crm/lead/${loid}`)).body.data
  expect(kept).toMatchObject({
    lead: { submitted_by: 'a former colleague', email: APPLICANT.email },
    notes: [{ submitted_by: 'a former colleague', content: 'The applicant called back' }],
  })
  const logs = (await owner.get('/dashboard/webhook-logs')).body.data
  const bodies = await Promise.all(
    logs.map(async ({ id }: { id: string }) => JSON.stringify((await owner.get(`/dashboard/webhook-logs/${id}`)).body)),
  )
  expect(bodies.every((body) => body.includes('a former colleague'))).toBe(true)
  const { entries } = (await owner.get('/security-log')).body.data
  expect(entries).toContainEqual(
    expect.objectContaining({
      event: 'totp-added',
      person: expect.objectContaining({ name: 'a former colleague' }),
      ip: null,
    }),
  )
  expect(entries[0]).toMatchObject({ event: 'person-erased', subject: 'a former colleague' })

  const last = await run('erase', owner.email, '--yes')
  expect([last.code, last.err]).toEqual([
    1,
    expect.stringMatching(/^\S+ is the last active owner of .*, so nothing was erased\. Let an owner be made first/),
  ])
  expect((await owner.get('/profile')).status).toBe(200)
  expect((await run('erase', bob.email, '--yes')).err).toMatch(/^There is no person /)
})

const APPLICANT = {
  lastName: 'Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '0491 570 156',
  businessName: 'Okafor Freight',
}
