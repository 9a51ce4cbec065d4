// Reads section 2 of the specification row by row: titles, their order, and the fields that are there without a click.
import { expect, type Locator, type Page } from '@playwright/test'
import { readStats } from '../contract/src/dashboard.ts'
import { signedOut, test } from './session.ts'

signedOut('the screens for signing in have their fields and links', async ({ page }) => {
  await page.goto('/login')
  await expectInOrder(page.getByRole('main'), [
    'Email',
    'Password',
    'Forgot your password?',
    'Sign in',
    'Create Partner Account',
  ])
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Show password' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Forgot your password?' })).toHaveAttribute('href', '/forgot-password')
  await expect(page.getByRole('link', { name: 'Create Partner Account' })).toHaveAttribute('href', '/signup')

  await page.goto('/signup')
  for (const name of ['First name', 'Last name', 'Email', 'Business name', 'Password', 'Confirm password']) {
    await expect(page.getByLabel(new RegExp(`^${name}`, 'i')).first()).toBeVisible()
  }
  await page.goto('/forgot-password')
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByRole('main').locator('a[href="/login"]')).toBeVisible()
  await page.goto('/reset-password')
  await expect(
    page.getByText('Invalid or missing reset token. Please request a new password reset.').first(),
  ).toBeVisible()
})

test('the sidebar has the seven entries in order, the bar the search, and both the initial of the business', async ({
  page,
}) => {
  await page.goto('/dashboard')
  const links = page.locator('aside, nav').getByRole('link')
  await expect(links.first()).toBeVisible()
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  const entries = ['/dashboard', '/leads', '/deals', '/webhook', '/api-keys', '/api-docs', '/profile']
  expect(
    addresses.filter((address, index) => entries.includes(address) && addresses.indexOf(address) === index),
  ).toEqual(entries)
  await expect(page.getByPlaceholder('Search leads and deals...')).toBeVisible()
  await expect(page.getByText('H', { exact: true }).first()).toBeVisible()

  await page.getByRole('button', { name: 'Sign out' }).first().click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expectInOrder(dialog, [
    'Sign Out',
    'Are you sure you want to sign out? You will need to sign in again to access your account.',
  ])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('/dashboard has the four cards, the pipeline, five recent leads and deals, and the recent activity', async ({
  page,
  demo,
  request,
}) => {
  const headers = { authorization: `Bearer ${demo.token}` }
  const stats = readStats.answer.parse((await (await request.get('/api/dashboard/stats', { headers })).json()).data)
  await page.goto('/dashboard')
  const main = page.getByRole('main')
  await expectInOrder(main, [
    'Total Leads',
    `${stats.total_leads}`,
    `${stats.active_leads} active`,
    'Total Deals',
    `${stats.won_deals} won`,
    'Deal Value',
    'Avg $',
    'Conversion Rate',
    `${(stats.conversion_rate * 100).toFixed(1)}%`,
  ])
  for (const heading of ['Deal Pipeline', 'Recent Leads', 'Recent Deals', 'Recent Activity']) {
    await expect(main.getByRole('heading', { name: heading })).toBeVisible()
  }
  for (const kind of ['leads', 'deals']) {
    const recent = regionOf(page, `Recent ${kind === 'leads' ? 'Leads' : 'Deals'}`)
    await expect(recent.locator(`a[href^="/${kind}/LO-"]`)).toHaveCount(5)
    await expect(recent.getByRole('link', { name: /^View all/ })).toHaveAttribute('href', `/${kind}`)
  }
  await expect(regionOf(page, 'Recent Activity')).toContainText(/LO-[0-9A-Z]{8}/)
})

test('/leads has the search, the filters, the buttons and the columns', async ({ page }) => {
  await page.goto('/leads')
  await expect(
    page
      .getByRole('searchbox', { name: /business name|LOID/i })
      .or(page.getByPlaceholder(/LOID/))
      .first(),
  ).toBeVisible()
  for (const name of ['Search', /Sync from CRM/, 'Debug']) {
    await expect(page.getByRole('button', { name, exact: typeof name === 'string' }).first()).toBeVisible()
  }
  await expect(page.getByRole('main').getByRole('link', { name: 'New Lead' })).toBeVisible()
  await expectColumns(page, [
    'Business Name',
    'LOID',
    'Contact',
    'Loan Amount',
    'Loan Type',
    'ISO',
    'Status',
    'Created',
  ])
  const row = page.getByRole('row').filter({ hasText: 'Silver Gum Dental' })
  for (const text of [
    'Nadia Rahman',
    'nadia@silvergumdental.example',
    '+61 2 5550 1633',
    '$185,000',
    'Term Loan',
    'AU',
  ]) {
    await expect(row).toContainText(text)
  }
  await expect(row.getByRole('link').first()).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Created' })).toHaveAttribute('aria-sort', 'descending')
  await page.getByRole('button', { name: /^Filters/ }).click()
  for (const label of ['Status', 'Lead Source', 'Date From', 'Date To']) {
    await expect(page.getByLabel(label, { exact: true }).first()).toBeVisible()
  }
})

test('/leads/new has the five sections with their fields in order', async ({ page }) => {
  await page.goto('/leads/new')
  await expectInOrder(page.getByRole('main'), [
    'Personal Information',
    'First Name',
    'Last Name',
    'Email',
    'Phone',
    'State',
    'Business Information',
    'Business Name',
    'Industry',
    'Time in Business',
    'ABN',
    'Monthly Turnover',
    'Loan Information',
    'Loan Amount',
    'Loan Type',
    'Loan Purpose',
    'Term',
    'Property Information',
    'Additional Details',
  ])
  await expect(page.getByLabel('Property Value')).toHaveCount(0)
  await page.getByRole('checkbox', { name: /owns? property/i }).check()
  await expect(page.getByLabel(/Property Value/)).toBeVisible()
  await expect(page.getByLabel(/Outstanding Debt/)).toBeVisible()
})

test('/leads/{loid} has the header, the facts in order, the history and the notes', async ({ page }) => {
  await openFromList(page, '/leads', 'Silver Gum Dental')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Silver Gum Dental')
  await expectInOrder(main, ['Silver Gum Dental', 'Nadia Rahman'])
  await expectInOrder(regionOf(page, 'Primary Information'), [
    'Email',
    'nadia@silvergumdental.example',
    'State',
    'Loan Amount',
    'Loan Type',
    'Monthly Sales',
    'Loan Purpose',
    'Lead Name',
    'Phone',
    '+61 2 5550 1633',
    'ISO',
    'Loan Term',
    'Lead Status',
    'Lead Source',
    'Brand',
  ])
  await expect(main.locator('a[href="mailto:nadia@silvergumdental.example"]').first()).toBeVisible()
  await expect(main.locator('a[href="tel:+61255501633"]').first()).toBeVisible()
  await expectInOrder(regionOf(page, 'Business Details'), [
    'Business Name',
    'Industry',
    'Partner',
    'Harbour Finance Brokers',
    'Time in Business',
    'ABN/UIN',
    'LOID',
  ])
  await expect(main.getByText('Status History').first()).toBeVisible()
  await expect(main.getByText(/^Notes/).first()).toBeVisible()
  await expect(main.getByRole('textbox', { name: /note/i })).toBeVisible()
  await expect(main.getByRole('button', { name: 'Add Note' })).toBeVisible()
  // What the history's panel must show stands in the story too: status, time, changed by and duration.
  await expectInOrder(main.getByRole('list', { name: 'Timeline' }), [
    'Unable to Contact',
    'Attempting To Contact',
    'New Lead',
  ])
  await expect(main.getByRole('list', { name: 'Timeline' })).toContainText(/Maya Thornton[\s\S]*day/)
})

test('/deals/{loid} has the header, the contact, the details in order, the summary, the histories and the notes', async ({
  page,
}) => {
  await openFromList(page, '/deals', 'Northerly Boat Builders')
  const main = page.getByRole('main')
  await expectInOrder(main, [
    'Northerly Boat Builders – Equipment Financing',
    'Funded',
    '$118,000',
    'LO-',
    'Re-sync',
    'Contact Person',
    'Ingrid Falk',
  ])
  await expectInOrder(main.locator('header').first(), ['LO-'])
  await main.getByRole('button', { name: 'Details' }).click()
  await expect(main.getByText('Closing Date')).toBeHidden()
  await main.getByRole('button', { name: 'Details' }).click()
  await expectInOrder(regionOf(page, 'Details'), [
    'Deal Name',
    'Contact Name',
    'Amount',
    'Stage',
    'Business Name',
    'Loan Type',
    'Loan Purpose',
    'LOID',
    'Lead Source',
    'Partner Portal',
    'Closing Date',
    'Created Date',
  ])
  await expectInOrder(regionOf(page, 'Deal Summary'), ['Amount', '$118,000', 'Days Active', 'days'])
  await expect(main.getByText(/^Notes \(\d\)$/).first()).toBeVisible()
  await expect(main.getByRole('textbox', { name: /note/i })).toBeVisible()
  // What the panels must show stands in the story too: stage, duration and changed by.
  await expectInOrder(main.getByRole('list', { name: 'Timeline' }), [
    'Funded',
    'Maya Thornton',
    'day',
    'Approved',
    'Pending Approval',
  ])
  await main.getByRole('radio', { name: 'Stage History' }).check()
  await expectInOrder(regionOf(page, 'Stage History'), ['Funded', 'Maya Thornton', 'day', 'Approved', 'day'])
  await main.getByRole('radio', { name: 'Recent Activity' }).check()
  await expect(regionOf(page, 'Recent Activity')).toContainText(/Deal created/i)
  await expect(regionOf(page, 'Recent Activity')).toContainText(/note/i)
})

test('the first screen of a phone has the four cards whole', { tag: '@mobile' }, async ({ page }) => {
  await page.goto('/dashboard')
  const figures = regionOf(page, 'Key figures')
  await expectInOrder(figures, ['Total Leads', 'Total Deals', 'Deal Value', 'Conversion Rate'])
  await expect(async () => {
    const [cards, bar] = await Promise.all([
      figures.boundingBox(),
      page.getByRole('navigation', { name: 'Shortcuts' }).boundingBox(),
    ])
    expect((cards?.y ?? 844) + (cards?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
  }).toPass()
})

test('/deals has the summary, the filters and the columns', async ({ page }) => {
  await page.goto('/deals')
  await expectInOrder(page.getByRole('main'), ['Total Deals', 'Won Deals', 'Total Value', 'Avg Deal Size'])
  await expect(page.getByRole('button', { name: /Sync from CRM/ }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: /Sort by Amount/ })).toBeVisible()
  await expectColumns(page, ['Deal Name', 'LOID', 'Business', 'Amount', 'Loan Type', 'Stage', 'Created'])
  await page.getByRole('button', { name: /^Filters/ }).click()
  for (const label of ['Stage', 'Min Amount', 'Date From', 'Date To']) {
    await expect(page.getByLabel(label, { exact: true }).first()).toBeVisible()
  }
})

test('the pages for systems, search and profile have their parts', async ({ page }) => {
  const main = page.getByRole('main')
  await page.goto('/webhook')
  await expect(main.getByRole('button', { name: /Add URL|Edit/ }).first()).toBeVisible()
  await page.goto('/search?q=Northerly')
  await expect(main.getByRole('link', { name: /Northerly/ }).first()).toBeVisible()
  await page.goto('/search')
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/api-docs')
  for (const text of ['Base URL', 'Authentication', 'Endpoints', 'cURL', 'JavaScript', 'Python', 'Rate', 'Support']) {
    await expect(main.getByText(text, { exact: false }).first()).toBeVisible()
  }
  await page.goto('/api-keys')
  await expect(main.getByRole('button', { name: /Regenerate/ })).toBeVisible()
  await expect(main.getByRole('button', { name: /Revoke/ })).toBeVisible()
  await page.goto('/profile')
  await expect(main.getByRole('tab')).toHaveText(['Personal Information', 'Change Password'])
})

function regionOf(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true })
}

async function openFromList(page: Page, list: '/leads' | '/deals', business: string): Promise<void> {
  await page.goto(`${list}?search=${encodeURIComponent(business)}`)
  await page.locator(`main a[href^="${list}/LO-"]`).first().click()
  await page.waitForURL(new RegExp(`${list}/LO-`))
}

/** The columns in this order. A column without a name, such as that of the view action, may follow. */
async function expectColumns(page: Page, names: string[]): Promise<void> {
  await expect(page.getByRole('columnheader').first()).toBeVisible()
  const headers = await page.getByRole('columnheader').allInnerTexts()
  const found = names.map((name) => headers.findIndex((header) => header.trim().startsWith(name)))
  expect([headers, found.every((place, index) => place > (found[index - 1] ?? -1))]).toEqual([headers, true])
}

/** The texts are visible, one after the other. */
async function expectInOrder(scope: Locator, texts: string[]): Promise<void> {
  await expect(async () => {
    const shown = (await scope.first().innerText()).replaceAll(/\s+/g, ' ')
    let from = 0
    for (const text of texts) {
      const place = shown.indexOf(text, from)
      expect(
        place,
        `“${text}” after “${shown.slice(Math.max(0, from - 60), from)}” in: ${shown}`,
      ).toBeGreaterThanOrEqual(0)
      from = place + text.length
    }
  }).toPass({ timeout: 10_000 })
}
