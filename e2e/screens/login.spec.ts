import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { signUp } from '../partner.ts'
import { spend, signedOut as test } from '../session.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const SIGN_INS = '**/api/auth/login'

test('/login requires an email and a password, and says what is wrong with them', async ({ page }) => {
  await page.goto('/login')
  const email = page.getByLabel('Email')
  const password = page.getByLabel('Password', { exact: true })
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  await expect(page.getByRole('link', { name: 'Forgot your password?' })).toHaveAttribute('href', '/forgot-password')
  await expect(page.getByRole('link', { name: 'Create Partner Account' })).toHaveAttribute('href', '/signup')

  await test.step('the form can be submitted once both fields are filled in', async () => {
    await expect(button).toBeDisabled()
    await email.fill('kim')
    await expect(button).toBeDisabled()
    await password.fill('secret')
    await expect(button).toBeEnabled()
    await email.fill('  ')
    await expect(button).toBeDisabled()
  })

  await test.step('an empty or wrong field has a message', async () => {
    await email.fill('')
    await password.fill('')
    await email.focus()
    await password.focus()
    await expect(page.getByText('Email is required')).toBeVisible()
    await page.getByRole('link', { name: 'Forgot your password?' }).focus()
    await expect(page.getByText('Password is required')).toBeVisible()
    await email.fill('kim@saltbush')
    await password.fill('secret')
    await button.click()
    await expect(page.getByText('Please enter a valid email address')).toBeVisible()
    await expect(email).toBeFocused()
  })

  await test.step('the password can be shown', async () => {
    await expect(password).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: 'Show password' }).click()
    await expect(password).toHaveAttribute('type', 'text')
    await expect(password).toHaveValue('secret')
    await page.getByRole('button', { name: 'Hide password' }).click()
    await expect(password).toHaveAttribute('type', 'password')
  })

  await email.fill('kim@saltbush.example')
  await breakAnswers(page, SIGN_INS, { status: 403, error: 'Account is inactive' })
  await button.click()
  await expect(page.getByRole('alert')).toHaveText('Your account is inactive. Please contact support.')
  await expectGoodLooks(page)
})

test('/login welcomes the partner and goes to the dashboard half a second later', async ({ page, request }) => {
  const partner = await signUp(request)
  spend(page)
  await page.clock.install()
  await page.goto('/login')
  // The page loads the code of the toasts only after three seconds.
  await expect(page.locator('[aria-label=Messages]')).toBeAttached()
  // Types the address with spaces and capitals; the portal stores it in lower case.
  await page.getByLabel('Email').fill(` ${partner.email.toUpperCase()} `)
  await page.getByLabel('Password', { exact: true }).fill(partner.password)
  const release = await holdAnswers(page, SIGN_INS)
  await page.getByLabel('Password', { exact: true }).press('Enter')
  const button = page.getByRole('button', { name: 'Signing in' })
  await expect(button).toBeDisabled()
  await expect(button).toHaveAttribute('aria-busy', 'true')

  await page.clock.pauseAt(new Date(Date.now() + 10_000))
  release()
  await expect(async () => {
    await page.clock.runFor(1)
    await expect(toasts(page)).toHaveText(`Welcome back, ${partner.businessName}!`, { timeout: 200 })
  }).toPass()
  await page.clock.runFor(400)
  await expect(page).toHaveURL('/login')
  await page.clock.runFor(200)
  await expect(page).toHaveURL('/dashboard')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('auth_token'))).toMatch(/^\S{40,}$/)
})

test('/login says why the sign-in was refused', async ({ page, request, context }) => {
  const { email, password } = await signUp(request)
  await page.goto('/login')
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  const enter = async (as: string, secret: string) => {
    await page.getByLabel('Email').fill(as)
    await page.getByLabel('Password', { exact: true }).fill(secret)
    await button.click()
  }
  const refusal = page.getByRole('alert')
  await enter(email, 'not the password')
  await expect(refusal).toHaveText('Incorrect password. Please try again or reset your password.')
  await enter(`nobody-${email}`, password)
  await expect(refusal).toHaveText('Account not found. Please check your email or create an account.')

  const mend = await breakAnswers(page, SIGN_INS, { status: 503, error: 'Busy right now' })
  await enter(email, password)
  await expect(refusal).toHaveText('Login failed: Busy right now')
  await mend()
  const reconnect = await breakAnswers(page, SIGN_INS)
  await button.click()
  await expect(refusal).toHaveText('Login failed: Network error')
  await reconnect()

  await context.setOffline(true)
  await button.click()
  await expect(refusal).toHaveText('No internet connection. Please check your network and try again.')
  await context.setOffline(false)
  await button.click()
  await expect(page).toHaveURL('/dashboard')
})

test('if the code of the passkey button does not load, a person can still sign in with a password', async ({
  page,
}) => {
  await page.route(/\/assets\/passkey-sign-in-.*\.js$/, (route) => route.abort('connectionrefused'))
  const noButton = page.waitForEvent('requestfailed', (request) => request.url().includes('/passkey-sign-in-'))
  await page.goto('/login')
  await noButton
  await page.getByLabel('Email').fill('nobody@saltbush.example')
  await page.getByLabel('Password', { exact: true }).fill('Sunny-harbour-42')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('Account not found.')
})
