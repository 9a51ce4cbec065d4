import { afterAll, beforeAll, expect, test } from 'vitest'
import { findProblemsOfAllPartners } from '../../../records/partners/partners-in-crm.queries.ts'
import { type Lender, openLender } from '../../../testing/lender.ts'
import {
  addColleague,
  confirmEmail,
  newLead,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../../testing/start-portal.ts'
import { waitFor } from '../../../testing/wait-for.ts'

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

async function holdOf({ token }: { token: string }): Promise<string | null> {
  return (await portal.post('/auth/verify', { token })).body.data.hold
}

const crmStateOf = async (partner: TestPartner, loid: string) =>
  (await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm

test('a stranger with a broker’s email sees and sends nothing until the address is confirmed, whatever the names', async () => {
  const broker = await brokerInCrm('Victim Cafe')
  const stranger = await portal.newPartner({ ...broker.form, businessName: 'Cafe of the Victim', firstName: 'Mallory' })
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
  await lender.faults({ unavailable: { every: 1, match: 'POST /crm/v8/Partners' } })
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

test('a name alone connects a partner with nothing', async () => {
  const broker = await brokerInCrm('Twin Finance')
  const twin = await portal.newPartner({ businessName: broker.form.businessName })
  await twin.pushedLead((await twin.submitLead()).loid)
  expect((await twin.get('/profile')).body.data.zoho_id).not.toBe(broker.id)
})

test('if the CRM has several records with a verified address, partner and operator are told', async () => {
  const broker = await brokerInCrm('Double Broking')
  const second = await lender.create('Partners', { Name: 'Double Pty Ltd', Email: broker.form.email })
  const partner = await portal.newPartner(broker.form)
  await confirmEmail(portal, partner)
  await waitFor('the hold', async () => (await holdOf(partner)) === 'several')
  const sync = await partner.post('/crm/sync')
  expect([sync.status, sync.body.code]).toEqual([409, 'ASK_LENDER'])
  const problems = await findProblemsOfAllPartners(portal.deps.db)
  expect(problems.find((one) => one.business_name === 'Double Broking')?.crm_problem).toContain(
    `${broker.id}, ${second}.`,
  )
})

test('records are not linked to a partner of several people before the person with the address has agreed', async () => {
  const { form } = await brokerInCrm('Several People')
  await lender.faults({ unavailable: { every: 1, match: 'coql' } })
  const owner = await portal.newPartner(form)
  const colleague = await addColleague(portal, owner, 'owner')
  await lender.faults({})
  await waitFor('the hold', async () => {
    await portal.deps.pool.query("update jobs.job set start_after = now() where name = 'push-partner'")
    return (await holdOf(owner)) === 'people'
  })
  expect((await colleague.get('/dashboard/leads')).body.data.leads).toEqual([])
  expect((await colleague.get('/account/crm-link')).body.data).toMatchObject({ may_confirm: false, people: [] })
  expect((await colleague.post('/account/crm-link')).status).toBe(403)

  const seen = (await owner.get('/account/crm-link')).body.data
  expect(seen).toMatchObject({ may_confirm: true, records: 1 })
  expect(seen.people.map(({ email }: { email: string }) => email)).toEqual([owner.email, colleague.email])
  expect((await owner.post('/account/crm-link')).status).toBe(200)
  await waitFor('the record', async () => (await colleague.get('/dashboard/leads')).body.data.leads.length === 1)
  expect((await owner.post('/account/crm-link')).body.code).toBe('CONFLICT')
})

test('a stranger who made a broker the contact does not see the broker’s records after staff removed the stranger’s', async () => {
  const stranger = await portal.newPartner({ businessName: 'Harcourt Lending' })
  await stranger.pushedLead((await stranger.submitLead()).loid)
  const own: string = (await stranger.get('/profile')).body.data.zoho_id
  const broker = await addColleague(portal, stranger, 'owner')
  const id = await lender.create('Partners', { Name: 'Harcourt Lending', Email: broker.email })
  await lender.create('Leads', { Last_Name: 'Applicant', Company: 'Victim Pty Ltd', Partner: { id } })
  const me = (await stranger.get('/profile')).body.data.person_id
  expect((await broker.put(`/team/people/${me}`, { role: 'member' })).status).toBe(200)
  await waitFor('the contact in the CRM', async () => (await lender.read('Partners', own))?.['Email'] === broker.email)

  await lender.remove('Partners', own)
  const { loid } = await stranger.submitLead()
  await waitFor('the hold', async () => (await holdOf(stranger)) === 'deleted')
  expect(await crmStateOf(stranger, loid)).toBe('pending')
  expect((await stranger.get('/profile')).body.data.zoho_id).toBe(own)
  expect(JSON.stringify((await stranger.get('/dashboard/leads')).body)).not.toContain('Victim')
})

test('while an address is unverified, ten records wait and no more are taken; the verification sends them', async () => {
  await using strict = await startPortal({ withCrm: true, env: { HOLD_UNVERIFIED: 'true' } })
  const partner = await strict.newPartner()
  const { api_key } = (await partner.post('/dashboard/generate-api-key')).body.data
  await waitFor('the hold', async () => {
    const session = await strict.post('/auth/verify', { token: partner.token })
    return session.body.data.hold === 'unverified'
  })
  const deal = { deal_name: 'Truck', business_name: 'Okafor Freight', email: 'nkem@okafor-freight.example' }
  const ninth = await Promise.all(Array.from({ length: 8 }, () => partner.submitLead()))
  expect((await strict.post('/webhook/deal', deal, { token: api_key })).status).toBe(201)
  const last = await Promise.all(Array.from({ length: 3 }, () => partner.post('/dashboard/leads', newLead())))
  expect(last.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const byKey = await strict.post('/partner/leads', newLead({ firstName: 'Ada' }), { token: api_key })
  expect([byKey.status, byKey.body.code]).toEqual([409, 'CONFIRM_EMAIL'])
  expect(JSON.stringify(await lender.list('Partners', 'Email'))).not.toContain(partner.email)

  await confirmEmail(strict, partner)
  for (const { loid } of ninth) await partner.pushedLead(loid)
  await partner.pushedLead((await partner.submitLead()).loid)
})

test('form and API key share a partner’s limit on new records', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on', RECORDS_PER_MINUTE: '3', RECORDS_PER_DAY: '4' } })
  const partner = await limited.newPartner()
  const { api_key } = (await partner.post('/dashboard/generate-api-key')).body.data
  await partner.submitLead()
  const byKey = (firstName: string) => limited.post('/partner/leads', newLead({ firstName }), { token: api_key })
  expect((await byKey('Ada')).status).toBe(201)
  await partner.submitLead()
  const refused = await byKey('Bea')
  expect([refused.status, refused.body.error]).toEqual([429, 'Too many new records: at most 3 a minute.'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('nobody can use up the CRM’s credits with notes, changes of the profile, retries, roles or syncs', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on', RECORDS_PER_MINUTE: '3' } })
  const partner = await limited.newPartner()
  const { loid } = await partner.submitLead()
  const note = { content: 'The statements follow on Monday.' }
  const noted = [
    await partner.post('/crm/note', { loid, ...note }),
    await partner.post('/crm/note', { loid, ...note }),
    await partner.post(`/crm/note/${loid}`, note),
    await partner.post('/crm/note', { loid, ...note }),
  ]
  expect(noted.map(({ status }) => status)).toEqual([201, 201, 201, 429])
  expect(noted.at(-1)?.body.error).toBe('Too many new notes: at most 3 a minute.')

  const changed = []
  for (const first_name of ['Ada', 'Bea', 'Cleo', 'Dora']) changed.push(await partner.put('/profile', { first_name }))
  expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(changed.at(-1)?.body.error).toBe('Too many changes of profiles and leads: at most 3 a minute.')

  const other = await limited.newPartner()
  const colleague = await addColleague(limited, other, 'viewer')
  const { loid: retried } = await other.submitLead()
  const { loid: deal } = (await other.post('/webhook/deal', { business_name: 'Okafor', email: 'n@okafor.example' }))
    .body.data
  const noteId = (await other.post('/crm/note', { loid: retried, ...note })).body.data.note.id
  const paths = [`/crm/lead/${retried}`, `/crm/deal/${deal}`, `/crm/note/${noteId}`]
  const again = []
  for (const path of paths) again.push((await other.post(`${path}/retry-push`)).status)
  expect([...again, (await other.post(`${paths[0]}/retry-push`)).status]).toEqual([202, 202, 202, 429])
  const roles = []
  for (let time = 0; time < 4; time++) {
    for (const role of ['owner', 'viewer']) {
      roles.push((await other.put(`/team/people/${colleague.id}`, { role })).status)
    }
  }
  // Taking rights away is never refused.
  expect(roles).toEqual([200, 200, 200, 200, 200, 200, 429, 200])

  const asked = await Promise.all(Array.from({ length: 60 }, () => partner.post('/dashboard/debug-sync-leads')))
  expect(asked.map(({ status }) => status)).not.toContain(429)
  for (const path of ['/crm/sync', '/dashboard/sync-leads', '/dashboard/sync-deal/x', '/dashboard/debug-sync-leads']) {
    const refused = await partner.post(path)
    expect([path, refused.status, refused.body.error]).toEqual([path, 429, 'Too many syncs: at most 60 a minute.'])
  }
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
