import { expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { newAccount, signUp } from '../partner.ts'
import { spend, signedOut as test } from '../session.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const SIGN_UPS = '**/api/auth/signup'

test('/signup shows at each field what is missing or wrong', async ({ page }) => {
  await page.goto('/signup')
  const password = page.getByLabel('Password', { exact: true })
  const confirmation = page.getByLabel('Confirm password')
  await page.getByRole('button', { name: 'Create account' }).click()
  for (const text of ['Email is required', 'Business name is required', 'Password is required']) {
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  }
  await expect(page.getByLabel('Email')).toBeFocused()
  await expect(page.getByLabel('First name')).not.toHaveAttribute('aria-invalid')
  await expect(page.getByLabel('Last name')).not.toHaveAttribute('aria-invalid')

  await page.getByLabel('Email').fill('kim@saltbush')
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await password.fill('short')
  await expect(page.getByText('Password must be at least 8 characters long')).toBeVisible()
  await confirmation.fill('shorter')
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await expectGoodLooks(page)

  await confirmation.fill('short')
  await expect(page.getByText('Passwords do not match')).toHaveCount(0)
  const hint = page.getByText('For better security, use uppercase, lowercase, and numbers in your password')
  await expect(hint).toBeVisible()
  await password.fill('Wattlebird-2026')
  await expect(hint).toHaveCount(0)
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await page.getByRole('button', { name: 'Show password' }).first().click()
  await expect(password).toHaveAttribute('type', 'text')
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login')
})

test('/signup creates an account and goes to the sign-in page two and a half seconds later', async ({
  page,
  request,
}) => {
  const account = newAccount()
  spend(page)
  await page.clock.install()
  await page.goto('/signup')
  await page.getByLabel('First name').fill('  Kim ')
  // The sign-up succeeds even though the password has no capitals or digits and the last name is missing.
  await fill(page, { ...account, businessName: ` ${account.businessName} ` })
  const release = await holdAnswers(page, SIGN_UPS)
  const button = page.getByRole('button', { name: 'Create account' })
  await button.press('Enter')
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await page.clock.pauseAt(new Date(Date.now() + 10_000))
  release()
  await expect(async () => {
    await page.clock.runFor(1)
    const done = page.getByText('Account created. Taking you to the sign-in page…')
    await expect(done).toBeVisible({ timeout: 200 })
  }).toPass()
  await expect(button).toBeDisabled()
  await expect(button).toBeFocused()
  await page.clock.runFor(2_400)
  await expect(page).toHaveURL('/signup')
  await page.clock.runFor(200)
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Email')).toHaveValue(account.email)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()

  const { email, password } = account
  const { token, partner } = await (await request.post('/api/auth/login', { data: { email, password } })).json()
  expect(partner).toMatchObject({ email, businessName: account.businessName })
  const profile = await request.get('/api/profile', { headers: { authorization: `Bearer ${token}` } })
  expect((await profile.json()).data).toMatchObject({ first_name: 'Kim', last_name: null })
})

test('/signup says why the sign-up was refused and keeps the typed values', async ({ page, request }) => {
  const taken = await signUp(request)
  const own = newAccount()
  await page.goto('/signup')
  const refusal = page.getByRole('alert')
  const button = page.getByRole('button', { name: 'Create account' })
  await fill(page, { ...own, email: taken.email })
  await button.click()
  await expect(refusal).toHaveText('An account with this email already exists. Please try signing in instead.')
  await fill(page, { ...own, businessName: taken.businessName.toUpperCase() })
  await button.click()
  await expect(refusal).toHaveText(
    'A business with this name is already registered. Please contact support if this is your business.',
  )
  await fill(page, { ...own, password: 'password1' })
  await button.click()
  await expect(page.getByText('Password is too weak. Please choose a stronger password. Many people use')).toBeVisible()

  await fill(page, own)
  const refusals = [
    { status: 400, error: 'Validation of something', text: 'Please check your information and try again.' },
    { status: 503, error: 'Busy right now', text: 'Account creation failed: Busy right now' },
  ]
  for (const { text, ...answer } of refusals) {
    const mend = await breakAnswers(page, SIGN_UPS, answer)
    await button.click()
    await expect(refusal).toHaveText(text)
    await mend()
  }
  await expect(page.getByLabel('Business name')).toHaveValue(own.businessName)
  await button.click()
  await expect(page).toHaveURL('/login')
})

async function fill(page: Page, { email, businessName, password }: ReturnType<typeof newAccount>) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Business name').fill(businessName)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
}
