import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { signUp } from '../partner.ts'
import { signedOut as test } from '../session.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const REQUESTS = '**/api/auth/forgot-password'

test('/forgot-password sends instructions, or says why it cannot', async ({ page, request }) => {
  const { email } = await signUp(request)
  await page.goto('/forgot-password')
  const field = page.getByLabel('Email')
  const button = page.getByRole('button', { name: 'Send reset instructions' })
  const refusal = page.getByRole('alert')
  await expect(page.getByRole('link', { name: 'Back to sign in' })).toHaveAttribute('href', '/login')

  await button.click()
  await expect(page.getByText('Email is required')).toBeVisible()
  await field.fill('kim@saltbush')
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await field.fill(`nobody-${email}`)
  await button.click()
  await expect(refusal).toHaveText(
    'No account found with this email address. Please check the email or create a new account.',
  )
  await expectGoodLooks(page)

  await field.fill(email)
  const refusals = [
    {
      status: 429,
      error: 'Slow down',
      text: 'Too many reset requests. Please wait a few minutes before trying again.',
    },
    { status: 503, error: 'Busy right now', text: 'Failed to send reset email: Busy right now' },
    // This answer has no text from the server.
    { status: 502, text: 'Failed to send reset email' },
  ]
  for (const { text, ...answer } of refusals) {
    const mend = await breakAnswers(page, REQUESTS, answer)
    await button.click()
    await expect(refusal).toHaveText(text)
    await mend()
  }

  const release = await holdAnswers(page, REQUESTS)
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  release()
  await expect(page.getByText(`Reset instructions are on their way to ${email}.`)).toBeVisible()
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Reset password now (development)' }).click()
  await expect(page).toHaveURL(/\/reset-password\?token=[\w-]{40,}$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Choose a new password' })).toBeVisible()
})
