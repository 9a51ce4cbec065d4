import { expect, type Page } from '@playwright/test'
import { LEAD_STATUSES } from '../../contract/src/choices.ts'
import { crmUrl } from '../addresses.ts'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff } from '../lender.ts'
import { test as demoTest, expectFont, spend } from '../session.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepCrmBusy, keepUninformed } from '../trouble.ts'

const LISTS = '**/api/dashboard/leads?*'
const SYNCS = '**/api/dashboard/sync-leads'
const DEBUG_TESTS = '**/api/dashboard/debug-sync-leads'
/** How many rows are above the lower edge of the screen, or above the bar at the bottom of a phone. */
const ROWS_ON_SCREEN = `(() => {
  const bar = document.querySelector('nav[aria-label=Shortcuts]')
  const end = bar.offsetHeight > 0 ? bar.getBoundingClientRect().top : innerHeight
  return [...document.querySelectorAll('tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= end).length
})()`
const COLUMNS = ['Business Name', 'LOID', 'Contact', 'Loan Amount', 'Loan Type', 'ISO', 'Status', 'Created', 'View']

test('/leads shows loading, empty and failed states, and recovers', async ({ page }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, LISTS)
  await page.goto('/leads')
  await expect(page.getByRole('status', { name: 'Loading leads' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  await expect(page.getByRole('heading', { name: 'No leads found' })).toBeVisible()
  await expect(page.getByText("You haven't submitted any leads yet")).toBeVisible()
  await expect(page.getByRole('link', { name: 'Submit Your First Lead' })).toHaveAttribute('href', '/leads/new')
  await expect(page.getByRole('navigation', { name: 'Pagination' })).toHaveCount(0)
  await expectGoodLooks(page)

  // The page requests the list three times before it reports the failure.
  const mend = await breakAnswers(page, LISTS, { status: 500, error: 'The database is away' })
  await page.reload()
  await expect(page.getByRole('alert')).toContainText('Failed to load leads')
  await expectGoodLooks(page)
  await mend()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByText('No leads found')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('/leads shows each lead’s values in the table’s columns', async ({ page, context, partner }) => {
  const auckland = await partner.submitLead({
    businessName: 'Kauri Joinery',
    firstName: 'Hana',
    email: 'hana@kauri.example',
    phone: '+64 21 123 4567',
  })
  const sydney = await partner.submitLead({ loanAmount: '249,999.50', loanType: 'Term Loan' })
  await page.goto('/leads')
  await expect(page.getByRole('columnheader')).toHaveText(COLUMNS)
  const today = new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'Australia/Sydney',
  }).format(new Date())
  await expect(cellsOf(page, sydney)).toHaveText([
    /^Saltbush Transport\s*Jo Marsh$/,
    sydney,
    /^jo@saltbush.example\s*\+61 491 570 156$/,
    '$250,000',
    'Term Loan',
    'AU',
    /^New Lead\s*Lender’s turn\s*·\s*(Just now|1 minute ago)$/,
    new RegExp(`^${today} by Kim Broking`),
    '',
  ])
  await expect(cellsOf(page, auckland)).toContainText([
    'Hana Marsh',
    auckland,
    '+64 21 123 4567',
    '—',
    '—',
    'NZ',
    'New Lead',
    today,
    '',
  ])
  const badge = (loid: string, text: string) => rowOf(page, loid).locator('[data-variant]').filter({ hasText: text })
  await expect(badge(sydney, 'AU')).toHaveAttribute('data-variant', 'success')
  await expect(badge(auckland, 'NZ')).toHaveAttribute('data-variant', 'error')
  await expect(badge(sydney, 'New Lead')).toHaveAttribute('data-variant', 'primary')
  await expect(page.getByRole('navigation', { name: 'Pagination' })).toHaveCount(0)

  const lender = await context.newPage()
  await lender.goto(`${crmUrl}/leads/${sydney}`)
  await lender.getByLabel('Lead status').selectOption({ label: 'Not Qualified' })
  await lender.getByRole('button', { name: 'Save status' }).click()
  await expect(lender.getByRole('status')).toBeVisible()
  await page.getByRole('button', { name: 'Sync from CRM' }).click()
  await expect(toasts(page).filter({ hasText: /^Sync complete: / })).toBeVisible()
  await expect(badge(sydney, 'Not Qualified')).toHaveAttribute('data-variant', 'error')

  await page.getByRole('link', { name: 'View Kauri Joinery' }).click()
  await expect(page).toHaveURL(`/leads/${auckland}`)
  await page.goBack()
  // A click anywhere in a row opens the lead.
  await cellsOf(page, sydney).nth(7).click()
  await expect(page).toHaveURL(`/leads/${sydney}`)
})

test('/leads finds leads by business, contact, email and LOID', async ({ page, partner }) => {
  const kauri = await partner.submitLead({ businessName: 'Kauri Joinery', firstName: 'Hana', email: 'h@kauri.example' })
  const saltbush = await partner.submitLead()
  await page.goto('/leads')
  const box = page.getByRole('searchbox', { name: 'Search leads', exact: true })
  await expect(box).toHaveAttribute('placeholder', 'Search by business name, contact, email or LOID')
  await expect(rows(page)).toHaveCount(2)
  for (const text of ['  kauri join ', 'hana marsh', 'H@KAURI', kauri.toLowerCase()]) {
    await box.fill(text)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await expect(page).toHaveURL((url) => url.searchParams.get('search') === text.trim())
    await expect(page.getByRole('table', { name: 'Leads' })).not.toHaveAttribute('aria-busy')
    await expect(rows(page)).toHaveCount(1)
    await expect(rowOf(page, kauri)).toBeVisible()
  }
  await box.fill('nobody has this name')
  await box.press('Enter')
  await expect(page.getByText('No leads found')).toBeVisible()
  await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
  await expectGoodLooks(page)
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await expect(page).toHaveURL('/leads')
  await expect(box).toHaveValue('')
  await expect(rowOf(page, saltbush)).toBeVisible()
})

test('/leads keeps its filters in the address and counts them', async ({ page, partner }) => {
  await partner.submitLead()
  await page.goto('/leads')
  const panel = page.getByRole('button', { name: /^Filters/ })
  await expect(page.getByLabel('Status')).toBeHidden()
  await panel.click()
  await expect(panel).toHaveAttribute('aria-expanded', 'true')
  const clear = page.getByRole('button', { name: 'Clear Filters' })
  await expect(clear).toBeDisabled()
  await expect(page.getByLabel('Status').getByRole('option')).toHaveText(['All statuses', ...LEAD_STATUSES])

  await page.getByLabel('Status').selectOption('New Lead')
  await expect(panel).toHaveAccessibleName(/^Filters ?, 1 active$/)
  await page.getByLabel('Lead Source').fill('Partner Portal')
  await page.getByLabel('Lead Source').press('Enter')
  await page.getByLabel('Date From').fill('2026-01-01')
  await page.getByLabel('Date To').fill('2099-12-31')
  await expect(panel).toHaveAccessibleName(/^Filters ?, 4 active$/)
  await expect(page).toHaveURL('/leads?status=New+Lead&source=Partner+Portal&dateFrom=2026-01-01&dateTo=2099-12-31')
  await expect(rows(page)).toHaveCount(1)
  await page.getByLabel('Date To').fill('2026-01-02')
  await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()

  await page.reload()
  await expect(page.getByRole('button', { name: 'remove this filter' })).toBeVisible()
  await expect(page.getByLabel('Lead Source')).toHaveValue('Partner Portal')
  await expect(panel).toHaveAccessibleName(/^Filters ?, 4 active$/)
  await expectGoodLooks(page)
  await clear.click()
  await expect(page).toHaveURL('/leads')
  await expect(page.getByLabel('Status')).toHaveValue('')
  await expect(page.getByLabel('Date To')).toHaveValue('')
  await expect(rows(page)).toHaveCount(1)
})

demoTest(
  'the screen shows many rows of a list, and a person can prefer two lines in each row',
  { tag: '@everywhere' },
  async ({ page, isMobile }) => {
    await expectFont(page)
    for (const { path, least } of [
      { path: '/leads', least: isMobile ? 4 : 14 },
      { path: '/deals', least: isMobile ? 4 : 9 },
    ]) {
      await page.goto(path)
      await expect(page.locator('tbody tr').nth(least)).toBeAttached()
      expect(await page.evaluate<number>(ROWS_ON_SCREEN), path).toBeGreaterThanOrEqual(least)
    }
    if (isMobile) return
    const twoLines = page.getByRole('button', { name: 'Two lines in each row' })
    const height = async () => (await page.locator('tbody tr').nth(1).boundingBox())?.height ?? 0
    expect(await height()).toBeCloseTo(44, 0)
    await twoLines.click()
    await expect(twoLines).toHaveAttribute('aria-pressed', 'true')
    await expect.poll(height).toBeGreaterThan(50)
    await page.goto('/leads')
    await expect(twoLines).toHaveAttribute('aria-pressed', 'true')
    await expectGoodLooks(page)
  },
)

demoTest('/leads shows twenty leads per page', async ({ page }) => {
  await page.goto('/leads')
  await expect(rows(page)).toHaveCount(20)
  const [first = ''] = await names(page)
  const [previous, next] = [page.getByRole('button', { name: 'Previous' }), page.getByRole('button', { name: 'Next' })]
  await expect(previous).toBeDisabled()
  await next.click()
  await expect(page).toHaveURL('/leads?page=2')
  await expect(page.getByText(/^21–\d+ of \d+$/)).toBeVisible()
  await expect(page.getByRole('link', { name: new RegExp(`^(New: )?${first}$`) })).toHaveCount(0)
  expect(await rows(page).count()).toBeLessThan(20)
  // The last page is not full, but people can still go back from it (D25).
  await expect(next).toBeDisabled()
  await page.getByRole('button', { name: /^Filters/ }).click()
  await page.getByLabel('Lead Source').fill('Partner Portal')
  await page.getByLabel('Lead Source').press('Enter')
  await expect(page).toHaveURL('/leads?source=Partner+Portal')
  await expect(page.getByRole('button', { name: /^Filters ?, 1 active$/ })).toBeVisible()
  await page.goBack()
  // If the field still had its text, leaving the field would set the filter again.
  await expect(page.getByLabel('Lead Source')).toHaveValue('')
  await expect(page.getByText(/^21–\d+ of \d+$/)).toBeVisible()
  await previous.click()
  await expect(page).toHaveURL('/leads')
  await expect(page.getByRole('link', { name: new RegExp(`^(New: )?${first}$`) })).toBeVisible()
})

demoTest(
  '/leads sorts the page by a column, first descending, then ascending',
  { tag: '@everywhere' },
  async ({ page, isMobile }) => {
    await page.goto('/leads')
    await expect(rows(page)).toHaveCount(20)
    const byName = (await names(page)).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    const header = (name: string) => page.getByRole('columnheader', { name })
    if (isMobile) {
      await expect(page.getByLabel('Sort by')).toHaveValue('created_at')
      await page.getByLabel('Sort by').selectOption('Business Name')
    } else {
      await expect(header('Created')).toHaveAttribute('aria-sort', 'descending')
      await header('Business Name').getByRole('button').click()
      await expect(header('Business Name')).toHaveAttribute('aria-sort', 'descending')
      await expect(header('Created')).toHaveAttribute('aria-sort', 'none')
    }
    await expect(page).toHaveURL('/leads?sort=-business_name')
    // Sorting reorders only the twenty rows of this page.
    await expect.poll(() => names(page)).toEqual(byName.toReversed())
    if (isMobile) await page.getByRole('button', { name: 'Sorted descending. Sort ascending.' }).click()
    else await header('Business Name').getByRole('button').click()
    await expect(page).toHaveURL('/leads?sort=business_name')
    await expect.poll(() => names(page)).toEqual(byName)
    await page.reload()
    await expect.poll(() => names(page)).toEqual(byName)
    if (isMobile) return

    const sortable = await page
      .getByRole('columnheader')
      .filter({ has: page.getByRole('button') })
      .allTextContents()
    expect(sortable).toEqual(['Business Name', 'LOID', 'Loan Amount', 'ISO', 'Status', 'Created'])
    for (const [name, column] of [
      ['LOID', 'loid'],
      ['Loan Amount', 'loan_amount'],
      ['ISO', 'partner_iso'],
      ['Status', 'lead_status'],
      ['Created', 'created_at'],
    ] as const) {
      await header(name).getByRole('button').click()
      await expect(page).toHaveURL(`/leads?sort=-${column}`)
      await expect(header(name)).toHaveAttribute('aria-sort', 'descending')
    }
    await header('Loan Amount').getByRole('button').click()
    await expect(page).toHaveURL('/leads?sort=-loan_amount')
    const amounts = (await rows(page).getByRole('cell').filter({ hasText: /^\$/ }).allTextContents()).map((text) =>
      Number(text.replace(/\D/g, '')),
    )
    expect(amounts).toEqual(amounts.toSorted((one, other) => other - one))
  },
)

test('/leads syncs with the CRM and shows the result', async ({ page }) => {
  await page.goto('/leads')
  const button = page.getByRole('button', { name: 'Sync from CRM' })
  const release = await holdAnswers(page, SYNCS)
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  // The sync continues while another page is open.
  await page.getByRole('complementary').getByRole('link', { name: 'Dashboard' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goBack()
  await expect(button).toBeDisabled()
  release()
  await expect(toasts(page)).toHaveText('Sync complete: everything is up to date')
  await expect(button).toBeEnabled()

  const refusals = [
    { refusal: { status: 502, error: 'The CRM is away' }, text: 'Sync failed: The CRM is away' },
    { refusal: { status: 502 }, text: 'Sync failed: Unknown error' },
    { refusal: undefined, text: 'Sync failed: Network error' },
  ]
  for (const { refusal, text } of refusals) {
    const mend = await breakAnswers(page, SYNCS, refusal)
    await button.click()
    await expect(toasts(page).filter({ hasText: text })).toHaveAttribute('data-kind', 'error')
    await mend()
  }
})

test('/leads shows the progress of a long sync', async ({ page, partner }) => {
  // In the portal under test, a sync is long if it takes more than five seconds. The default is twenty (D31).
  const loid = await partner.submitLead()
  const zohoId = await actAsStaff(`/leads/${loid}/status`, { status: 'Pre Call' })
  // A sync stores a changed lead together with its history, so it waits until the CRM answers with the history.
  const release = await keepCrmBusy(`Leads/${zohoId}/__timeline`, 8)
  await actAsStaff(`/leads/${loid}/status`, { status: 'Contacted' })
  await page.goto('/leads')
  const button = page.getByRole('button', { name: 'Sync from CRM' })
  await button.click()
  const progress = page.getByRole('region', { name: 'Sync progress' })
  await expect(progress).toBeVisible({ timeout: 30_000 })
  await expect(progress.getByRole('progressbar', { name: 'Syncing leads with the CRM' })).toBeVisible()
  await expect(progress).toContainText('Updating leads')
  await expect(button).toBeDisabled()
  await release()
  await expect(toasts(page).filter({ hasText: /^Sync complete: / })).toBeVisible({ timeout: 30_000 })
  await expect(progress).toHaveCount(0)
  await expect(button).toBeEnabled()
  await expect(rowOf(page, loid)).toContainText('Contacted')
})

test('/leads tests the connection to the CRM step by step', async ({ page }) => {
  await page.goto('/leads')
  const button = page.getByRole('button', { name: 'Debug' })
  const dialog = page.getByRole('dialog', { name: 'CRM connection test' })
  await button.click()
  await expect(dialog).toContainText('Every step of a lead sync works.')
  await expect(toasts(page).filter({ hasText: 'Debug test passed' })).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Steps' }).getByRole('img', { name: 'Passed' })).not.toHaveCount(0)
  await expect(dialog).toContainText('CRM sandbox')
  // The page shows a dialog, and a toast above it.
  await expectGoodLooks(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()

  await breakAnswers(page, DEBUG_TESTS)
  await button.click()
  await expect(toasts(page).filter({ hasText: 'Debug test error' })).toHaveAttribute('data-kind', 'error')
  await expectGoodLooks(page)
})

test('/leads fetches the list again if it is older than half a minute when a person returns to the tab', async ({
  page,
  partner,
}) => {
  await keepUninformed(page)
  spend(page)
  await page.clock.install()
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  await partner.submitLead()
  const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/dashboard/leads?')) asked += 1
  })
  await comeBack()
  await page.clock.fastForward(31_000)
  expect(asked).toBe(0)
  await comeBack()
  await expect(rows(page)).toHaveCount(1)
})

demoTest('on a tablet nothing separates what belongs together in a row', async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.goto('/leads')
  // The verdict makes the row higher than other rows.
  const row = rows(page).filter({ hasText: 'Yours until' }).first()
  const boxOf = async (column: string) => row.locator(`[data-label="${column}"]`).boundingBox()
  for (const [upper, lower] of [
    ['Loan Amount', 'Created'],
    ['Loan Type', 'Contact'],
    ['Status', 'LOID'],
  ] as const) {
    const [above, below] = [await boxOf(upper), await boxOf(lower)]
    const gap = (below?.y ?? Number.NaN) - (above?.y ?? 0) - (above?.height ?? 0)
    expect(gap, `${upper} above ${lower}`).toBeLessThan(4)
  }
})

function rows(page: Page) {
  return page
    .getByRole('table', { name: 'Leads' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
}

function rowOf(page: Page, loid: string) {
  return rows(page).filter({ hasText: loid })
}

function cellsOf(page: Page, loid: string) {
  return rowOf(page, loid).getByRole('cell')
}

/** The businesses of the rows, without the mark of those that are new. */
async function names(page: Page): Promise<string[]> {
  const links = rows(page)
    .getByRole('cell')
    .filter({ has: page.locator('a:not([aria-label])') })
    .getByRole('link')
  return (await links.allTextContents()).map((name) => name.replace(/^New: /, ''))
}

test('/leads keeps what it shows as a view, shares it and opens with it', { tag: '@everywhere' }, async ({
  page,
  partner,
}) => {
  await partner.submitLead({ businessName: 'Kauri Joinery' })
  await page.goto('/leads?status=Contacted&sort=-loan_amount')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Keep what the list shows as').fill('Contacted, largest first')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page).toHaveURL(/\?sort=-loan_amount&status=Contacted&view=/)

  await page.getByRole('button', { name: 'Views: Contacted, largest first' }).click()
  const panel = page.getByRole('dialog', { name: 'Views of leads' })
  await panel.getByRole('button', { name: 'Open leads with Contacted, largest first' }).click()
  await panel.getByRole('button', { name: 'Share Contacted, largest first with the team' }).click()
  await expect(panel.getByRole('button', { pressed: true })).toHaveCount(2)
  await expectGoodLooks(page)

  await page.goto('/leads')
  await expect(page).toHaveURL(/status=Contacted/)
  await page.getByRole('button', { name: /^Views/ }).click()
  await panel.getByRole('link', { name: 'All leads' }).click()
  await expect(page.getByText('Kauri Joinery').first()).toBeVisible()
  await page.reload()
  await expect(page).toHaveURL(/\/leads\?view=all$/)
})
