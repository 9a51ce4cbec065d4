import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { pushPartnerNow } from '../../crm/push/push-partner.job.ts'
import { recordEvent } from '../../records/events/events.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { openLender } from '../../testing/lender.ts'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { confirmEmail, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'

const EMAIL = 'nkem@okafor-freight.example'

/** The rows that name the applicant, in all tables except the job queue's. */
async function rowsThatName({ deps: { pool } }: TestPortal): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  )
  const texts = await Promise.all(
    rows.map(async ({ name }) =>
      (await pool.query<{ t: string }>(`select t::text from ${name} t`)).rows.map(({ t }) => t),
    ),
  )
  return texts.flat().filter((text) => /nkem|okafor|61491570156/i.test(text))
}

test('an applicant’s data is found across all partners, exported and erased, and no sync restores it', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const { loid } = await ada.submitLead({ additionalInfo: 'Nkem has two trucks', loanPurpose: 'A truck for Nkem' })
  const { loid: bobs } = await bob.submitLead({ email: 'office@okafor.example', firstName: 'Nk' })
  // This lead is about another person, whose foreign number has the same last digits.
  const { loid: other } = await bob.submitLead({
    email: 'x@y.example',
    phone: '+64 9 157 0156',
    firstName: 'Somebody',
    lastName: 'Else',
    businessName: 'Elsewhere',
  })
  // The portal remembers the answer to a call with an idempotency key, and this answer contains the note's text.
  const headers = { 'idempotency-key': 'a note' }
  await ada.post(`/crm/note/${loid}`, { content: 'Nkem called back today' }, { headers })
  const { api_key: key } =
    (await ada.post('/dashboard/generate-api-key')).body.data ?? (await ada.post('/dashboard/generate-api-key')).body
  const refused = await portal.post(
    '/partner/leads',
    { email: EMAIL.toUpperCase(), first_name: 'Nkem' },
    { token: key },
  )
  expect(refused.status).toBe(400)
  // This partner has no lead about the applicant, so only the log of the partner's calls names the applicant.
  const cleo = await portal.newPartner()
  const { api_key: hers } = (await cleo.post('/dashboard/generate-api-key')).body.data
  await portal.post('/partner/leads', { email: EMAIL }, { token: hers })
  // A file that was not submitted names the applicant in a row and in the example of a column.
  const file = Buffer.from(`Email,Phone\n${EMAIL},0491570156\nx@y.example,61491570157\n`)
  const { id: fileId } = (await bob.post('/dashboard/leads/imports', file)).body.data
  // Two saved views search for the applicant, and a file is on its way to the CRM.
  const search = (text: string) => `search=${encodeURIComponent(text)}`
  await ada.post('/dashboard/views', { list: 'leads', name: 'Truck', query: search(EMAIL) })
  await cleo.post('/dashboard/views', { list: 'leads', name: 'Freight', query: search('Nkem Okafor') })
  await cleo.post('/dashboard/views', { list: 'leads', name: 'Kept', query: search('Elsewhere') })
  const licence = { loid, name: 'Licence of Nkem.txt', content: new Uint8Array(Buffer.from('Nkem Okafor, class HR')) }
  await confirmEmail(portal, ada)
  expect((await upload(portal, ada, licence)).status).toBe(200)
  const zohoId: string = (await ada.pushedLead(loid)).zoho_id ?? (await zohoIdOf(portal, loid))
  await bob.pushedLead(bobs)

  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  const to = join(folder.path, 'nkem.json')
  const exported = await folder.command(['applicants', 'export', '0491 570 156', '--to', to], env)
  expect([exported.code, exported.out]).toEqual([0, expect.stringMatching(/^leads +2$/m)])
  expect((await stat(to)).mode & 0o777).toBe(0o600)
  const data = JSON.parse(await readFile(to, 'utf8'))
  expect(data.leads.map((lead: { loid: string }) => lead.loid).sort()).toEqual([loid, bobs].sort())
  expect(data.rows_of_imports).toMatchObject([{ import_id: fileId, number: 2, cells: [EMAIL, '0491570156'] }])
  expect(data.notes).toMatchObject([{ content: 'Nkem called back today' }])
  expect(data.documents).toMatchObject([{ name: licence.name }])
  expect(data.views.map(({ name }: { name: string }) => name)).toEqual(['Truck', 'Freight'])
  expect(data.remembered_answers).toMatchObject([{ answer: { note: { content: 'Nkem called back today' } } }])
  expect((await folder.command(['applicants', 'export', EMAIL, '--to', to], env)).err).toMatch(/EEXIST/)

  const asked = await folder.command(['applicants', 'erase', EMAIL], env)
  expect([asked.code, asked.err]).toEqual([
    1,
    'Nothing was erased: add --yes, because there is no terminal to ask on\n',
  ])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.email).toBe(EMAIL)

  const erased = await folder.command(['applicants', 'erase', EMAIL, '--yes'], env)
  expect(erased.code).toBe(0)
  expect(erased.out).toContain(`Still in the CRM, for its staff to delete:\n  Leads ${zohoId} (${loid})`)
  // The lender deletes the record of Bob's lead, so it goes to the recycle bin.
  const bobsZohoId = await zohoIdOf(portal, bobs)
  await lender.remove('Leads', bobsZohoId)
  await bob.post('/dashboard/sync-leads')
  const rest = await folder.command(['applicants', 'erase', '0491570156', '--yes'], env)
  expect(rest.out).not.toContain('Still in the CRM')
  expect(rest.out).toMatch(new RegExp(`recycle bin.*:\n  Leads ${bobsZohoId} \\(${bobs}\\)`))
  const { lead } = (await ada.get(`/crm/lead/${loid}`)).body.data
  expect(lead).toMatchObject({
    email: null,
    phone: null,
    business_name: null,
    loan_amount: 150_000,
    loan_type: 'Term Loan',
  })
  expect(await rowsThatName(portal)).toEqual([])
  expect((await bob.get(`/crm/lead/${other}`)).body.data.lead.business_name).toBe('Elsewhere')
  expect((await cleo.get('/dashboard/views')).body.data.views).toMatchObject([{ name: 'Kept' }])
  const log = await folder.command(['security-log'], env)
  expect(log.out).toMatch(new RegExp(`operator +Applicant’s data erased, ${loid}$`, 'm'))
  expect(log.out).toMatch(/operator +Applicant’s data erased, in the log of calls$/m)
  expect((await folder.command(['applicants', 'erase', EMAIL, '--yes'], env)).err).toMatch(
    /^The portal has no data about /,
  )

  // The lender keeps working on the record: the portal takes its status and figures, but no names.
  await lender.update('Leads', zohoId, { Lead_Status: 'Contacted', Last_Name: 'Okafor', Loan_Amount: 99_000 })
  await lender.addNote('Leads', zohoId, { content: 'Okafor wants to go on' })
  await ada.post('/dashboard/sync-leads')
  await waitFor(
    'the status',
    async () => (await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status === 'Contacted',
  )
  await lender.convert(zohoId, { Deal_Name: 'Okafor Freight', Amount: 99_000 })
  await ada.post('/crm/sync')
  const { deal } = await waitFor('the deal', async () => (await ada.get(`/crm/deal/${loid}`)).body.data)
  expect(deal).toMatchObject({ deal_name: null, business_name: null, amount: 99_000 })
  expect(await rowsThatName(portal)).toEqual([])
})

async function zohoIdOf({ deps }: TestPortal, loid: string): Promise<string> {
  const { zoho_id } = await deps.db
    .selectFrom('leads')
    .select('zoho_id')
    .where('loid', '=', loid)
    .executeTakeFirstOrThrow()
  return zoho_id ?? ''
}

test('an erased lead that never reached the CRM is not pushed, and its webhook body is not sent again', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await partner.put('/dashboard/webhook-url', { webhook_url: 'https://127.0.0.1.example/hook' })
  const { loid } = await partner.submitLead()
  const delivery = await waitFor(
    'the delivery',
    async () => (await partner.get('/dashboard/webhook-logs')).body.data[0],
  )
  const { api_key: key } = (await partner.post('/dashboard/generate-api-key')).body.data
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  const { db } = portal.deps
  // Another call names the applicant after the command has looked through the log of calls.
  const { erasing } = await db.transaction().execute(async (tx) => {
    await sql`lock table idempotency_keys in access exclusive mode`.execute(tx)
    const command = folder.command(['applicants', 'erase', EMAIL, '--yes'], env)
    await waitFor('the command to wait', async () => (await countLockWaits(tx)) > 0)
    await portal.post('/partner/leads', { email: EMAIL }, { token: key })
    const calls = db.selectFrom('webhook_logs').select('id').where('direction', '=', 'inbound')
    await waitFor('the log of the call', async () => (await calls.execute())[0])
    return { erasing: command }
  })
  expect((await erasing).err).toMatch(/security/)
  expect(await rowsThatName(portal)).toEqual([])
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm).toBe('failed')
  await partner.post(`/crm/lead/${loid}/retry-push`)
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm).toBe('failed')
  const again = await partner.post(`/dashboard/webhook-logs/${delivery.id}/redeliver`)
  expect([again.status, again.body.error]).toEqual([409, 'The applicant’s data in this delivery has been erased'])
})

test('an endpoint’s answer that arrives after the erasure does not bring the applicant’s data back', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  const answer = Promise.withResolvers<void>()
  await using receiver = await startReceiver((response, { text }) => {
    void answer.promise.then(() => response.end(text))
  })
  const partner = await portal.newPartner()
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  await partner.submitLead()
  await receiver.first(1)
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  expect((await folder.command(['applicants', 'erase', EMAIL, '--yes'], env)).code).toBe(0)
  answer.resolve()
  const logs = async () => (await partner.get('/dashboard/webhook-logs')).body.data
  await waitFor('the attempt', async () => (await logs())[0].attempts === 1)
  expect(await rowsThatName(portal)).toEqual([])
})

test('an erasure names a lead whose push got no answer, because the CRM may have the lead', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  const partner = await portal.newPartner()
  await pushPartnerNow(portal.deps, partner.id, {})
  const lost = { resetAfterCommit: { times: 1, match: 'POST /crm/v8/Leads' } }
  // The search for the record right after the push also fails.
  await lender.faults({ ...lost, scopeMismatch: { every: 2, times: 1, match: '/coql' } })
  const { loid } = await partner.submitLead()
  await waitFor('the lead in the CRM', async () =>
    (await lender.list('Leads', 'LOID')).some(({ LOID }) => LOID === loid),
  )
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  const erased = await folder.command(['applicants', 'erase', EMAIL, '--yes'], env)
  expect(erased.out).toContain(`Perhaps in the CRM, because the portal was sending it:\n  Leads (${loid})`)
})

test('an applicant is found by an ABN that was entered with other characters', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead({ businessAbn: 'ABN 51-824-753-556' })
  const { api_key: token } = (await partner.post('/dashboard/generate-api-key')).body.data
  const refused = await portal.post('/partner/leads', { abn: '51.824.753.556' }, { token })
  expect(refused.status).toBe(400)
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  const file = join(folder.path, 'abn.json')
  const exported = await folder.command(['applicants', 'export', '51 824 753 556', '--to', file], env)
  expect(exported.code).toBe(0)
  const data = JSON.parse(await readFile(file, 'utf8'))
  expect(data.leads.map((lead: { loid: string }) => lead.loid)).toEqual([loid])
  expect(data.webhook_logs).toMatchObject([{ endpoint: '/api/partner/leads' }])
})

test('an applicant is found by an email address that was written with other signs', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const loids: string[] = []
  for (const email of ['Jo\u0308rg@münchen.example', 'jörg@xn--mnchen-3ya.example', 'JÖRG@MÜNCHEN.example']) {
    const { loid } = await partner.submitLead()
    // As the CRM and earlier versions have it.
    await portal.deps.db.updateTable('leads').set({ email }).where('loid', '=', loid).execute()
    loids.push(loid)
  }
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  for (const spelling of ['jörg@münchen.example', 'jo\u0308rg@xn--mnchen-3ya.example', ' Jörg@\u200bMÜNCHEN.example']) {
    const file = join(folder.path, `${spelling.length}.json`)
    expect(await folder.command(['applicants', 'export', spelling, '--to', file], env)).toMatchObject({ code: 0 })
    const data = JSON.parse(await readFile(file, 'utf8'))
    expect(data.leads.map((lead: { loid: string }) => lead.loid).toSorted()).toEqual(loids.toSorted())
  }
})

test('the export for an applicant does not say what the lender pays the partner', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal()
  const { db } = portal.deps
  const { id: partnerId } = await portal.newPartner()
  const { loid } = await insertDeal(db, partnerId, {
    email: EMAIL,
    amount: 50_000,
    partner_commission: 31_234.5,
    commission_status: 'Paid',
    commission_note: 'A bonus',
  })
  const data = { deal_name: 'Okafor', business_name: null }
  await db
    .transaction()
    .execute((tx) => recordEvent(tx, { partnerId, loid, type: 'deal.paid', data, at: new Date().toISOString() }))
  const env = { DATABASE_URL: portal.database.url, SECRETS_KEY: Buffer.alloc(32, 'k').toString('base64') }
  const file = join(folder.path, 'nkem.json')
  expect((await folder.command(['applicants', 'export', EMAIL, '--to', file], env)).code).toBe(0)
  const text = await readFile(file, 'utf8')
  expect(JSON.parse(text).deals).toMatchObject([{ loid, amount: 50_000 }])
  expect(text).not.toMatch(/commission|31234\.5|bonus|paid/i)
})

test('erasing is refused for a text that is not an email address, phone number or ABN', async () => {
  await using folder = await openDataFolder()
  const refused = await folder.command(['applicants', 'erase', 'Okafor'])
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringMatching(/^"Okafor" is not an email address, phone number or ABN; usage: /),
  ])
})
