// A file of clients from another system: checked, mended, submitted and taken back (D83).
import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { CONSENT_TEXT } from '../contract/src/lead-form.ts'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'

const FILE = [
  'Firm;Given Name;Surname;E-mail;Mobile;Notes',
  'Acacia Joinery;Ava;Nguyen;ava@acacia.example;0491 570 006;=1+1',
  'Banksia Dental;Liam;Smith;liam@banksia.example;491570156;',
  'Coastal Cranes;Mia;Singh;mia(at)coastal.example;0491 570 157;',
  'Acacia Two;Ava;Nguyen;ava@acacia.example;0491 570 158;',
].join('\r\n')

test('a file is checked, its columns and rows are mended with the keyboard, it is submitted once, and undone', async ({
  page,
  partner: _,
}) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'Import' }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Template' }).click()
  expect(await readFile(await (await saved).path(), 'utf8')).toMatch(/^\uFEFFBusiness Name,First Name,/)

  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose File' }).press('Enter')
  const file = { name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) }
  await (await choosing).setFiles(file)
  await expect(page.getByText('4 rows: 1 ready, 2 to mend, 1 like other leads, 0 imported before')).toBeVisible()
  await page.getByLabel('Firm').selectOption('Business Name')
  await expect(page.getByText('Banksia Dental')).toBeVisible()
  await expectGoodLooks(page)

  await page.getByRole('button', { name: 'Yes, 0491570156' }).press('Enter')
  const email = page.getByRole('region', { name: 'Rows' }).getByLabel('Email')
  await email.fill('mia@coastal.example')
  await email.press('Enter')
  await expect(page.getByText('4 rows: 3 ready, 0 to mend, 1 like other leads')).toBeVisible()
  const submit = page.getByRole('region', { name: 'Submit' })
  await expect(submit).toContainText(CONSENT_TEXT)
  await submit.getByRole('button', { name: 'Submit 3 Leads' }).press('Enter')
  await expect(page.getByText('3 of 4 rows were submitted.')).toBeVisible()
  await expectGoodLooks(page)
  const leftOut = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 1 row left out' }).press('Enter')
  expect(await readFile(await (await leftOut).path(), 'utf8')).toMatch(/\r\nLooks like row 2 of the file,Acacia Two,/)

  // The same file writes nothing again.
  await page.getByRole('button', { name: 'Import Another File' }).press('Enter')
  await page.getByLabel('CSV file').setInputFiles(file)
  await page.getByLabel('Firm').selectOption('Business Name')
  await expect(page.getByText('4 rows: 0 ready, 0 to mend, 1 like other leads, 3 imported before')).toBeVisible()
  await page.getByRole('button', { name: 'Discard File' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).press('Enter')

  await page.getByRole('button', { name: /^Show the import/ }).click()
  await page.getByRole('button', { name: 'Undo Import' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo Import' }).press('Enter')
  await expect(page.getByText('The import was undone: 3 leads were withdrawn.')).toBeVisible({ timeout: 60_000 })
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Go to Leads' }).press('Enter')
  await expect(page.getByText('No leads found')).toBeVisible()
})
