import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { type Account, signUp } from '../partner.ts'
import { spend, signedOut as test } from '../session.ts'
import { breakAnswers } from '../trouble.ts'

const RESETS = '**/api/auth/reset-password'

test('/reset-password says that the token is missing', async ({ page }) => {
  for (const path of ['/reset-password', '/reset-password?token=', '/reset-password?token=%20']) {
    await page.goto(path)
    await expect(page.getByRole('alert')).toHaveText(
      'Invalid or missing reset token. Please request a new password reset.',
    )
    await expect(page.getByLabel('New password', { exact: true })).toHaveCount(0)
  }
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/forgot-password')
})

test('/reset-password says what is wrong with a password or a token', async ({ page, request }) => {
  await page.goto(await resetPath(request, await signUp(request)))
  const button = page.getByRole('button', { name: 'Reset password' })
  await button.click()
  await expect(page.getByText('Password is required')).toBeVisible()
  await expect(page.getByText('Password confirmation is required')).toBeVisible()
  await fill(page, 'short', 'shorter')
  await expect(page.getByText('Password must be at least 8 characters long')).toBeVisible()
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  const hint = page.getByText('For better security, use uppercase, lowercase, and numbers in your password')
  await expect(hint).toBeVisible()
  await expectGoodLooks(page)

  await fill(page, 'password1')
  await button.click()
  await expect(page.getByText('Password is too weak. Please choose a stronger password. Many people use')).toBeVisible()

  await fill(page, 'Wattlebird-2026')
  await expect(hint).toHaveCount(0)
  const refusal = page.getByRole('alert')
  const refusals = [
    { error: 'Token expired', text: 'Reset token has expired. Please request a new password reset.' },
    { error: 'Invalid token', text: 'Invalid reset token. Please request a new password reset.' },
    { error: 'Busy right now', text: 'Password reset failed: Busy right now' },
  ]
  for (const { error, text } of refusals) {
    const mend = await breakAnswers(page, RESETS, { status: 400, error })
    await button.click()
    await expect(refusal).toHaveText(text)
    await mend()
  }

  await page.goto('/reset-password?token=nobodys')
  await fill(page, 'Wattlebird-2026')
  await button.click()
  await expect(refusal).toHaveText('Invalid reset token. Please request a new password reset.')
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/forgot-password')
})

test('/reset-password changes the password once and goes to the sign-in page three seconds later', async ({
  page,
  request,
}) => {
  const partner = await signUp(request)
  const path = await resetPath(request, partner)
  spend(page)
  await page.clock.install()
  await page.goto(path)
  await fill(page, 'Wattlebird-2026')
  await page.clock.pauseAt(new Date(Date.now() + 10_000))
  const button = page.getByRole('button', { name: 'Reset password' })
  await button.click()
  await expect(async () => {
    await page.clock.runFor(1)
    const done = page.getByText('Your password was changed. Taking you to the sign-in page…')
    await expect(done).toBeVisible({ timeout: 200 })
  }).toPass()
  await expect(button).toBeDisabled()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await page.clock.runFor(2_900)
  await expect(page).toHaveURL(path)
  await page.clock.runFor(200)
  await expect(page).toHaveURL('/login')

  const signIn = (password: string) => request.post('/api/auth/login', { data: { email: partner.email, password } })
  expect((await signIn('Wattlebird-2026')).status()).toBe(200)
  expect((await signIn(partner.password)).status()).toBe(401)

  await page.clock.resume()
  await page.goto(path)
  await fill(page, 'Wattlebird-2027')
  await button.click()
  await expect(page.getByRole('alert')).toHaveText('Invalid reset token. Please request a new password reset.')
})

async function resetPath(request: APIRequestContext, { email }: Account): Promise<string> {
  const answer = await request.post('/api/auth/forgot-password', { data: { email } })
  const { resetToken } = (await answer.json()).data
  return `/reset-password?token=${resetToken}`
}

async function fill(page: Page, password: string, confirmation = password) {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(confirmation)
  await page.getByLabel('Confirm new password').blur()
}
