import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { watchCrm } from '../../crm/pull/notified/watch-crm.job.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { tellFacts } from '../../crm/push/tell-facts.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { invitePartners } from './invite-partners.job.ts'
import { mailPartnerInvitation } from './mail-partner-invitation.job.ts'

const PASSWORD = 'correct-horse-battery'
const HOUR_MS = 3_600_000

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true, env: { SIGNUP: 'invite' } })
  lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['access', 'facts'])
  // An invitation that was there before the portal looked.
  await lender.create('Partners', { Name: 'Early Brokers', Email: 'early@example.com', Portal_Access: 'Invited' })
  await noteFieldGroups(portal.deps)
  await watchCrm.run(portal.deps, {}, new AbortController().signal)
})
afterAll(() => portal[Symbol.asyncDispose]())

let records = 0
async function invite(record: object = {}) {
  records += 1
  const email = `first${records}@example.com`
  const fields = { Name: `Invited ${records} Pty Ltd`, Email: email, Portal_Access: 'Invited', ...record }
  return { id: await lender.create('Partners', fields), email, name: fields.Name }
}

const sweep = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
const signal = () => AbortSignal.timeout(30_000)
const tokenIn = (mail: string) => /invite\?token=(\S+)/.exec(mail)?.[1] ?? ''
async function tokenFor(email: string): Promise<string> {
  await invitePartners.run(portal.deps, {}, signal())
  return tokenIn(await portal.mailTo(email, 'Your invitation'))
}
const accept = (token: string) => portal.post('/auth/accept-invitation', { token, password: PASSWORD })
const look = (token: string) => portal.post('/auth/invitation', { token })

async function problemOf(id: string): Promise<unknown> {
  await invitePartners.run(portal.deps, {}, signal())
  await tellFacts.run(portal.deps, {}, signal())
  return (await lender.read('Partners', id))?.['Portal_Problem']
}

test('nobody signs up by form', async () => {
  const form = { email: 'stranger@example.com', password: PASSWORD, businessName: 'Stranger Pty Ltd' }
  const { status, body } = await portal.post('/auth/signup', form)
  expect([status, body.code, body.error]).toEqual([403, 'INVITATION_NEEDED', 'Ask your lender for an invitation'])
})

test('a record that says Invited gets one mail, whose link makes the first owner of a partner linked with it', async () => {
  const { id, email, name } = await invite({ First_Name: 'Ada', Phone: '0491 570 156' })
  const lead = await lender.create('Leads', { Last_Name: 'Theirs', Partner: { id } })
  const mail = await portal.mailTo(email, 'Your invitation')
  expect(mail).not.toContain(name)
  expect((await look(tokenIn(mail))).body.data).toEqual({ businessName: name, email, firstName: 'Ada' })

  const accepted = await accept(tokenIn(mail))
  expect(accepted.body).toMatchObject({
    partner: { email, businessName: name },
    person: { role: 'owner', hasUnverifiedEmail: false },
  })
  const { token } = accepted.body
  const profile = (await portal.get('/profile', { token })).body.data
  expect(profile).toMatchObject({ zoho_id: id, first_name: 'Ada', phone: '+61491570156', email_verified: true })
  await waitFor('the lender’s lead', async () => {
    const { leads } = (await portal.get('/dashboard/leads', { token })).body.data
    return leads[0]?.loid === (await lender.read('Leads', lead))?.['LOID'] && leads.length === 1
  })
  expect((await portal.post('/auth/verify', { token })).body.data.hold).toBeNull()
  expect((await accept(tokenIn(mail))).body.code).toBe('INVALID_INVITATION')
  // Another look at the record, and another word of it, invites nobody again.
  await lender.update('Partners', id, { First_Name: 'Adele' })
  await sweep()
  await invitePartners.run(portal.deps, {}, signal())
  expect(await portal.mailsTo(email)).toHaveLength(1)
  const { entries } = (await portal.get('/security-log', { token })).body.data
  expect(entries).toContainEqual(expect.objectContaining({ event: 'signed-up', detail: 'by the lender’s invitation' }))
})

test('a mail job that runs again after a kill mails the same link under the same Message-ID', async () => {
  const { email } = await invite()
  const token = await tokenFor(email)
  const { link_id } = await portal.deps.db
    .selectFrom('partner_invitations')
    .select('link_id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  for (let run = 0; run < 2; run += 1) {
    await mailPartnerInvitation.run(portal.deps, { linkId: link_id ?? '' }, signal(), 'one-job')
  }
  const again = (await portal.mailsTo(email)).filter((mail) => mail.includes('one-job'))
  expect(again.map(tokenIn)).toEqual([token])
})

test('an invitation that stood in the CRM before is found by the first sweep', async () => {
  await sweep()
  expect((await look(await tokenFor('early@example.com'))).body.data.firstName).toBeNull()
})

test('a link ends when the team takes its word back or deletes the record, and Invited again mails another', async () => {
  const { id, email } = await invite()
  const first = await tokenFor(email)
  await lender.update('Partners', id, { Portal_Access: null })
  await waitFor('the end of the link', async () => (await look(first)).body.code === 'INVALID_INVITATION')
  // The CRM's times are in seconds.
  const ended = Date.parse(String((await lender.read('Partners', id))?.['Modified_Time']))
  await waitFor('a later second', async () => Date.now() >= ended + 1_000)
  await lender.update('Partners', id, { Portal_Access: 'Invited' })
  const second = await waitFor('the other mail', async () => {
    const newest = await tokenFor(email)
    return newest !== first && newest
  })
  expect((await look(first)).body.code).toBe('INVALID_INVITATION')
  await lender.update('Partners', id, { Email: `other-${email}` })
  const third = await tokenFor(`other-${email}`)
  expect((await look(second)).body.code).toBe('INVALID_INVITATION')
  await lender.remove('Partners', id)
  await waitFor('the end of the link', async () => (await look(third)).body.code === 'INVALID_INVITATION')
  expect((await accept(third)).body.code).toBe('INVALID_INVITATION')
})

test('the record says why it invites nobody: an account with the address, another record, no address, a name that is taken', async () => {
  const bob = await portal.newPartner()
  const known = await invite({ Email: bob.email.toUpperCase() })
  const nameless = await invite({ Email: null })
  const taken = await invite({ Name: bob.businessName })
  const odd = await invite({ Name: 'www.evil.example' })
  const { email, id } = await invite()
  await tokenFor(email)
  const twin = await invite({ Email: email })
  await sweep()
  expect(await problemOf(known.id)).toBe(`Not invited: ${bob.email} has an account in the portal.`)
  expect(await problemOf(nameless.id)).toContain('no email address')
  expect(await problemOf(taken.id)).toContain('has this business name')
  expect(await problemOf(odd.id)).toContain('cannot use the record’s name')
  expect(await problemOf(twin.id)).toBe(`Not invited: the record ${id} invites ${email} too.`)
  expect(await portal.mailsTo(email)).toHaveLength(1)

  // What stood in the way is gone: the mail goes out, and the record says nothing more.
  await lender.update('Partners', nameless.id, { Email: 'late@example.com' })
  await tokenFor('late@example.com')
  await waitFor('the end of the problem', async () => (await problemOf(nameless.id)) === null)
})

test('a link lives seven days; then the record says how to send another', async () => {
  const { id, email } = await invite()
  const token = await tokenFor(email)
  portal.advance(7 * 24 * HOUR_MS)
  expect((await look(token)).body.code).toBe('INVALID_INVITATION')
  expect(await problemOf(id)).toContain('The invitation has expired.')
  portal.advance(-7 * 24 * HOUR_MS)
})

test('of two people with one link one makes the partner', async () => {
  const { email } = await invite()
  const token = await tokenFor(email)
  const answers = await Promise.all([accept(token), accept(token)])
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400])
})

test('fifty invitations are mailed an hour, and jobs that run at once or twice mail none a second time', async () => {
  portal.advance(2 * HOUR_MS)
  const many = Array.from({ length: 60 }, (_, number) => ({
    Name: `Many ${number} Pty Ltd`,
    Email: `many${number}@example.com`,
    Portal_Access: 'Invited',
  }))
  await lender.createMany('Partners', many)
  await sweep()
  const mails = async () => (await Promise.all(many.map(({ Email }) => portal.mailsTo(Email)))).flat()
  await Promise.all([1, 2, 3].map(() => invitePartners.run(portal.deps, {}, signal())))
  await waitFor('fifty mails', async () => (await mails()).length >= 50)
  await invitePartners.run(portal.deps, {}, signal())
  expect(await mails()).toHaveLength(50)
  portal.advance(HOUR_MS)
  await invitePartners.run(portal.deps, {}, signal())
  await waitFor('the other mails', async () => (await mails()).length >= 60)
  expect(new Set((await mails()).map(tokenIn)).size).toBe(60)
})
