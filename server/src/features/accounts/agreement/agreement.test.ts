import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followFields } from '../../../crm/pull/fields/follow-fields.job.ts'
import { readAgreementFile } from '../../../platform/agreement-file.ts'
import { startKillablePortal } from '../../../testing/killable-portal.ts'
import { openLender } from '../../../testing/lender.ts'
import { addColleague, newLead, startPortal, type TestPartner, type TestPortal } from '../../../testing/start-portal.ts'
import { waitFor } from '../../../testing/wait-for.ts'

const DAY_MS = 86_400_000

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agreement-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(content: string): Promise<string> {
  const path = join(folder, 'agreement.md')
  await writeFile(path, content)
  return path
}

/** An agreement that is needed from so many days after today. */
function agreement(version: string, days: number, text = 'We pay on time.'): string {
  const day = new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
  return `---\nversion: ${version}\nrequired_from: ${day}\n---\n# Terms\n\n${text}\n`
}

async function entries(owner: TestPartner) {
  const { entries: all } = (await owner.get('/security-log?type=account')).body.data
  return all.filter((entry: { event: string }) => entry.event === 'agreement-accepted')
}

function verified({ token }: { token: string }, on: TestPortal) {
  return on.post('/auth/verify', { token }).then(({ body }) => body.data.agreement)
}

test('from its day on nothing is submitted before an owner accepts the agreement, which is then in log and CRM, once', async () => {
  const AGREEMENT_FILE = await fileOf(agreement('2027-A', -1))
  await using portal = await startPortal({ withCrm: true, env: { AGREEMENT_FILE } })
  await portal.deps.crm.makeMissingFields(['agreement'])
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'owner')
  const cleo = await addColleague(portal, ada, 'member')
  const key = (await ada.post('/dashboard/generate-api-key')).body.data.api_key
  const byKey = () => portal.post('/partner/leads', newLead(), { token: key })
  expect(await verified(cleo, portal)).toMatchObject({ version: '2027-A', is_required: true })
  const clients = Buffer.from(
    'Business Name,First Name,Last Name,Email,Phone,Loan Amount\r\nKauri Ferry,Robin,Lee,robin@example.com,0491 570 156,"50,000"',
  )
  const { id } = (await cleo.post('/dashboard/leads/imports?name=clients.csv', clients)).body.data
  const byImport = () => {
    const body = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: 1 }
    return cleo.post(`/dashboard/leads/imports/${id}/submit`, body)
  }
  for (const refused of [await cleo.post('/dashboard/leads', newLead()), await byKey(), await byImport()]) {
    expect([refused.status, refused.body.code]).toEqual([409, 'AGREEMENT_REQUIRED'])
    expect(refused.body.error).toContain('version 2027-A')
  }
  expect((await cleo.get('/dashboard/leads')).body.data.leads).toEqual([])

  const read = (await cleo.get('/account/agreement')).body.data.agreement
  expect(read).toMatchObject({ text: '# Terms\n\nWe pay on time.', is_accepted: false })
  const body = { version: read.version, sha256: read.sha256 }
  expect((await cleo.post('/account/agreement', body)).status).toBe(403)
  const both = await Promise.all([ada, bob, ada].map((owner) => owner.post('/account/agreement', body)))
  expect(both.map((answer) => [answer.status, answer.body.data.accepted.length])).toEqual(
    [200, 200, 200].map((ok) => [ok, 1]),
  )
  expect(both[0]?.body.data.accepted).toEqual(both[1]?.body.data.accepted)
  const [entry, ...more] = await entries(ada)
  expect(more).toEqual([])
  expect(entry).toMatchObject({ detail: `version 2027-A, SHA-256 ${read.sha256}`, ip: '127.0.0.1' })
  const { accepted } = (await cleo.get('/account/agreement')).body.data
  expect(accepted).toMatchObject([{ version: '2027-A', sha256: read.sha256, by: entry.person.name, ip: null }])

  expect(await verified(cleo, portal)).toBeNull()
  const submitted = [await cleo.post('/dashboard/leads', newLead()), await byKey(), await byImport()]
  expect(submitted.map(({ status }) => status)).toEqual([201, 201, 202])
  const lender = openLender(portal.crmUrl)
  const inCrm = await waitFor('the agreement in the CRM', async () => {
    const [record] = await lender.list('Partners', 'Agreement_Version,Agreed_On')
    return record?.['Agreement_Version'] ? record : undefined
  })
  expect(inCrm).toMatchObject({ Agreement_Version: '2027-A', Agreed_On: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) })
})

test('a new version asks again and stops nothing before its day, and what was read before it cannot be accepted', async () => {
  const env = { AGREEMENT_FILE: await fileOf(agreement('1', -1)) }
  await using portal = await startPortal({ env })
  const ada = await portal.newPartner()
  const first = (await ada.get('/account/agreement')).body.data.agreement
  const accept = (on: TestPortal, { version, sha256 }: { version: string; sha256: string }) =>
    on.ask('POST', '/account/agreement', { token: ada.token, body: { version, sha256 } })
  expect((await accept(portal, first)).status).toBe(200)

  await fileOf(agreement('2', 30, 'We pay sooner.'))
  await using later = await startPortal({ env, on: portal })
  expect(await verified(ada, later)).toMatchObject({ version: '2', is_required: false })
  const form = { token: ada.token, body: newLead() }
  expect((await later.ask('POST', '/dashboard/leads', form)).status).toBe(201)
  const refused = await accept(later, first)
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT'])
  const { agreement: second, accepted } = (await later.ask('GET', '/account/agreement', { token: ada.token })).body.data
  expect(accepted.map((one: { version: string }) => one.version)).toEqual(['1'])
  expect((await accept(later, second)).body.data.accepted).toMatchObject([{ version: '2' }, { version: '1' }])
  expect((await entries(ada)).map((one: { detail: string }) => one.detail.slice(0, 9))).toEqual([
    'version 2',
    'version 1',
  ])
})

test('a process that is killed between the acceptance and its answer leaves all of it or nothing, and accepting again makes one', async () => {
  const env = { AGREEMENT_FILE: await fileOf(agreement('9', -1)) }
  await using portal = await startPortal({ env })
  const { db, config } = portal.deps
  for (const afterMs of [0, 8, 25]) {
    const ada = await portal.newPartner()
    const { version, sha256 } = (await ada.get('/account/agreement')).body.data.agreement
    const other = await startKillablePortal({ databaseUrl: portal.database.url, folder: config.dataDir, env })
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ version, sha256 })
    const answer = fetch(`${other.url}/api/account/agreement`, { method: 'POST', headers, body }).catch(() => undefined)
    await sleep(afterMs)
    await other.kill()
    await answer
    const { accepted } = (await ada.get('/account/agreement')).body.data
    expect(await entries(ada)).toHaveLength(accepted.length)
    expect((await ada.post('/account/agreement', { version, sha256 })).body.data.accepted).toHaveLength(1)
    expect(await entries(ada)).toHaveLength(1)
    const rows = await db.selectFrom('accepted_agreements').select('version').where('partner_id', '=', ada.id).execute()
    expect(rows).toHaveLength(1)
  }
})

test('an agreement that was accepted before the CRM had the fields is written once it has them', async () => {
  const env = { AGREEMENT_FILE: await fileOf(agreement('7', -1)) }
  await using portal = await startPortal({ withCrm: true, env })
  const ada = await portal.newPartner()
  const isPushed = () =>
    waitFor('the push', async () => {
      const query = portal.deps.db.selectFrom('partners').select('crm').where('id', '=', ada.id)
      return (await query.executeTakeFirstOrThrow()).crm === 'synced'
    })
  await isPushed()
  const { version, sha256 } = (await ada.get('/account/agreement')).body.data.agreement
  await ada.post('/account/agreement', { version, sha256 })
  await isPushed()
  await portal.deps.crm.makeMissingFields(['agreement'])
  await followFields.run(portal.deps, {}, new AbortController().signal)
  await isPushed()
  const [record] = await openLender(portal.crmUrl).list('Partners', 'Agreement_Version')
  expect(record?.['Agreement_Version']).toBe('7')
})

test.each([
  ['# Terms', /must begin with a line ---/],
  ['---\nrequired_from: 2027-01-01\n---\nText', /must have a line version:/],
  ['---\nversion: 1\nrequired_from: soon\n---\nText', /must have a line required_from: with a date/],
  ['---\nversion: 1\nrequired_from: 2027-01-01\n---\n \n', /has no text below its head/],
])('%j is refused in words', async (content, message) => {
  await expect(readAgreementFile(await fileOf(content))).rejects.toThrow(message)
})
