import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import {
  addColleague,
  confirmEmail,
  invitationToken,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const PASSWORD = 'correct-horse-battery'
const DAY_MS = 24 * 3_600_000
const INVALID =
  'This invitation is no longer valid. If you have accepted it, sign in. Otherwise ask an owner of the business, or the lender that invited you, to send you a new one.'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

async function newOwner(): Promise<TestPartner> {
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  return owner
}

let invited = 0
function invite(owner: TestPartner, form: object = {}) {
  invited += 1
  const email = `invited${invited}@example.com`
  return owner.post('/team/invitations', { email, firstName: 'Robin', lastName: 'Lee', role: 'member', ...form })
}

async function signIn({ email, password }: { email: string; password: string }) {
  return { token: (await portal.post('/auth/login', { email, password })).body.token }
}

function accept(token: string, password = PASSWORD) {
  return portal.post('/auth/accept-invitation', { token, password })
}

test('an invited broker accepts the invitation through the mailed link and sees the leads of the business', async () => {
  const owner = await newOwner()
  const invitation = await invite(owner, { email: 'Broker@Example.com' })
  expect(invitation.status).toBe(201)
  const mail = await portal.mailTo('broker@example.com', '/invite?token=')
  expect(mail).toContain(`${owner.email} invites you to the Partner Portal`)
  const token = await invitationToken(portal, 'broker@example.com')
  expect((await portal.post('/auth/invitation', { token })).body.data).toEqual({
    businessName: owner.businessName,
    email: 'broker@example.com',
    firstName: 'Robin',
  })

  const accepted = await accept(token)
  expect(accepted.body).toEqual({
    success: true,
    token: expect.any(String),
    partner: { id: owner.id, email: 'broker@example.com', businessName: owner.businessName },
    person: { id: expect.any(String), role: 'member', hasUnverifiedEmail: false },
  })
  const broker = { token: accepted.body.token }
  const profile = (await portal.get('/profile', broker)).body.data
  expect(profile).toMatchObject({ id: owner.id, first_name: 'Robin', last_name: 'Lee', email_verified: true })
  const { loid } = await owner.submitLead()
  expect((await portal.get(`/crm/lead/${loid}`, broker)).status).toBe(200)

  const team = async () => (await owner.get('/team')).body.data
  const brokerSeen = await waitFor('the broker to be seen', async () => {
    const { people } = await team()
    return people[1]?.last_seen_at && people
  })
  expect(brokerSeen).toMatchObject([
    { email: owner.email, role: 'owner', is_active: true },
    { email: 'broker@example.com', first_name: 'Robin', role: 'member', is_active: true },
  ])
  expect((await team()).invitations).toEqual([])
  const again = await portal.post('/auth/login', { email: 'broker@example.com', password: PASSWORD })
  expect(again.status).toBe(200)
})

test('an invitation’s link works only once, expires after seven days, and stops working if a newer link is sent or the invitation is revoked', async () => {
  const owner = await newOwner()
  const refused = async (token: string) => {
    const [read, accepted] = [await portal.post('/auth/invitation', { token }), await accept(token)]
    expect([read.status, read.body.error]).toEqual([400, INVALID])
    expect([accepted.status, accepted.body.code, accepted.body.error]).toEqual([400, 'INVALID_INVITATION', INVALID])
  }
  const first = (await invite(owner)).body.data
  const daysLeft = (Date.parse(first.expires_at) - portal.deps.clock.now().getTime()) / 86_400_000
  expect(daysLeft).toBeCloseTo(7, 1)
  const firstToken = await invitationToken(portal, first.email)
  expect((await owner.post(`/team/invitations/${first.id}/send`)).status).toBe(200)
  const newer = await waitFor('the second mail', async () => {
    const token = await invitationToken(portal, first.email)
    return token !== firstToken && token
  })
  await refused(firstToken)

  const both = await Promise.all([accept(newer), accept(newer)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  await refused(newer)

  const revoked = (await invite(owner)).body.data
  const revokedToken = await invitationToken(portal, revoked.email)
  expect((await owner.ask('DELETE', `/team/invitations/${revoked.id}`)).status).toBe(200)
  expect((await owner.ask('DELETE', `/team/invitations/${revoked.id}`)).status).toBe(404)
  await refused(revokedToken)
  await refused('never-sent')

  const late = (await invite(owner)).body.data
  const lateToken = await invitationToken(portal, late.email)
  portal.advance(7 * DAY_MS)
  await refused(lateToken)
  portal.advance(-7 * DAY_MS)
  expect((await accept(lateToken, 'short')).body.code).toBe('VALIDATION')
  expect((await accept(lateToken, 'robin-lee-1')).body.code).toBe('WEAK_PASSWORD')
  expect((await accept(lateToken)).status).toBe(200)
})

test('an address with an account cannot be invited, and a person with invitations from two businesses can join only one of them', async () => {
  const [owner, other] = [await newOwner(), await newOwner()]
  const taken = await invite(owner, { email: other.email })
  expect([taken.status, taken.body.code]).toEqual([409, 'EMAIL_EXISTS'])

  const email = 'wanted@example.com'
  await invite(owner, { email })
  const token = await invitationToken(portal, email)
  await invite(other, { email })
  const otherToken = await waitFor('the other mail', async () => {
    const newest = await invitationToken(portal, email)
    return newest !== token && newest
  })
  expect((await accept(otherToken)).body.partner.id).toBe(other.id)
  expect((await accept(token)).body.code).toBe('EMAIL_EXISTS')
})

test('an invitation takes no address or invisible sign into a name', async () => {
  const { status, body } = await invite(await newOwner(), {
    firstName: 'Your account is locked: https://evil.example',
    lastName: 'Lender\u202e Security',
  })
  expect([status, body.fields]).toEqual([
    400,
    {
      firstName: 'First name must not contain a web or email address',
      lastName: 'Last name contains a character that nobody can see. Please type it instead of pasting it.',
    },
  ])
})

test('nobody can invite others before their own address is confirmed', async () => {
  const squatter = await portal.newPartner()
  const refused = await invite(squatter)
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFIRM_EMAIL'])
})

test('each role may do what D61 says, and a refusal names who can help', async () => {
  const owner = await newOwner()
  const member = await addColleague(portal, owner, 'member')
  const viewer = await addColleague(portal, owner, 'viewer')
  const refusal = [403, 'NOT_ALLOWED', `Ask an owner of ${owner.businessName} to do this.`]
  for (const refused of [
    await member.get('/team'),
    await member.post('/dashboard/generate-api-key'),
    await member.put('/profile', { business_name: 'Mine now' }),
    await viewer.post('/dashboard/leads', {}),
    await viewer.put('/profile', { business_name: 'Mine now' }),
  ]) {
    expect([refused.status, refused.body.code, refused.body.error]).toEqual(refusal)
  }
  expect((await member.put('/profile', { first_name: 'Mel', business_name: owner.businessName })).status).toBe(200)
  const corrected = await viewer.put('/profile', { first_name: 'Vic', phone: '0491 570 006' })
  expect(corrected.body.data).toMatchObject({ first_name: 'Vic', phone: '+61491570006' })
  expect((await owner.get('/profile')).body.data.first_name).toBeNull()
  const leads = await viewer.get('/dashboard/leads')
  expect([leads.status, leads.headers.get('portal-role')]).toEqual([200, 'viewer'])

  // An API key belongs to the business. A member who sets a new password neither sees the key nor revokes it.
  const { api_key } = (await owner.post('/dashboard/generate-api-key')).body.data
  const newPassword = 'another-fine-horse'
  const form = { currentPassword: PASSWORD, newPassword, confirmPassword: newPassword, revokeAccess: true }
  const left = await member.put('/profile/password', form)
  expect(left.body.data).toEqual({ removed: [], left: [] })
  expect((await portal.get('/partner/docs', { token: api_key })).status).toBe(200)
})

test('a change of role applies from the next call, and a deactivated person loses access at once', async () => {
  const owner = await newOwner()
  const broker = await addColleague(portal, owner, 'member')
  const lead = {
    firstName: 'N',
    lastName: 'O',
    email: 'n@o.example',
    phone: '0491 570 156',
    businessName: 'O',
    loanAmount: 5_000,
    loanType: 'Term Loan',
  }
  const submitted = await broker.post('/dashboard/leads', lead)
  expect(submitted.status).toBe(201)

  const changed = await owner.put(`/team/people/${broker.id}`, { role: 'viewer' })
  expect(changed.body.data).toMatchObject({ id: broker.id, role: 'viewer', is_active: true })
  expect((await broker.post('/dashboard/leads', lead)).status).toBe(403)

  expect((await owner.put(`/team/people/${broker.id}`, { is_active: false })).body.data.is_active).toBe(false)
  expect((await broker.get('/dashboard/leads')).status).toBe(401)
  const signIn = () => portal.post('/auth/login', { email: broker.email, password: PASSWORD })
  expect([(await signIn()).status, (await signIn()).body.code]).toEqual([403, 'ACCOUNT_INACTIVE'])
  expect((await owner.get(`/crm/lead/${submitted.body.data.loid}`)).status).toBe(200)

  await owner.put(`/team/people/${broker.id}`, { is_active: true })
  expect((await signIn()).status).toBe(200)
})

test('a deactivated owner cannot reset a password, and so neither sees nor revokes the business’s API key and webhook URL', async () => {
  const owner = await newOwner()
  const second = await addColleague(portal, owner, 'owner')
  const { api_key } = (await owner.post('/dashboard/generate-api-key')).body.data
  await owner.put(`/team/people/${second.id}`, { is_active: false })
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: second.email })).body.data
  const reset = { token: resetToken, newPassword: 'another-fine-horse', revokeAccess: true }
  const refused = await portal.post('/auth/reset-password', reset)
  expect([refused.status, refused.body.code, refused.body.data]).toEqual([403, 'ACCOUNT_INACTIVE', undefined])
  expect((await portal.get('/partner/docs', { token: api_key })).status).toBe(200)
})

test('an invitation ends for good if its inviter is no longer an active owner', async () => {
  const owner = await newOwner()
  const second = await addColleague(portal, owner, 'owner')
  const changes = [
    [{ role: 'member' }, { role: 'owner' }],
    [{ is_active: false }, { is_active: true }],
  ]
  for (const [number, [lost, regained]] of changes.entries()) {
    const email = `friend${number}@example.com`
    const invited = await portal.post(
      '/team/invitations',
      { email, firstName: 'F', role: 'owner' },
      await signIn(second),
    )
    const token = await invitationToken(portal, email)
    for (const change of [lost, regained]) {
      expect((await owner.put(`/team/people/${second.id}`, change)).status).toBe(200)
      expect((await accept(token)).body.code).toBe('INVALID_INVITATION')
      expect((await owner.get('/team')).body.data.invitations).toEqual([])
      expect((await owner.post(`/team/invitations/${invited.body.data.id}/send`)).status).toBe(404)
    }
  }
})

test('all owners are mailed when somebody is invited as an owner, joins, changes role or asks for another address', async () => {
  const owner = await newOwner()
  const second = await addColleague(portal, owner, 'owner')
  const owners = [owner, second]
  for (const { email } of owners) {
    expect(await portal.mailTo(email, 'joined the team')).toContain(`Robin Colleague (${second.email}, owner) joined`)
  }
  expect(await portal.mailTo(owner.email, 'was invited as an owner')).toContain('/profile/security')
  await second.put('/account/email', { email: `other-${second.email}` })
  for (const { email } of owners) {
    expect(await portal.mailTo(email, 'asked to change their email address')).not.toContain(`other-${second.email}`)
  }
  await owner.put(`/team/people/${second.id}`, { role: 'viewer' })
  for (const { email } of owners) {
    expect(await portal.mailTo(email, 'was given another role')).toContain(`(${second.email}, viewer)`)
  }
})

test('the team names the API key, the webhook URL and the signing secret that a person made, also when the person is let go', async () => {
  const owner = await newOwner()
  const second = await addColleague(portal, owner, 'owner')
  const { api_key_preview } = (await second.post('/dashboard/generate-api-key')).body.data
  const made_webhook_url = 'https://hooks.example/in'
  await second.put('/dashboard/webhook-url', { webhook_url: made_webhook_url })
  const key = { made_api_key: api_key_preview, made_api_key_at: expect.any(String) }
  const made = { ...key, made_webhook_url, made_webhook_secret: true }
  const letGo = (await owner.put(`/team/people/${second.id}`, { is_active: false })).body.data
  expect(letGo).toMatchObject({ ...made, is_active: false })
  await owner.post('/dashboard/generate-api-key')
  await owner.put('/dashboard/webhook-url', { webhook_url: made_webhook_url })
  const { people } = (await owner.get('/team')).body.data
  const nothing = { made_api_key: null, made_api_key_at: null, made_named_keys: [], made_webhook_url: null }
  const knowsSecret = { made_webhook_secret: true }
  expect(people).toMatchObject([
    { ...made, made_api_key: expect.stringMatching(/^lp_/), made_webhook_secret: false },
    { ...nothing, ...knowsSecret },
  ])
})

test('who rotated the secret of a webhook that somebody else set is named when let go', async () => {
  const owner = await newOwner()
  const second = await addColleague(portal, owner, 'owner')
  await owner.put('/dashboard/webhook-url', { webhook_url: 'https://hooks.example/in' })
  await second.post('/dashboard/webhook-secret')
  const letGo = (await owner.put(`/team/people/${second.id}`, { is_active: false })).body.data
  expect(letGo).toMatchObject({ made_webhook_url: null, made_webhook_secret: true })
  await owner.post('/dashboard/webhook-secret')
  const { people } = (await owner.get('/team')).body.data
  expect(people).toMatchObject([{ made_webhook_secret: true }, { made_webhook_secret: false }])
})

test('a partner keeps an active owner, even if two owners demote each other at the same time', async () => {
  const owner = await newOwner()
  const self = (await owner.get('/profile')).body.data.person_id
  for (const change of [{ role: 'member' }, { is_active: false }]) {
    const refused = await owner.put(`/team/people/${self}`, change)
    expect([refused.status, refused.body.code]).toEqual([409, 'LAST_OWNER'])
  }
  const second = await addColleague(portal, owner, 'owner')
  const answers = await Promise.all([
    owner.put(`/team/people/${second.id}`, { role: 'member' }),
    second.put(`/team/people/${self}`, { role: 'member' }),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const { rows } = await portal.deps.pool.query(
    `select count(*)::int as owners from people where partner_id = $1 and role = 'owner' and is_active`,
    [owner.id],
  )
  expect(rows).toEqual([{ owners: 1 }])
})

test('a partner can send at most twenty invitations a day, and repeats of a call with the same Idempotency-Key do not count', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const owner = await limited.newPartner()
  await confirmEmail(limited, owner)
  const form = { email: 'same@example.com', firstName: 'Robin', role: 'viewer' }
  const inviteOnce = (key: string) => owner.post('/team/invitations', form, { headers: { 'idempotency-key': key } })
  const first = await inviteOnce('0')
  expect((await inviteOnce('0')).body).toEqual(first.body)
  for (let sent = 1; sent < 20; sent += 1) expect((await inviteOnce(`${sent}`)).status).toBe(201)
  expect((await inviteOnce('0')).body).toEqual(first.body)
  expect((await inviteOnce('20')).status).toBe(429)
  const { id } = (await owner.get('/team')).body.data.invitations[0]
  expect((await owner.post(`/team/invitations/${id}/send`)).status).toBe(429)
})

test('the CRM’s record of a partner names the first owner and, once that owner is deactivated, the next owner', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  const owner = await withCrm.newPartner({ firstName: 'Ada' })
  const recordOf = async () => {
    const records = await lender.list('Partners', 'Name,Email,First_Name')
    return records.find(({ Name }) => Name === owner.businessName)
  }
  await waitFor('the partner in the CRM', async () => (await recordOf())?.['Email'] === owner.email)
  const second = await addColleague(withCrm, owner, 'owner')
  const self = (await owner.get('/profile')).body.data.person_id
  await second.put(`/team/people/${self}`, { is_active: false })
  await waitFor('the other owner in the CRM', async () => (await recordOf())?.['Email'] === second.email)
  expect(await recordOf()).toMatchObject({ First_Name: 'Robin' })
})
