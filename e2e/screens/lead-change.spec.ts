import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'

test('a lead is corrected and withdrawn while the lender has not touched it', { tag: '@everywhere' }, async ({
  page,
  partner,
}) => {
  const loid = await partner.submitLead({ businessName: 'Kauri Joinery' })
  await page.goto(`/leads/${loid}`)
  await page.getByRole('link', { name: 'Correct' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Correct Lead')
  await expectGoodLooks(page)
  await page.getByLabel('Business Name').fill('Kauri Joinery Ltd')
  await page.getByRole('button', { name: 'Save Correction' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Kauri Joinery Ltd', { timeout: 30_000 })
  await expect(page.getByLabel('Timeline').first()).toContainText('Corrected')

  await page.getByRole('button', { name: 'Withdraw' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw this lead?' })
  await dialog.getByLabel('Reason').fill('Went elsewhere')
  await expectGoodLooks(page)
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The lender no longer has this lead.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByLabel('Add a note')).toHaveCount(0)
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Back to Leads' }).click()
  await expect(page.getByText("You haven't submitted any leads yet")).toBeVisible()
})
