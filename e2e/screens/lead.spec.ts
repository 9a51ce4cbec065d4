import { expect } from '@playwright/test'
import { openLender } from '../../server/src/testing/lender.ts'
import { crmUrl } from '../addresses.ts'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const LEADS = /\/api\/crm\/lead\/[^/]+$/
const HISTORIES = /\/api\/crm\/lead\/[^/]+\/status-history$/
const DAY = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}'

test('/leads/{loid} shows everything about a lead', async ({ page, partner }) => {
  const loid = await partner.submitLead({
    firstName: 'Aroha',
    lastName: 'Ngata',
    email: 'aroha@harakeke.example',
    phone: '0491 570 156',
    state: 'NSW',
    businessName: 'Harakeke Cafe',
    businessIndustry: 'Hospitality',
    timeInBusiness: '2-5 years',
    businessAbn: '51 824 753 556',
    monthlyTurnover: 42_000,
    loanAmount: '250000.50',
    loanType: 'Equipment Financing',
    loanPurpose: 'A second oven',
    loanTerm: '36 months',
    ownsProperty: true,
    propertyValue: 900_000,
    propertyDebt: 400_000,
    additionalInfo: 'Ring after three.\nNot on Mondays.',
  })
  const id = await actAsStaff(`/leads/${loid}/status`, { status: 'Contacted' })
  await actAsStaff(`/leads/${loid}/notes`, { title: 'Call', content: 'Sends the statements today.' })
  await openLender(crmUrl).update('Leads', id, { Brand: 'Blue Gum', Permit_Link: 'https://permits.example/7' })
  await pullFromCrm(partner.token)

  // People also write a LOID in lower case and without the dash.
  await page.goto(`/leads/${loid.toLowerCase().replace('-', '')}`)
  const main = page.getByRole('main')
  const header = main.locator('header').first()
  await expect(header.getByRole('heading', { level: 1 })).toHaveText('Harakeke Cafe')
  await expect(header).toContainText('Aroha Ngata')
  await expect(header).toContainText(loid)
  await expect(header.locator('[data-variant=warning]')).toHaveText('Contacted')
  // A page that is only visible is not read.
  await page.keyboard.press('Shift')
  await expect(page).toHaveTitle('Harakeke Cafe · Partner Portal')

  const primary = page.getByRole('region', { name: 'Primary Information' })
  await expect(primary.locator('dl > div')).toHaveText(
    [
      'Email aroha@harakeke.example',
      'State NSW',
      'Loan Amount $250,001',
      'Loan Type Equipment Financing',
      'Monthly Sales $42,000',
      'Loan Purpose A second oven',
      'Lead Name Aroha Ngata',
      'Phone +61 491 570 156',
      'ISO AU',
      'Loan Term 36 months',
      'Lead Status Contacted',
      'Lead Source Partner Portal',
      'Brand Blue Gum',
      'Description Ring after three. Not on Mondays.',
      /^Permit\sView permit/,
      new RegExp(`^Created\\s${DAY}$`),
      /^Submitted By\sKim Broking/,
      'Property Value $900,000',
      'Outstanding Debt $400,000',
    ],
    { useInnerText: true },
  )
  const link = (name: string) => primary.getByRole('link', { name })
  await expect(link('aroha@harakeke.example')).toHaveAttribute('href', 'mailto:aroha@harakeke.example')
  await expect(link('+61 491 570 156')).toHaveAttribute('href', 'tel:+61491570156')
  await expect(link('View permit')).toHaveAttribute('href', 'https://permits.example/7')
  await expect(primary.locator('[data-variant=success]')).toHaveText('AU')
  await expect(page.getByRole('region', { name: 'Business Details' }).locator('dl > div')).toHaveText(
    [
      'Business Name Harakeke Cafe',
      'Industry Hospitality',
      `Partner ${partner.businessName}`,
      'Time in Business 2-5 years',
      'ABN/UIN 51824753556',
      `LOID ${loid}`,
    ],
    { useInnerText: true },
  )

  await expect(header.getByRole('link', { name: 'Call' })).toHaveAttribute('href', 'tel:+61491570156')
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByRole('radio', { name: 'Status History' }).click()
  await expect(timeline.getByRole('list', { name: 'Status History' }).getByRole('listitem')).toHaveText(
    [
      /^Contacted\s+Latest\s+Maya Thornton · less than a day\s+Just now$/,
      new RegExp(
        `^New Lead\\s+${partner.businessName} · less than a day\\s+Just now\\s+Submitted through the partner portal$`,
      ),
    ],
    { useInnerText: true },
  )
  await timeline.getByRole('radio', { name: 'Notes (1)' }).click()
  await expect(timeline.getByRole('list', { name: 'Notes' }).getByRole('listitem')).toHaveText(
    /^Maya Thornton\s+Lender\s+Just now\s+Sends the statements today\.$/,
    { useInnerText: true },
  )
  await header.getByRole('link', { name: 'Back to Leads' }).click()
  await expect(page).toHaveURL('/leads')

  await test.step('once the lead is a deal, its address redirects to the deal', async () => {
    await actAsStaff(`/leads/${loid}/convert`, { name: 'Harakeke Cafe', stage: 'Approved', closing: '2027-03-15' })
    await pullFromCrm(partner.token)
    await page.goto(`/leads/${loid}`)
    await expect(page).toHaveURL(`/deals/${loid}`)
  })
})

test('/leads/{loid} shows a dash for each field that is empty', async ({ page, partner }) => {
  const loid = await partner.submitLead({ phone: '+64 21 123 4567', iso: 'NZ' })
  await page.goto(`/leads/${loid}`)
  const primary = page.getByRole('region', { name: 'Primary Information' })
  await expect(primary.locator('dl > div')).toHaveText(
    [
      'Email jo@saltbush.example',
      'State —',
      'Loan Amount —',
      'Loan Type —',
      'Monthly Sales —',
      'Loan Purpose —',
      'Lead Name Jo Marsh',
      'Phone +64 21 123 4567',
      'ISO NZ',
      'Loan Term —',
      'Lead Status New Lead',
      'Lead Source Partner Portal',
      'Brand —',
      new RegExp(`^Created\\s${DAY}$`),
      /^Submitted By\sKim Broking/,
    ],
    { useInnerText: true },
  )
  await expect(primary.locator('[data-variant=error]')).toHaveText('NZ')
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByRole('radio', { name: 'Notes (0)' }).click()
  await expect(timeline.getByText('No notes yet')).toBeVisible()
})

test('the longest names and texts stay within the screen', async ({ page, partner }) => {
  const word = (length: number) => 'Longnamewithoutabreak'.repeat(length).slice(0, length)
  const loid = await partner.submitLead({
    firstName: word(100),
    lastName: word(100),
    businessName: word(200),
    email: `${'e'.repeat(64)}@${'d'.repeat(63)}.${'s'.repeat(63)}.example`,
    loanAmount: '999,999,999',
    loanPurpose: word(500),
    additionalInfo: `${word(1_000)} ${'Some words. '.repeat(83)}`,
  })
  async function expectWithin(path: string, text: string) {
    await page.goto(path)
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
    await expectGoodLooks(page)
  }
  await expectWithin('/leads', word(200))
  await expectWithin(`/leads/${loid}`, word(200))
  await expectWithin(`/search?q=${word(50)}`, word(200))
  await actAsStaff(`/leads/${loid}/convert`, {
    name: word(120),
    stage: 'Consulting With Client',
    amount: '$999,999,999',
    closing: '2027-03-15',
  })
  await pullFromCrm(partner.token)
  await expectWithin('/deals', word(120))
  await expectWithin(`/deals/${loid}`, word(120))
})

test('/leads/{loid} shows that it is loading, reports failures and tries again', async ({ page, partner }) => {
  await keepUninformed(page)
  const loid = await partner.submitLead()
  const main = page.getByRole('main')
  const failure = main.getByRole('alert')

  await test.step('while the lead is loading', async () => {
    const release = await holdAnswers(page, LEADS)
    await page.goto(`/leads/${loid}`)
    await expect(page.getByRole('status', { name: 'Loading lead' })).toBeVisible()
    await expectGoodLooks(page)
    release()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Saltbush Transport')
    await expect(page.getByRole('status', { name: 'Loading lead' })).toHaveCount(0)
  })

  await test.step('when the history cannot be loaded', async () => {
    const mend = await breakAnswers(page, HISTORIES, { status: 403, error: 'Not now' })
    await page.reload()
    await page.getByRole('radio', { name: 'Status History' }).click()
    const history = page.getByRole('region', { name: 'Status History' })
    await expect(history.getByRole('alert')).toContainText('Failed to load status history')
    await mend()
    await history.getByRole('button', { name: 'Try Again' }).click()
    await expect(history.getByText('New Lead')).toBeVisible()
  })

  await test.step('when the lead cannot be loaded', async () => {
    const mend = await breakAnswers(page, LEADS, { status: 403, error: 'Not now' })
    await page.reload()
    await expect(failure).toContainText('Failed to load lead details')
    await expect(failure).toContainText('Not now')
    await expect(failure.getByRole('link', { name: 'Back to Leads' })).toHaveAttribute('href', '/leads')
    await expectGoodLooks(page)
    await mend()
    await failure.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Saltbush Transport')
  })

  await test.step('with an id that is invalid or unknown', async () => {
    await page.goto('/leads/%20')
    await expect(failure).toContainText('Invalid lead ID')
    await expect(failure.getByRole('button', { name: 'Try Again' })).toHaveCount(0)
    await expect(failure.getByRole('link', { name: 'Back to Leads' })).toBeVisible()
    await page.goto('/leads/LO-00000000')
    await expect(failure).toContainText('Failed to load lead details')
    await failure.getByRole('link', { name: 'Back to Leads' }).click()
    await expect(page).toHaveURL('/leads')
  })
})

test('/leads/{loid} keeps the text of a note until the note is stored', async ({ page, partner }) => {
  await page.goto(`/leads/${await partner.submitLead()}`)
  const panel = page.getByRole('region', { name: 'Timeline' })
  const note = panel.getByLabel('Add a note')
  const add = panel.getByRole('button', { name: 'Add Note' })
  await add.click()
  await expect(panel.getByText('Please enter a note before submitting')).toBeVisible()
  await expect(note).toBeFocused()
  await note.fill('  Hi  ')
  await add.click()
  await expect(panel.getByText('Note must be at least 5 characters long')).toBeVisible()
  await note.fill('x'.repeat(1_001))
  await expect(panel.getByText('Note is too long. Please keep it under 1000 characters.')).toBeVisible()
  await expect(panel.getByText('1,001 / 1,000')).toBeVisible()
  await expectGoodLooks(page)

  await note.fill('  Please call after three  ')
  const refusals = [
    { status: 403, error: 'You have no permission', text: 'You do not have permission to add notes to this lead.' },
    { status: 403, error: 'Unauthorized', text: 'You do not have permission to add notes to this lead.' },
    { status: 500, error: 'Full', text: 'Failed to add note: Full' },
    { status: 502, text: 'Failed to add note' },
    { text: 'Network error. Please check your connection and try again.' },
  ]
  for (const { text, status, error } of refusals) {
    const mend = await breakAnswers(page, '**/api/crm/note/**', status ? { status, error } : undefined)
    await add.click()
    await expect(toasts(page).last()).toHaveText(text)
    await toasts(page).last().getByRole('button', { name: 'Dismiss' }).click()
    await expect(note).toHaveValue('  Please call after three  ')
    await mend()
  }

  const release = await holdAnswers(page, '**/api/crm/note/**')
  await add.click()
  await expect(add).toHaveAttribute('aria-busy', 'true')
  release()
  await expect(toasts(page)).toHaveText('Note added successfully')
  await expectGoodLooks(page)
  await expect(note).toHaveValue('')
  await panel.getByRole('radio', { name: 'Notes (1)' }).click()
  const item = panel.getByRole('list', { name: 'Notes' }).getByRole('listitem')
  await expect(item).toHaveCount(1)
  await expect(item).toContainText('Kim Broking')
  await expect(item).toContainText('Please call after three')
})
