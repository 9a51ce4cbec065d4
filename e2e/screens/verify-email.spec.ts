import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { mailedToken } from '../mailed-token.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const VERIFICATIONS = '**/api/auth/verify-email'
const INVALID = 'This verification link is invalid or was already used.'

test('/verify-email confirms the address of the signed-in account, but only once', async ({
  page,
  partner,
  request,
}) => {
  await page.goto('/verify-email')
  await expect(page.getByRole('alert')).toHaveText(INVALID)
  await expectGoodLooks(page)

  await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
  const link = `/verify-email?token=${mailedToken('verify-email', partner.email)}`
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
  await expect(page.getByText('Your email address is already verified.')).toBeVisible()
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/login')
})

test('/verify-email asks a signed-out person for the password, and /disown closes the account', async ({
  page,
  partner,
  request,
}) => {
  await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
  await page.goto('/login')
  await page.evaluate(() => localStorage.clear())
  await page.goto(`/verify-email?token=${mailedToken('verify-email', partner.email)}`)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Confirm email address' }).click()
  await expect(page.getByText('Incorrect password')).toBeVisible()
  await expectGoodLooks(page)

  await page.getByRole('link', { name: 'I did not create this account' }).click()
  const close = page.getByRole('button', { name: 'I did not create this account' })
  await expect(close).toBeVisible()
  await expectGoodLooks(page)
  await close.click()
  await expect(page.getByText('The account is closed. You will get no more emails about it.')).toBeVisible()
  const { email, password } = partner
  const signIn = await request.post('/api/auth/login', { data: { email, password } })
  expect((await signIn.json()).code).toBe('EMAIL_NOT_FOUND')
})
