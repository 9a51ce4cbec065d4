import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createDatabase, databaseUrlFor } from './testing/databases.ts'
import { openLender } from './testing/lender.ts'
import { openDataFolder } from './testing/portal-process.ts'
import { newLead } from './testing/start-portal.ts'
import { waitFor } from './testing/wait-for.ts'

const PASSWORD = 'correct-horse-battery'

type Folder = Awaited<ReturnType<typeof openDataFolder>>
type RunningPortal = Awaited<ReturnType<Folder['start']>>

// Tests read answers of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Answered = { status: number; body: any }

async function ask(
  { url }: RunningPortal,
  path: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<Answered> {
  const response = await fetch(`${url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function signUp(portal: RunningPortal, name: string, email = `${name}@example.com`) {
  await ask(portal, '/auth/signup', { body: { email, password: PASSWORD, businessName: `${name} Broking` } })
  const { token } = (await ask(portal, '/auth/login', { body: { email, password: PASSWORD } })).body
  return { email, token: String(token) }
}

async function inCrm(portal: RunningPortal, token: string): Promise<string> {
  return waitFor('the partner in the CRM', async () => (await ask(portal, '/profile', { token })).body.data.zoho_id)
}

test('operators’ commands work on the same data whether or not the portal is running', async () => {
  await using folder = await openDataFolder()
  const portal = await folder.start()
  const ada = await signUp(portal, 'ada')
  const bob = await signUp(portal, 'bob')

  const listed = await folder.program(['partners'])
  expect([listed.code, listed.err]).toEqual([0, ''])
  expect(listed.out.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^ID +BUSINESS +EMAIL +ACTIVE +VERIFIED +LEADS +CRM +CREATED$/),
    expect.stringMatching(/^\S{36} +ada Broking +ada@example.com +yes +no +0 +(?:\d+|no record yet) +\d{4}-\d\d-\d\d$/),
    expect.stringMatching(/^\S{36} +bob Broking +bob@example.com +yes +no +0 /),
  ])
  const found = await folder.command(['partners', '--search', 'BOB b'])
  expect(found.out).toMatch(/bob@example/)
  expect(found.out).not.toMatch(/ada@example/)
  const bobsId = /^(\S{36}) +bob/m.exec(found.out)?.[1] ?? ''

  const ended = await folder.command(['partner', 'deactivate', bobsId])
  expect([ended.code, ended.out]).toEqual([0, 'bob Broking (bob@example.com) is inactive now; sessions ended: 1\n'])
  await waitFor('the session to end', async () => (await ask(portal, '/profile', { token: bob.token })).status === 401)
  const signIn = { body: { email: bob.email, password: PASSWORD } }
  expect(await ask(portal, '/auth/login', signIn)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_INACTIVE' } })
  expect((await folder.command(['partner', 'deactivate', bobsId])).out).toMatch(/was inactive already/)
  expect((await folder.command(['partner', 'activate', 'BOB@example.com'])).out).toMatch(/is active now/)
  const back = await ask(portal, '/auth/login', signIn)
  expect(back.status).toBe(200)
  const { out: log } = await folder.command(['security-log', '--partner', bobsId])
  expect(log.split('\n').slice(0, 5)).toEqual([
    expect.stringMatching(/^TIME +BUSINESS +WHO +WHAT +IP ADDRESS +BROWSER$/),
    expect.stringMatching(/^\S+Z +bob Broking +bob@example.com +Signed in, by password +127\.0\.0\.1$/),
    expect.stringMatching(/ +operator +Account activated$/),
    expect.stringMatching(/ +bob@example.com +Sign-in failed, ACCOUNT_INACTIVE +127/),
    expect.stringMatching(/ +operator +Account deactivated$/),
  ])
  expect((await folder.command(['security-log', '--person', ada.email])).out).toMatch(/^(?:(?!bob@).)*ada@(?!.*bob@)/s)
  expect(await folder.command(['security-log', '--partner', bobsId, '--person', ada.email])).toMatchObject({
    code: 1,
    err: 'bob Broking has no person "ada@example.com"\n',
  })

  const { token } = back.body
  const { secret } = (await ask(portal, '/account/totp', { body: {}, token })).body.data
  await ask(portal, '/account/totp/confirm', { body: { code: new TOTP({ secret }).generate() }, token })
  expect((await ask(portal, '/auth/login', signIn)).body.second_factor.kinds).toEqual(['totp', 'recovery'])
  const reset = await folder.command(['people', 'reset-second-factor', 'BOB@example.com'])
  expect([reset.code, reset.out]).toEqual([
    0,
    'bob@example.com signs in with the password alone now; sessions ended: 1\n',
  ])
  expect((await ask(portal, '/auth/login', signIn)).body.token).toBeDefined()
  expect((await folder.command(['people', 'reset-second-factor', 'nobody@example.com'])).err).toBe(
    'There is no person "nobody@example.com"\n',
  )

  const people = await folder.command(['people', 'list', bob.email])
  expect(people.out).toMatch(
    /^EMAIL +NAME +ROLE +ACTIVE +SECOND FACTOR +LAST SEEN \(UTC\)\nbob@example.com +\S.* owner +yes +no +\d{4}-/,
  )
  // This person is the only owner, so nobody else could manage the account.
  expect(await folder.command(['people', 'deactivate', bob.email])).toEqual({
    code: 1,
    out: '',
    err: 'bob Broking needs an active owner. Make somebody else an owner first.\n',
  })

  const lender = openLender(portal.crmUrl)
  // With notifications, the portal would pull the lead before the command does.
  await lender.faults({ notifications: { drop: 100 } })
  await lender.create('Leads', { Last_Name: 'Rivera', Partner: { id: await inCrm(portal, ada.token) } })
  const synced = await folder.command(['sync', ada.email])
  expect([synced.code, synced.err]).toEqual([0, ''])
  expect(synced.out).toMatch(
    /^ada Broking \(1 of 1\)\n(?: {2}.+\n)* {2}leads 1: 1 created, .*; deals 0: .*\n1 synced, 0 failed/,
  )
  expect((await ask(portal, '/dashboard/leads', { token: ada.token })).body.data.leads).toHaveLength(1)

  const adasRecord = await inCrm(portal, ada.token)
  const linked = await folder.command(['partner', 'link', ada.email, adasRecord])
  expect([linked.code, linked.err]).toEqual([0, expect.stringContaining('record-linked')])
  expect(linked.out).toMatch(/is linked to the record/)
  expect((await folder.command(['partner', 'link', bob.email, adasRecord])).err).toMatch(/is linked to the partner/)
  await lender.create('Leads', { Last_Name: 'Later', Partner: { id: await inCrm(portal, ada.token) } })
  await portal.stop()
  const alone = await folder.command(['sync', '--all'])
  expect([alone.code, alone.err]).toEqual([0, ''])
  // The portal's own sweep may have brought the lead just before.
  expect(alone.out).toMatch(/leads 2: [01] created/)
  expect(alone.out).toMatch(/\n2 synced, 0 failed\n$/)
  expect((await folder.command(['partners', '--search', 'ada'])).out).toMatch(/ada@example.com +yes +no +2 /)
  expect((await folder.command(['prune'])).out).toMatch(/^sessions +0\n/)

  const again = await folder.start()
  expect((await ask(again, '/dashboard/leads', { token: ada.token })).body.data.leads).toHaveLength(2)
  await again.stop()
})

test('crm check lists the fields that the CRM lacks, and crm setup creates them', async () => {
  await using folder = await openDataFolder()
  const portal = await folder.start()
  const lender = openLender(portal.crmUrl)
  await lender.removeField('Leads', 'LOID')
  await lender.removeField('Deals', 'Business_Name')

  const lacking = await folder.command(['crm', 'check'])
  expect([lacking.code, lacking.err]).toEqual([1, ''])
  expect(lacking.out).toMatch(/^Connection +the sandbox\nAPI +http:\/\/127/)
  expect(lacking.out).toMatch(/^Organisation +Blue Gum Business Lending \(\d+, Australia\/Brisbane, AUD\)$/m)
  expect(lacking.out).toMatch(
    /^Fields +2 missing: Leads.LOID, Deals.Business_Name. Run `npm run portal -- crm setup` to create them/m,
  )
  expect(lacking.out).toMatch(/^Credits +about [1-9]\d* used of 50000 .*, [1-9]\d* calls in the last 24 hours$/m)
  expect(lacking.out).toMatch(/^Wrong: Fields/m)

  expect(lacking.out).toMatch(/^Optional fields +verdict off .*crm setup verdict/m)

  const map = join(await mkdtemp(join(tmpdir(), 'portal-map-')), 'map.json')
  await writeFile(map, '{"partners":{"module":"Gone"}}')
  expect(await folder.command(['crm', 'setup'], { CRM_FIELD_MAP: map })).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^Gone is missing\. Make a module with this API name .* or name yours in CRM_FIELD_MAP\.\n$/,
    ),
  })
  expect((await folder.command(['crm', 'setup', 'virtue'])).code).toBe(2)
  const made = await folder.command(['crm', 'setup', 'verdict'])
  expect([made.code, made.err]).toEqual([0, ''])
  expect(made.out).toMatch(
    /^Leads.LOID: made\nLeads.Partner_Verdict: made\n(Leads.*: made\n){2}Deals.Business_Name: made\n/,
  )
  // The CRM's rule for email addresses is stricter than the portal's.
  await inCrm(portal, (await signUp(portal, 'ada', 'ada@exa_mple.com')).token)
  const fine = await folder.command(['crm', 'check', '--insert'])
  expect(fine.out).toMatch(/^Trial lead +made and deleted again/m)
  expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/^Fields +all there$/m)])
  expect(fine.out).toMatch(/^Optional fields +verdict on; payments off .*; manager off .*; agreement off/m)
  expect(fine.out).toContain('The record of ada Broking: The CRM does not accept the content of Email.')

  expect((await folder.command(['webhooks'])).out).toMatch(/^PARTNER +BUSINESS +HOST .*\n$/)
  expect(await folder.command(['webhooks', 'retry', 'ada@exa_mple.com'])).toMatchObject({
    code: 1,
    err: 'This partner has no webhook URL\n',
  })
  const shown = await folder.command(['crm', 'accept-removals'])
  expect([shown.code, shown.out]).toEqual([0, '0 removed\n'])
  expect((await folder.command(['push', 'retry'])).code).toBe(2)
  const eve = await signUp(portal, 'eve')
  await inCrm(portal, eve.token)
  const problemOf = async (loid: string) =>
    (await ask(portal, `/crm/lead/${loid}`, { token: eve.token })).body.data.lead.crm_problem
  const submitted = async () => {
    const body = newLead()
    const { loid } = (await ask(portal, '/dashboard/leads', { token: eve.token, body })).body.data
    await waitFor('the refusal', async () => (await problemOf(loid)) !== null)
    return String(loid)
  }
  await lender.behaviour({ rulesRefuse: ['Leads.Email'] })
  const waiting = await submitted()
  expect(await problemOf(waiting)).toMatch(/^The lender’s CRM has not taken it yet/)
  await lender.behaviour({ rulesRefuse: null, unknownFields: 'refuse' })
  await lender.removeField('Leads', 'Loan_Type')
  const failed = await submitted()
  expect(await problemOf(failed)).toMatch(/Loan Type/)
  await lender.behaviour({ unknownFields: 'ignore' })
  const sent = await folder.command(['push', 'retry', '--all'])
  expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/^1 that were given up .* [1-9] pushes run now\n$/)])
  for (const loid of [waiting, failed]) {
    await waitFor('the lead in the CRM', async () => (await problemOf(loid)) === null)
  }

  await lender.faults({ scopeMismatch: { times: 100, match: '/coql' } })
  await signUp(portal, 'cleo')
  const refused = await folder.command(['sync', 'cleo@example.com'])
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringMatching(/failed: .*OAUTH_SCOPE_MISMATCH.*\n0 synced, 1 failed/),
  ])

  await lender.faults({ refreshTokenRevoked: true })
  const there = { ZOHO_ACCOUNTS_URL: portal.crmUrl, ZOHO_API_URL: portal.crmUrl }
  const zoho = { ZOHO_CLIENT_ID: 'x', ZOHO_CLIENT_SECRET: 'x', ZOHO_REFRESH_TOKEN: 'x' }
  const revoked = await folder.command(['crm', 'check'], { ...zoho, ...there })
  expect(revoked).toMatchObject({ code: 1, out: '' })
  expect(revoked.err).toMatch(/The CRM does not let the portal sign in \(\w+\)\. ZOHO_\w+ .* data centre .*\.\n$/)
  await portal.stop()
  const address = 'http://127.0.0.1:1'
  const away = await folder.command(['crm', 'check'], { ...zoho, ZOHO_ACCOUNTS_URL: address, ZOHO_API_URL: address })
  expect(away).toEqual({
    code: 1,
    out: '',
    err: 'The CRM’s sign-in does not answer. Does this machine reach ZOHO_ACCOUNTS_URL (http://127.0.0.1:1)?\n',
  })
})

test('a malformed command prints one line and exits with 2, and an impossible command prints one line and exits with 1', async () => {
  await using folder = await openDataFolder()
  const senseless = [
    [],
    ['partner'],
    ['partner', 'remove', 'x'],
    ['partner', 'activate'],
    ['partner', 'activate', 'a@b.co', 'c@d.co'],
    ['partners', '--loud'],
    ['sync'],
    ['sync', '--all', 'a@b.co'],
    ['crm', 'check', 'now'],
  ]
  const [first = [], ...others] = senseless
  const refused = await Promise.all([folder.program(first), ...others.map((words) => folder.command(words))])
  for (const [i, { code, out, err }] of refused.entries()) {
    expect([senseless[i], code, out, err.match(/\n/g)?.length]).toEqual([senseless[i], 2, '', 1])
    expect(err).toContain('npm run portal --')
  }
  const { url: databaseUrl } = await createDatabase()
  expect(await folder.command(['migrate'], { DATABASE_URL: databaseUrl })).toMatchObject({
    code: 0,
    out: 'The database was up to date.\n',
  })
  const impossible: [string[], Record<string, string>, RegExp][] = [
    [['partner', 'activate', 'nobody@example.com'], {}, /^There is no partner "nobody@example.com"$/],
    [['partners'], { PORT: 'http' }, /^PORT is "http", but must be/],
    [['partners'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /ECONNREFUSED/],
    [
      ['partners'],
      { DATABASE_URL: databaseUrlFor(databaseUrl, 'gone') },
      /^The database refuses DATABASE_URL: database "gone" does not/,
    ],
    [['jobs', 'nosuch'], { DATABASE_URL: databaseUrl }, /^There is no queue "nosuch"; the queues are .*push-lead/],
  ]
  for (const [words, env, line] of impossible) {
    const { code, out, err } = await folder.command(words, env)
    expect([words, code, out, err.trimEnd().split('\n')]).toEqual([words, 1, '', [expect.stringMatching(line)]])
  }
  expect(await folder.program(['partners'], { PORT: 'http' })).toEqual(
    await folder.command(['partners'], { PORT: 'http' }),
  )
})

test('a command that needs the database alone loads no web server, no queue and no CSV reader', async () => {
  await using folder = await openDataFolder()
  const { url: databaseUrl } = await createDatabase()
  const report = `import { registerHooks } from 'node:module'
    let urls = ''
    registerHooks({ load: (url, context, next) => ((urls += url + '\\n'), next(url, context)) })
    process.on('exit', () => console.error(urls))`
  const { err } = await folder.program(['partner', 'deactivate', 'nobody@example.com'], {
    DATABASE_URL: databaseUrl,
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(report)}"`,
  })
  expect(err).toMatch(/^There is no partner "nobody@example.com"$/m)
  const packages = new Set([...err.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name))
  expect(packages).toContain('pg')
  // A command must not wait for what only a server uses.
  expect(['fastify', 'pg-boss', 'csv-parse'].filter((name) => packages.has(name))).toEqual([])
})

test('a pipe gets the whole output, however long it is', async () => {
  const cli = join(import.meta.dirname, 'cli.ts')
  const words = [process.execPath, cli, 'x'.repeat(120_000)]
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$0" "$@" 2>&1 | wc -c', ...words])
  expect(Number(stdout)).toBeGreaterThan(120_000)
})

test('each command explains itself with --help and does nothing else', async () => {
  await using folder = await openDataFolder()
  const overview = await folder.program(['--help'])
  expect(overview.code).toBe(0)
  const usages = [...overview.out.matchAll(/npm run portal -- ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)].map(
    (match) => match[1] ?? '',
  )
  expect(usages).toEqual([
    'partners',
    'partner activate',
    'partner deactivate',
    'partner link',
    'people list',
    'people deactivate',
    'people reset-second-factor',
    'people export',
    'people erase',
    'sync',
    'crm check',
    'crm setup',
    'crm accept-removals',
    'push retry',
    'security-log',
    'prune',
    'mails retry',
    'mails',
    'webhooks retry',
    'webhooks',
    'jobs retry',
    'jobs drop',
    'jobs',
    'secrets rotate',
    'applicants export',
    'applicants erase',
    'backup',
    'restore',
    'migrate',
  ])
  const helps = await Promise.all(usages.map((name) => folder.command([...name.split(' '), '--help'])))
  for (const [i, { code, out, err }] of helps.entries()) {
    expect([usages[i], code, err]).toEqual([usages[i], 0, ''])
    expect(out).toMatch(new RegExp(`^npm run portal -- ${usages[i]}.*\n\n[A-Z].*\\.\n$`))
  }
})
