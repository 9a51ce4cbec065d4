// Documents both ways in a browser: sent by button, drop and paste, and at what the lender asks; opened, and taken back.
import { randomBytes } from 'node:crypto'
import { type APIRequestContext, expect } from '@playwright/test'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'
import { hastenMails } from './hasten-mails.ts'
import { actAsStaff } from './lender.ts'
import { findMail, mailedToken } from './mailed-token.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('files are sent by button, drop, paste and at a request, arrive once, and are opened and taken back', async ({
  page,
  partner,
  request,
}) => {
  await confirmMail(request, partner)
  const loid = await partner.submitLead({ businessName: 'Kauri Ferry' })
  await page.goto(`/leads/${loid}`)
  const panel = page.getByRole('region', { name: 'Documents' })
  await expect(panel).toContainText('No documents yet.')

  // A connection that breaks in the middle of a file delays it.
  let broken = 0
  await page.route('**/parts?number=1', async (route) => {
    broken += 1
    await (broken <= 2 ? route.abort('connectionreset') : route.fallback())
  })
  const statement = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(2_500_000)])
  const chosen = page.waitForEvent('filechooser')
  await panel.getByRole('button', { name: 'Upload' }).click()
  await (await chosen).setFiles([{ name: 'bank.pdf', mimeType: 'application/pdf', buffer: statement }])
  await expect(panel.getByRole('progressbar', { name: 'Sending bank.pdf' })).toBeVisible()
  await expect(panel.getByRole('button', { name: 'bank.pdf', exact: true })).toBeVisible({ timeout: 30_000 })
  expect(broken).toBe(3)
  await expect(panel.getByText('On its way')).toHaveCount(0)

  // Dropped and pasted.
  const transfer = await page.evaluateHandle(`
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${PNG.toString('base64')}'), (character) => character.charCodeAt(0))
    data.items.add(new File([bytes], 'photo.png', { type: 'image/png' }))
    data
  `)
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  await expect(panel.getByRole('button', { name: 'photo.png', exact: true })).toBeVisible()
  await page.evaluate(`
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['<html>no</html>'], 'page.txt', { type: 'text/plain' }))
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData }))
  `)
  await expect(panel.getByText('Web pages, drawings and scripts cannot be sent.')).toBeVisible()
  await panel.getByRole('button', { name: 'Remove page.txt' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(panel.getByRole('listitem').filter({ hasText: 'page.txt' })).toHaveCount(0)

  // At what the lender asks.
  await actAsStaff(`/leads/${loid}/tasks`, {
    subject: 'Partner: Rates notice',
    description: 'We need it for the valuation.',
    due: '2027-01-31',
  })
  const asked = page.getByRole('region', { name: 'What the lender asks' })
  await expect(asked).toContainText('Rates notice', { timeout: 20_000 })
  const answering = page.waitForEvent('filechooser')
  await asked.getByRole('button', { name: 'Upload: Rates notice' }).click()
  await (await answering).setFiles([{ name: 'rates.txt', mimeType: 'text/plain', buffer: Buffer.from('Rates: 1,204') }])
  await expect(asked.getByText('Sent', { exact: true })).toBeVisible()
  await expectGoodLooks(page)

  // Opened on the page, saved, and taken back.
  await panel.getByRole('button', { name: 'photo.png', exact: true }).click()
  const picture = page.getByRole('dialog').getByRole('img', { name: 'photo.png' })
  await expect.poll(() => picture.evaluate((image) => Object(image).naturalWidth)).toBe(1)
  await page.keyboard.press('Escape')
  const saved = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'bank.pdf', exact: true }).click()
  expect((await saved).suggestedFilename()).toBe('bank.pdf')
  await panel.getByRole('button', { name: 'Take back rates.txt' }).click()
  await page.getByRole('button', { name: 'Take Back', exact: true }).click()
  await expect(panel.getByRole('button', { name: 'rates.txt', exact: true })).toHaveCount(0)
  await expect(asked.getByText('Asked', { exact: true }).first()).toBeVisible()
})

test('a session that ends in the middle of a file loses nothing and sends nothing; the file goes on when it is chosen again', async ({
  page,
  partner,
  request,
}) => {
  await confirmMail(request, partner)
  const loid = await partner.submitLead({ businessName: 'Rimu Orchards' })
  await page.goto(`/leads/${loid}`)
  const file = {
    name: 'bank.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(1_500_000)]),
  }
  const panel = page.getByRole('region', { name: 'Documents' })
  async function choose() {
    const chosen = page.waitForEvent('filechooser')
    await panel.getByRole('button', { name: 'Upload' }).click()
    await (await chosen).setFiles([file])
  }
  const parts: (string | null)[] = []
  page.on('request', (one) => {
    if (one.method() === 'PUT') parts.push(new URL(one.url()).searchParams.get('number'))
  })
  await page.route('**/parts?number=1', async (route) => {
    const headers = { authorization: route.request().headers()['authorization'] ?? '' }
    await request.post('/api/auth/logout', { headers })
    await route.fallback()
  })
  await choose()
  await expect(page.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  await page.unrouteAll()
  await page.getByLabel('Email').fill(partner.email)
  await page.getByLabel('Password', { exact: true }).fill(partner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(panel).toContainText('Not finished')
  await expect(panel).toContainText('Choose the same file again, and it goes on.')
  await expectGoodLooks(page)
  await choose()
  await expect(panel.getByRole('button', { name: 'bank.pdf', exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(panel.getByText('Not finished')).toHaveCount(0)
  expect(parts).toEqual(['0', '1', '1'])
})

test('from the mail to Sent on a phone takes two taps and the phone’s own dialog, and the progress is announced once', {
  tag: '@mobile',
}, async ({ page, partner, request }) => {
  await confirmMail(request, partner)
  const loid = await partner.submitLead({ businessName: 'Tamarind Tiles' })
  await actAsStaff(`/leads/${loid}/tasks`, { subject: 'Partner: Photo of the shop', description: 'The front.' })
  await expect
    .poll(async () => {
      await hastenMails(partner.email)
      return answerLink(partner.email, loid)
    })
    .toBeDefined()

  // The first tap is on the link in the mail.
  await page.goto(answerLink(partner.email, loid) ?? '')
  const asked = page.getByRole('region', { name: 'What the lender asks' })
  const choosing = page.waitForEvent('filechooser')
  await asked.getByRole('button', { name: 'Upload: Photo of the shop' }).tap()
  await (await choosing).setFiles([{ name: 'shop.png', mimeType: 'image/png', buffer: PNG }])
  await expect(asked.getByText('Sent', { exact: true })).toBeVisible()
  await expect(page.getByText('Photo of the shop: Sent')).toBeAttached()
})

function answerLink(email: string, loid: string): string | undefined {
  const mail = findMail(email, `/leads/${loid}?answer`) ?? ''
  return new RegExp(String.raw`/leads/${loid}\?answer=[\w-]+`).exec(mail)?.[0]
}

async function confirmMail(request: APIRequestContext, { token, email }: { token: string; email: string }) {
  await expect.poll(() => mailedToken('verify-email', email)).toBeDefined()
  const data = { token: mailedToken('verify-email', email) }
  const headers = { authorization: `Bearer ${token}` }
  expect((await request.post('/api/auth/verify-email', { headers, data })).status()).toBe(200)
}
