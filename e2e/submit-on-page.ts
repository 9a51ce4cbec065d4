import { expect, type Page } from '@playwright/test'

/** Fills in the form of the open page /leads/new and submits it. Returns the new lead's LOID once its page is open. */
export async function submitOnPage(page: Page, business: string, loanType = 'Term Loan'): Promise<string> {
  await page.getByLabel('First Name').fill('Jo')
  await page.getByLabel('Last Name').fill('Marsh')
  await page.getByLabel('Email', { exact: true }).fill('jo@saltbush.example')
  await page.getByLabel('Phone').fill('0491 570 156')
  await page.getByLabel('Business Name').fill(business)
  await page.getByLabel('Loan Amount').fill('250k')
  await page.getByLabel('Loan Type').selectOption(loanType)
  await page.getByRole('button', { name: 'Submit Lead' }).click()
  await expect(page).toHaveURL(/\/leads\/LO-[0-9A-Z]{8}$/)
  return page.url().slice(-11)
}
