import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { startPortal } from '../../testing/start-portal.ts'
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

async function empty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(folder, { recursive: true })
}

function messageId(mail: string): string | undefined {
  return /^Message-ID: (\S+)/im.exec(mail)?.[1]
}
