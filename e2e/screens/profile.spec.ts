import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { signUp } from '../partner.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const PROFILE = '**/api/profile'
const PASSWORDS = '**/api/profile/password'

test('/profile shows that it is loading, reports a failure and tries again', async ({ page, partner }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, PROFILE)
  await page.goto('/profile')
  await expect(page.getByRole('status').filter({ hasText: 'Loading profile' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  await expect(page.getByLabel('Business name')).toHaveValue(partner.businessName)

  const failure = page.getByRole('main').getByRole('alert')
  const mend = await breakAnswers(page, PROFILE, { status: 403, error: 'Not now' })
  await page.reload()
  await expect(failure).toContainText('Failed to load profileNot now')
  await expectGoodLooks(page)
  await mend()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByLabel('Business name')).toHaveValue(partner.businessName)

  const reconnect = await breakAnswers(page, PROFILE)
  await page.reload()
  await expect(failure).toContainText('Error loading profile')
  await reconnect()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByLabel('Business name')).toHaveValue(partner.businessName)
})

test('/profile changes the partner’s details', async ({ page, request, partner }) => {
  await page.goto('/profile')
  const panel = page.getByRole('tabpanel', { name: 'Personal Information' })
  const business = panel.getByLabel('Business name')
  const phone = panel.getByLabel('Phone')
  const save = panel.getByRole('button', { name: 'Save Changes' })
  await expect(panel.getByLabel('Email', { exact: true })).toHaveValue(partner.email)
  await expect(panel.getByLabel('Email', { exact: true })).not.toBeEditable()
  await expect(page.getByRole('tab')).toHaveText(['Personal Information', 'Change Password'])
  await expect(panel.getByText('Change it below, under Email Address.')).toContainText(
    'open the link in our welcome email',
  )
  await expect(save).toBeDisabled()

  await business.fill('  ')
  await save.click()
  await expect(panel.getByText('Business name is required')).toBeVisible()
  await expect(business).toBeFocused()
  await expectGoodLooks(page)

  const { businessName: taken } = await signUp(request)
  await business.fill(taken)
  await save.click()
  await expect(panel.getByRole('alert')).toHaveText('A business with this name exists')

  const name = `Kim and Sons ${partner.number}`
  await business.fill(name)
  await panel.getByLabel('First name').fill('Kim')
  await panel.getByLabel('Last name').fill('Marsh')
  await phone.fill('0491 570 156')
  const refusals = [
    { refusal: { status: 502 }, text: 'Failed to update profile' },
    { refusal: { status: 503, error: 'Busy right now' }, text: 'Busy right now' },
    { refusal: undefined, text: 'Error updating profile' },
  ]
  for (const { refusal, text } of refusals) {
    const mend = await breakAnswers(page, PROFILE, refusal)
    await save.click()
    await expect(panel.getByRole('alert')).toHaveText(text)
    await expect(business).toHaveValue(name)
    await mend()
  }

  const release = await holdAnswers(page, PROFILE)
  const width = (await save.boundingBox())?.width
  await save.press('Enter')
  await expect(save).toHaveAttribute('aria-busy', 'true')
  expect((await save.boundingBox())?.width).toBe(width)
  release()
  await expect(toasts(page)).toHaveText('Profile updated successfully')
  await expectGoodLooks(page)
  await expect(phone).toHaveValue('+61 491 570 156')
  await expect(save).toBeDisabled()
  await expect(save).toBeFocused()
  await expect(page.getByRole('complementary').getByText(name)).toBeVisible()
  await page.reload()
  await expect(business).toHaveValue(name)
  await expect(panel.getByLabel('Last name')).toHaveValue('Marsh')
})

test('/profile changes the password, or says why it was refused', async ({ page, request, partner }) => {
  await page.goto('/profile')
  await page.getByRole('tab', { name: 'Personal Information' }).press('ArrowRight')
  await page.getByRole('tab', { name: 'Change Password' }).press('Enter')
  const panel = page.getByRole('tabpanel', { name: 'Change Password' })
  const current = panel.getByLabel('Current password')
  const password = panel.getByLabel('New password', { exact: true })
  const confirmation = panel.getByLabel('Confirm new password')
  const change = panel.getByRole('button', { name: 'Change Password' })

  await change.click()
  await expect(panel.getByText('Current password is required')).toBeVisible()
  await expect(panel.getByText('New password is required')).toBeVisible()
  await expect(panel.getByText('Password confirmation is required')).toBeVisible()
  await expect(current).toBeFocused()
  await password.fill('short')
  await confirmation.fill('shorter')
  await expect(panel.getByText('Password must be at least 8 characters long')).toBeVisible()
  await expect(panel.getByText('Passwords do not match')).toBeVisible()
  const hint = panel.getByText('For better security, use uppercase, lowercase, and numbers in your password')
  await expect(hint).toBeVisible()
  await expectGoodLooks(page)

  const fill = async (now: string, next: string) => {
    await current.fill(now)
    await password.fill(next)
    await confirmation.fill(next)
    await change.click()
  }
  await test.step('each reason that the server gives is shown at the field that it concerns', async () => {
    await fill('not the password', 'Wattlebird-2026')
    await expect(hint).toHaveCount(0)
    await expect(panel.getByText('Current password is incorrect')).toBeVisible()
    await expect(current).toBeFocused()
    await expect(current).toHaveAccessibleDescription('Current password is incorrect')
    await fill(partner.password, partner.password)
    await expect(panel.getByText('New password must be different from current password')).toBeVisible()
    await expect(password).toBeFocused()
    // This password is long enough but too common.
    await fill(partner.password, 'password1')
    await expect(
      panel.getByText('Password is too weak. Please choose a stronger password. Many people use'),
    ).toBeVisible()
    await expect(panel.getByText('Password must be at least 8 characters long')).toHaveCount(0)
    const mend = await breakAnswers(page, PASSWORDS, { status: 400, error: 'No', code: 'PASSWORD_MISMATCH' })
    await fill(partner.password, 'Wattlebird-2026')
    await expect(panel.getByText('Passwords do not match')).toBeVisible()
    await mend()
  })

  const refusals = [
    { refusal: { status: 502 }, text: 'Failed to change password' },
    { refusal: undefined, text: 'Error changing password' },
  ]
  for (const { refusal, text } of refusals) {
    const mend = await breakAnswers(page, PASSWORDS, refusal)
    await fill(partner.password, 'Wattlebird-2026')
    await expect(panel.getByRole('alert')).toHaveText(text)
    await mend()
  }

  await fill(partner.password, 'Wattlebird-2026')
  await expect(toasts(page)).toHaveText('Password changed successfully')
  for (const field of [current, password, confirmation]) await expect(field).toHaveValue('')
  const { email } = partner
  const answer = await request.post('/api/auth/login', { data: { email, password: 'Wattlebird-2026' } })
  expect(answer.status()).toBe(200)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile Settings')
})
