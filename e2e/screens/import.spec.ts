import { expect } from '@playwright/test'
import { expectGoodLooksInBothThemes } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'

const FILE = [
  'Company;First Name;Last Name;E-mail;Mobile;Loan Amount;Notes',
  'Clearview Glass;Ada;Okafor;ada@clearview.example;0491 570 156;50.000,00;',
  'Ironbark Joinery;Ben;Lee;ben@ironbark.example;491570157;"25,000";"Two lines\nof notes"',
  'Harbour Cafe;Cleo;Ng;cleo(at)harbour.example;0491 570 158;10k;',
  'Clearview Glass;Ada;Okafor;ada@clearview.example;0491 570 156;;Again',
].join('\r\n')

test('/leads/import checks a file, has it mended, submits its rows and gives back those it left out', {
  tag: '@everywhere',
}, async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'Import' }).click()
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${FILE}`, 'utf16le') })

  await expect(page.getByText('4 rows: 1 ready, 2 to mend, 1 like other leads, 0 imported before')).toBeVisible()
  await expect(page.getByLabel('Company')).toHaveValue('businessName')
  await expect(page.getByLabel('Mobile')).toHaveValue('phone')
  await expectGoodLooksInBothThemes(page)
  await page.getByRole('button', { name: 'Yes, 0491570157' }).click()
  const rows = page.getByRole('region', { name: 'Rows' }).getByRole('listitem')
  await expect(rows.filter({ hasText: 'Row 3' })).toContainText('Ready')
  const email = page.getByLabel('Email', { exact: true })
  await email.fill('cleo@harbour.example')
  // Enter that ends a word in an input method mends nothing yet.
  let mendings = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') mendings++
  })
  await email.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await email.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
  await email.press('Enter')
  await expect(rows.filter({ hasText: 'Row 4' })).toContainText('Ready')
  expect(mendings).toBe(1)

  await page.reload()
  await expect(page.getByText('4 rows: 3 ready, 0 to mend, 1 like other leads')).toBeVisible()
  await expect(page.getByText('By submitting, you confirm that the applicant has agreed')).toBeVisible()
  await page.getByRole('button', { name: 'Submit 3 Leads' }).click()
  await expect(page.getByText('3 of 4 rows were submitted.')).toBeVisible()
  await expectGoodLooksInBothThemes(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 1 row left out' }).click()
  expect((await download).suggestedFilename()).toBe('leads-left-out.csv')

  await page.getByRole('main').getByRole('link', { name: 'Go to Leads' }).click()
  await page.getByText('Harbour Cafe').filter({ visible: true }).click()
  await page.getByPlaceholder('Write a note…').fill('Please call them on Monday.')
  await page.getByRole('button', { name: 'Add Note' }).click()
  await expect(page.getByText('Note added successfully')).toBeVisible()

  await page.goto('/leads/import')
  await page.getByRole('button', { name: /^Show the import/ }).click()
  await page.getByRole('button', { name: 'Undo Import' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Withdraw 3 leads?')
  await expect(dialog).toContainText('You can undo this import until')
  await expectGoodLooksInBothThemes(page)
  await dialog.getByRole('button', { name: 'Undo Import' }).click()
  await expect(page.getByText('The import was undone: 2 leads were withdrawn, 1 was kept.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Kept' })).toContainText('The lead has a note.')
  await expect(page.getByRole('button', { name: 'Undo Import' })).toBeHidden()
  await expectGoodLooksInBothThemes(page)
})
