import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lender, openLender } from '../../testing/lender.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const CONFIRM = 'Confirm your email address to connect to your existing records'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())

/** Creates a broker with a lead in the CRM. A partner must not see this lead before it has confirmed its address. */
async function brokerInCrm(name: string) {
  const email = `${name.toLowerCase().replaceAll(' ', '-')}@example.com`
  const id = await lender.create('Partners', { Name: name, Email: email, First_Name: 'Wilhelmina' })
  await lender.create('Leads', { Last_Name: 'Applicant', Company: 'Secret Pty Ltd', Partner: { id } })
  return { id, form: { email, businessName: name } }
}

async function mustConfirm({ token }: { token: string }): Promise<boolean> {
  return (await portal.post('/auth/verify', { token })).body.data.mustConfirmEmail
}

async function linkToken(email: string): Promise<string> {
  return /verify-email\?token=([\w-]+)/.exec(await portal.mailTo(email, '/verify-email?token='))?.[1] ?? ''
}

const crmStateOf = async (partner: TestPartner, loid: string) =>
  (await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm

test('a stranger with a broker’s name and email sees and sends nothing until the address is confirmed', async () => {
  const broker = await brokerInCrm('Victim Cafe')
  const stranger = await portal.newPartner({ ...broker.form, businessName: 'victim cafe', firstName: 'Mallory' })
  await waitFor('the portal to ask for a confirmed address', () => mustConfirm(stranger))
  const { loid } = await stranger.submitLead()
  for (const path of ['/dashboard/sync-leads', '/dashboard/sync-deals', '/crm/sync']) {
    const sync = await stranger.post(path)
    expect([sync.status, sync.body.code, sync.body.error]).toEqual([409, 'CONFIRM_EMAIL', CONFIRM])
  }
  expect((await stranger.get('/dashboard/leads')).body.data.leads).toHaveLength(1)
  expect(await crmStateOf(stranger, loid)).toBe('pending')
  expect(JSON.stringify(await lender.list('Leads', 'LOID'))).not.toContain(loid)
  expect((await stranger.get('/profile')).body.data.zoho_id).toBeNull()

  expect((await stranger.post('/auth/verify-email', { token: await linkToken(broker.form.email) })).status).toBe(200)
  await stranger.pushedLead(loid)
  await waitFor(
    'the broker’s records',
    async () => (await stranger.get('/dashboard/leads')).body.data.leads.length === 2,
  )
  expect(await mustConfirm(stranger)).toBe(false)
  expect(await lender.read('Partners', broker.id)).toMatchObject({ Name: 'Victim Cafe', First_Name: 'Wilhelmina' })
})

test('a stranger who takes a broker’s address during a CRM outage sees nothing before confirming the address', async () => {
  const broker = await brokerInCrm('Later Loans')
  await lender.faults({ unavailable: { every: 1, match: 'Partners' } })
  const stranger = await portal.newPartner({ businessName: 'Later Loans' })
  await stranger.put('/account/email', { email: broker.form.email })
  const mail = await portal.mailTo(broker.form.email, 'Confirm your new email address')
  const token = /confirm-email\?token=([\w-]+)/.exec(mail)?.[1]
  expect((await portal.post('/auth/confirm-email', { token })).status).toBe(200)
  await lender.faults({})
  await waitFor('the portal to ask for a confirmed address', async () => {
    await portal.deps.pool.query("update jobs.job set start_after = now() where name = 'push-partner'")
    return mustConfirm(stranger)
  })
  expect((await stranger.get('/dashboard/leads')).body.data.leads).toEqual([])

  expect((await stranger.post('/auth/verify-email', { token: await linkToken(broker.form.email) })).status).toBe(200)
  await waitFor(
    'the broker’s records',
    async () => (await stranger.get('/dashboard/leads')).body.data.leads.length === 1,
  )
})

test('a disowned account pushes none of its waiting records, and the true owner gets the CRM’s records', async () => {
  const broker = await brokerInCrm('Owner Broking')
  const stranger = await portal.newPartner(broker.form)
  await waitFor('the portal to ask for a confirmed address', () => mustConfirm(stranger))
  const { loid } = await stranger.submitLead()
  expect((await portal.post('/auth/disown', { token: await linkToken(broker.form.email) })).status).toBe(200)

  const owner = await portal.newPartner(broker.form)
  await waitFor('the portal to ask for a confirmed address', () => mustConfirm(owner))
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: broker.form.email })).body.data
  const password = 'another-fine-horse'
  await portal.post('/auth/reset-password', { token: resetToken, newPassword: password })
  const { token } = (await portal.post('/auth/login', { email: broker.form.email, password })).body
  const leads = () => portal.get('/dashboard/leads', { token }).then(({ body }) => body.data.leads)
  await waitFor('the broker’s own record', async () => (await leads()).length === 1)
  expect((await leads())[0].business_name).toBe('Secret Pty Ltd')
  expect(JSON.stringify(await lender.list('Leads', 'LOID'))).not.toContain(loid)
})

test('a new partner gets its own CRM record without confirming its address, even if the answer to its first push was lost', async () => {
  await lender.faults({ resetAfterCommit: { times: 1, match: 'POST /crm/v8/Partners' } })
  const partner = await portal.newPartner({ businessName: 'Lost Answer Loans' })
  const { loid } = await partner.submitLead()
  await partner.pushedLead(loid)
  expect(await mustConfirm(partner)).toBe(false)
  const named = (await lender.list('Partners', 'Name')).filter(({ Name }) => Name === 'Lost Answer Loans')
  expect(named).toHaveLength(1)
})

test('a renamed partner need not confirm its address for a CRM record with its old name', async () => {
  const broker = await brokerInCrm('Old Name Finance')
  const partner = await portal.newPartner(broker.form)
  await waitFor('the portal to ask for a confirmed address', () => mustConfirm(partner))
  const { loid } = (await partner.post('/dashboard/leads', newLead())).body.data
  await partner.put('/profile', { business_name: 'New Name Finance' })
  await partner.pushedLead(loid)
  expect((await partner.get('/dashboard/leads')).body.data.leads).toHaveLength(1)
})

test('if staff remove the CRM record for which a partner must confirm its address, the next submission also pushes the waiting records', async () => {
  const broker = await brokerInCrm('Gone Finance')
  const partner = await portal.newPartner(broker.form)
  await waitFor('the portal to ask for a confirmed address', () => mustConfirm(partner))
  const { loid } = await partner.submitLead()
  await partner.post('/crm/note', { loid, content: 'Called, no answer' })
  const open = async () => {
    const { rows } = await portal.deps.pool.query(
      `select name from jobs.job where name in ('push-lead', 'push-note') and state in ('created', 'active', 'retry')`,
    )
    return rows.length
  }
  await waitFor('the partner’s push jobs to end', async () => (await open()) === 0)

  await lender.remove('Partners', broker.id)
  await partner.pushedLead((await partner.submitLead()).loid)
  await partner.pushedLead(loid)
  await waitFor('the note', async () => {
    // The note's first push may have failed because the lead was not in the CRM yet.
    await portal.deps.pool.query(`update jobs.job set start_after = now() where name = 'push-note' and state = 'retry'`)
    return (await partner.get(`/crm/lead/${loid}`)).body.data.notes[0].crm === 'synced'
  })
  expect(await mustConfirm(partner)).toBe(false)
})
