import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { confirmEmail, startPortal } from '../../testing/start-portal.ts'
import { mailInvitation } from '../team/mail-invitation.job.ts'
import { mailResetLink } from './mail-reset-link.job.ts'
import { mailVerification } from './mail-verification.job.ts'

const LINK = /[?&]token=([\w-]+)/

test('a request that is mailed several times has one link and one Message-ID, and no mail goes out once the link was used or replaced', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const outbox = join(portal.deps.config.dataDir, 'outbox')
  const resetMails = async () => (await portal.mailsTo(ada.email)).filter((mail) => mail.includes('/reset-password'))
  const send = (id: string) => mailResetLink.run(portal.deps, { email: ada.email }, AbortSignal.timeout(10_000), id)
  const newPassword = 'copper lantern orchard 41'

  const id = newId()
  await send(id)
  const [first = ''] = await resetMails()
  await empty(outbox)
  await send(id)
  const [second = '', ...more] = await resetMails()
  expect(more).toEqual([])
  expect([LINK.exec(second)?.[1], messageId(second)]).toEqual([LINK.exec(first)?.[1], messageId(first)])

  const later = newId()
  await send(later)
  await empty(outbox)
  await send(id)
  expect(await resetMails()).toEqual([])
  await send(later)
  const [newest = ''] = await resetMails()
  const reset = (mail: string) => portal.post('/auth/reset-password', { token: LINK.exec(mail)?.[1], newPassword })
  expect((await reset(first)).status).toBe(400)
  expect((await reset(newest)).status).toBe(200)
  await empty(outbox)
  await send(later)
  expect(await resetMails()).toEqual([])
  expect((await reset(newest)).status).toBe(400)
})

test('a verification that is mailed twice has one link, and none is mailed once the address is verified', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const outbox = join(portal.deps.config.dataDir, 'outbox')
  const { id: personId } = await portal.deps.db
    .selectFrom('people')
    .select('id')
    .where('email', '=', ada.email)
    .executeTakeFirstOrThrow()
  const id = newId()
  const payload = { personId, isWelcome: false }
  const send = () => mailVerification.run(portal.deps, payload, AbortSignal.timeout(10_000), id)
  const sent = async () => (await portal.mailsTo(ada.email)).filter((mail) => mail.includes(id))
  await send()
  const [first = ''] = await sent()
  await empty(outbox)
  await send()
  const [second = ''] = await sent()
  const token = LINK.exec(first)?.[1]
  expect(LINK.exec(second)?.[1]).toBe(token)
  expect((await ada.post('/auth/verify-email', { token })).status).toBe(200)
  await empty(outbox)
  await send()
  expect(await sent()).toEqual([])
})

test('an invitation that is mailed twice has one link, and none is mailed once it was accepted, revoked or sent again', async () => {
  await using portal = await startPortal()
  const owner = await portal.newPartner()
  await confirmEmail(portal, owner)
  const outbox = join(portal.deps.config.dataDir, 'outbox')
  const invite = async (email: string) => {
    const { id } = (await owner.post('/team/invitations', { email, firstName: 'Bo', role: 'member' })).body.data
    await portal.mailTo(email, '/invite?token=')
    const row = await portal.deps.db
      .selectFrom('invitations')
      .select(['partner_id', 'link_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const payload = { partnerId: row.partner_id, invitationId: id, linkId: row.link_id ?? undefined }
    const mailed = newId()
    const send = async () => {
      await empty(outbox)
      await mailInvitation.run(portal.deps, payload, AbortSignal.timeout(10_000), mailed)
      return (await portal.mailsTo(email)).map((mail) => [LINK.exec(mail)?.[1], messageId(mail)])
    }
    return { id, send }
  }

  const accepted = await invite('accepted@example.com')
  const first = await accepted.send()
  expect(first).toEqual([[expect.any(String), expect.any(String)]])
  expect(await accepted.send()).toEqual(first)
  const token = first[0]?.[0]
  const joined = await portal.post('/auth/accept-invitation', { token, password: 'copper lantern orchard 41' })
  expect(joined.status).toBe(200)
  expect(await accepted.send()).toEqual([])

  const again = await invite('again@example.com')
  const older = await again.send()
  await empty(outbox)
  await owner.post(`/team/invitations/${again.id}/send`)
  const newer = LINK.exec(await portal.mailTo('again@example.com', '/invite?token='))?.[1]
  expect([await again.send(), newer === older[0]?.[0]]).toEqual([[], false])
  expect((await portal.post('/auth/invitation', { token: newer })).status).toBe(200)

  const revoked = await invite('revoked@example.com')
  await owner.ask('DELETE', `/team/invitations/${revoked.id}`)
  expect(await revoked.send()).toEqual([])
})

test('a mail to an address that is not confirmed repeats nothing that somebody typed', async () => {
  await using portal = await startPortal()
  const names = { firstName: 'Zebedee', lastName: 'Quagga', businessName: 'Gnu Holdings' }
  const squatter = await portal.newPartner(names)
  const typed = /Zebedee|Quagga|Gnu|hook\.example|typed-passkey/
  const mailsOnce = async (to: string, words: string[]) => {
    for (const one of words) await portal.mailTo(to, one)
    return portal.mailsTo(to)
  }
  await squatter.post('/auth/send-verification')
  await squatter.post('/dashboard/generate-api-key')
  await portal.post('/auth/forgot-password', { email: squatter.email })
  const change = {
    currentPassword: squatter.password,
    newPassword: 'copper lantern 41',
    confirmPassword: 'copper lantern 41',
  }
  await squatter.put('/profile/password', change)
  await squatter.put('/account/email', { email: 'next@example.com' })
  const sent = ['Welcome', 'Subject: Confirm your email', 'An API key', 'Reset your', 'A change of', 'was changed']
  const mails = [
    ...(await mailsOnce(squatter.email, sent)),
    ...(await mailsOnce('next@example.com', ['Confirm your new email address'])),
  ]
  expect(mails.filter((mail) => typed.test(mail) || !mail.includes('Hello,'))).toEqual([])
  expect(mails.join('\n')).toMatch(/These can still get in: the API key, since .+ at \d+:\d\d\s[ap]m AE[DS]T/)
  const toNext = LINK.exec(await portal.mailTo('next@example.com'))?.[1]
  await portal.post('/auth/confirm-email', { token: toNext })
  await portal.mailTo(squatter.email, 'now has a different one')
  expect((await portal.mailsTo(squatter.email)).filter((mail) => typed.test(mail))).toEqual([])

  const owner = await portal.newPartner({ ...names, businessName: 'Gnu Lending' })
  await confirmEmail(portal, owner)
  await owner.post('/dashboard/generate-api-key')
  expect(await portal.mailTo(owner.email, 'An API key')).toMatch(/Hello Zebedee,[\s\S]*partner account for Gnu Lending/)
  await owner.post('/team/invitations', { email: 'guest@example.com', firstName: 'Wildebeest', role: 'owner' })
  const invitation = await portal.mailTo('guest@example.com')
  expect(invitation).toContain(`${owner.email} invites you to the Partner Portal`)
  expect(invitation).not.toMatch(/Zebedee|Quagga|Gnu|Wildebeest/)
})

test('each mail ends with the lender’s privacy notice, if there is one', async () => {
  const notice = 'https://lender.example/privacy'
  for (const isShown of [false, true]) {
    await using portal = await startPortal(isShown ? { env: { PRIVACY_URL: notice } } : {})
    const { email } = await portal.newPartner()
    expect((await portal.get('/auth/privacy')).body.data).toEqual({ url: isShown ? notice : null })
    expect(/How your data is handled: https:\/\/lender/.test(await portal.mailTo(email))).toBe(isShown)
  }
})

test('mails, authenticator apps, passkeys and the API document wear the name that the lender gives the portal', async () => {
  await using portal = await startPortal({ env: { BRAND_NAME: 'Smith, Jones & Co' } })
  const owner = await portal.newPartner()
  const welcome = await portal.mailTo(owner.email)
  expect(welcome).toMatch(/^Subject: Welcome to Smith, Jones & Co$/m)
  expect(welcome).toMatch(/^From: "Smith, Jones & Co" <portal@localhost>$/m)
  await confirmEmail(portal, owner)
  expect(
    (await owner.post('/team/invitations', { email: 'guest@example.com', firstName: 'Jo', role: 'member' })).status,
  ).toBe(201)
  const invitation = await portal.mailTo('guest@example.com')
  expect(invitation).toContain('invites you to Smith, Jones & Co, where')
  expect(`${welcome}${invitation}`).not.toContain('Partner Portal')
  const app = await owner.post('/account/totp')
  expect(app.body.data.otpauth_url).toContain('issuer=Smith%2C%20Jones%20%26%20Co&')
  const passkey = await owner.post('/account/passkeys/options')
  expect(passkey.body.data.rp.name).toBe('Smith, Jones & Co')
  const document = await portal.get('/openapi.json')
  expect(document.body.info.contact.name).toBe('Smith, Jones & Co')
})

async function empty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(folder, { recursive: true })
}

function messageId(mail: string): string | undefined {
  return /^Message-ID: (\S+)/im.exec(mail)?.[1]
}
