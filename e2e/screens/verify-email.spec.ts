import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { test } from '../fresh-partner.ts'
import { expectGoodLooks } from '../looks.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const OUTBOX = path.resolve(import.meta.dirname, '../../.cache/e2e/outbox')
const VERIFICATIONS = '**/api/auth/verify-email'
const INVALID = 'This verification link is invalid or was already used.'

test('/verify-email verifies the address once, whoever opens the link', async ({ page, partner, request }) => {
  await page.goto('/verify-email')
  await expect(page.getByRole('alert')).toHaveText(INVALID)
  await expectGoodLooks(page)

  await expect.poll(() => mailedToken(partner.email)).toBeDefined()
  const link = `/verify-email?token=${mailedToken(partner.email)}`
  const mend = await breakAnswers(page, VERIFICATIONS, { status: 429, error: 'Too many at once' })
  await page.goto(link)
  await expect(page.getByRole('alert')).toHaveText('Too many at once')
  await mend()
  const release = await holdAnswers(page, VERIFICATIONS)
  await page.getByRole('button', { name: 'Try Again' }).click()
  release()
  await expect(page.getByText('Your email address is verified. Thank you.')).toBeVisible()
  await expectGoodLooks(page)
  const profile = await request.get('/api/profile', { headers: { authorization: `Bearer ${partner.token}` } })
  expect((await profile.json()).data.email_verified).toBe(true)

  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.evaluate(() => localStorage.clear())
  const releaseAgain = await holdAnswers(page, VERIFICATIONS)
  await page.goto(link)
  await expect(page.getByRole('status')).toHaveText('Verifying your email address')
  releaseAgain()
  await expect(page.getByRole('alert')).toHaveText(INVALID)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/login')
})

function mailedToken(email: string): string | undefined {
  const mails = readdirSync(OUTBOX).map((file) => readFileSync(path.join(OUTBOX, file), 'utf8'))
  const mail = mails.find((text) => text.includes(`To: ${email}`) && text.includes('verify-email'))
  // Quoted-printable: `=` is written as its code, and long lines are broken.
  return /verify-email\?token=([\w-]+)/.exec(mail?.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '')?.[1]
}
