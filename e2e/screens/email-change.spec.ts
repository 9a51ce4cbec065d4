import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { mailedToken } from '../mailed-token.ts'

test('a person changes the email address, and the link in the mail to the old address undoes the change', async ({
  page,
  partner,
  request,
}) => {
  const headers = { authorization: `Bearer ${partner.token}` }
  await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
  const token = mailedToken('verify-email', partner.email)
  expect((await request.post('/api/auth/verify-email', { headers, data: { token } })).status()).toBe(200)
  const email = `new-${partner.email}`

  await page.goto('/profile')
  await page.getByLabel('New email').fill(email)
  await page.getByRole('button', { name: 'Send Link' }).click()
  await expect(page.getByText(`We sent a link to ${email}.`)).toBeVisible()
  await expectGoodLooks(page)

  await expect.poll(() => mailedToken('confirm-email', email)).toBeDefined()
  await page.goto(`/confirm-email?token=${mailedToken('confirm-email', email)}`)
  await expect(page.getByText(`Your email address is now ${email}.`)).toBeVisible()
  await expectGoodLooks(page)

  await expect.poll(() => mailedToken('undo-email', partner.email)).toBeDefined()
  await page.goto(`/undo-email?token=${mailedToken('undo-email', partner.email)}`)
  await expectGoodLooks(page)
  await page.getByRole('button', { name: 'Undo the change' }).click()
  await expect(page.getByText(`Your email address is ${partner.email} again.`)).toBeVisible()
  await expectGoodLooks(page)
})
