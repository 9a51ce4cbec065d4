import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'

test('a person chooses mails by keyboard, and the choice survives a failed save', async ({ page, partner: _ }) => {
  await page.goto('/profile')
  await page.getByRole('link', { name: 'Notifications' }).click()
  await expect(page).toHaveURL('/profile/notifications')
  const card = page.getByRole('region', { name: 'Emails' })
  await expect(card.getByRole('radio', { name: 'Funded or lost: At once' })).toBeChecked()
  await expect(card.getByText('until you have confirmed your email address')).toBeVisible()
  await expectGoodLooks(page)

  await card.getByRole('radio', { name: 'Lead status: Digest' }).press('ArrowRight')
  await expect(card.getByRole('radio', { name: 'Lead status: Never' })).toBeChecked()
  await card.getByLabel('Time zone').selectOption('Pacific/Auckland')
  await page.route('**/api/account/notifications', (route) => route.abort())
  await card.getByRole('button', { name: 'Save Changes' }).click()
  await expect(card.getByRole('alert')).toBeVisible()
  await expect(card.getByRole('radio', { name: 'Lead status: Never' })).toBeChecked()

  await page.unroute('**/api/account/notifications')
  await card.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Notifications updated successfully')).toBeVisible()
  // Mails of earlier versions have this link.
  await page.goto('/profile#notifications')
  await expect(page).toHaveURL('/profile/notifications')
  await expect(card.getByRole('radio', { name: 'Lead status: Never' })).toBeChecked()
  await expect(card.getByLabel('Time zone')).toHaveValue('Pacific/Auckland')
})

test('/unsubscribe asks for one click, and reports a link that is not valid', async ({ page }) => {
  await page.goto('/unsubscribe?token=made-up')
  await expectGoodLooks(page)
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByRole('alert')).toHaveText(/This link is no longer valid/)
  await expectGoodLooks(page)
})

test('/outbox shows the sent mails in development', async ({ page, partner }) => {
  // The page does not update itself, and the mail may be sent after the page has loaded.
  await expect(async () => {
    await page.goto('/outbox')
    expect(await page.getByRole('navigation', { name: 'Mails' }).innerText()).toContain(partner.email)
  }).toPass()
  await page.getByRole('link', { name: partner.email }).first().click()
  const mail = page.frameLocator('iframe')
  await expect(mail.getByText('Please confirm your email address.')).toBeVisible()
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Text' }).click()
  await expect(page.locator('pre')).toContainText('Please confirm your email address: http')
})
