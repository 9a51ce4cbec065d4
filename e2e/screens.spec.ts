import { expect, type Page, test as signedOut } from '@playwright/test'
import { expectGoodLooks, listenForComplaints } from './looks.ts'
import { signIn, signUp } from './partner.ts'
import { type Demo, test as signedIn } from './session.ts'

interface Screen {
  path: string | ((demo: Demo) => string)
  heading: string | RegExp
  /** Of section 2 of the specification, among others. */
  texts: string[]
}

const OPEN_SCREENS: (Screen & { path: string })[] = [
  { path: '/login', heading: 'Sign in', texts: ['Forgot your password?', 'Create Partner Account'] },
  {
    path: '/signup',
    heading: 'Create your account',
    texts: ['First name', 'Last name', 'Email', 'Business name', 'Password', 'Confirm password'],
  },
  { path: '/forgot-password', heading: 'Forgot your password?', texts: ['Email', 'Back to sign in'] },
  {
    path: '/reset-password?token=x',
    heading: 'Choose a new password',
    texts: ['New password', 'Confirm new password'],
  },
  {
    path: '/reset-password',
    heading: 'Choose a new password',
    texts: ['Invalid or missing reset token. Please request a new password reset.'],
  },
]

const SCREENS: Screen[] = [
  {
    path: '/dashboard',
    heading: 'Dashboard',
    texts: [
      'Total Leads',
      'Total Deals',
      'Deal Value',
      'Conversion Rate',
      'Deal Pipeline',
      'Recent Leads',
      'Recent Deals',
      'Recent Activity',
    ],
  },
  { path: '/leads', heading: 'Leads', texts: ['Sync from CRM', 'Debug', 'New Lead', 'Filters', 'Page 1'] },
  {
    path: '/leads/new',
    heading: 'New Lead',
    texts: [
      'Personal Information',
      'Business Information',
      'Loan Information',
      'Property Information (optional)',
      'Additional Details',
      'Submit Lead',
      'Cancel',
    ],
  },
  {
    path: ({ leadLoid }) => `/leads/${leadLoid}`,
    heading: /./,
    texts: ['Primary Information', 'Business Details', 'Status History', 'Latest', 'Notes', 'Add Note', 'ABN/UIN'],
  },
  {
    path: '/deals',
    heading: 'Deals',
    texts: ['Total Deals', 'Won Deals', 'Total Value', 'Avg Deal Size', 'Sort by Amount', 'Filters'],
  },
  {
    path: ({ dealLoid }) => `/deals/${dealLoid}`,
    heading: /./,
    texts: [
      'Re-sync',
      'Contact Person',
      'Details',
      'Notes',
      'Deal Summary',
      'Stage History',
      'Recent Activity',
      'Closing Date',
    ],
  },
  {
    path: '/webhook',
    heading: 'Webhook',
    texts: ['URL Configuration', 'How deliveries work', 'Webhook Log', 'Search', 'Filters'],
  },
  {
    path: '/api-keys',
    heading: 'API Keys',
    texts: ['Usage example', 'Using your key', 'permanent and do not expire'],
  },
  {
    path: '/api-docs',
    heading: 'API Docs',
    texts: [
      'Base URL',
      'Authentication',
      'Your session token',
      'Endpoints',
      'Code examples',
      'Webhooks',
      'Error codes',
      'Rate limits',
      'Support',
    ],
  },
  { path: '/search?q=a', heading: 'Search Results', texts: ['Quick Actions', 'Leads', 'Deals'] },
  {
    path: '/search?q=nobody%20has%20this%20name',
    heading: 'Search Results',
    texts: ['0 results', 'Business or contact names', 'Email or phone', 'LOID', 'Loan types or industries'],
  },
  {
    path: '/profile',
    heading: 'Profile Settings',
    texts: ['Personal Information', 'Change Password', 'Business name', 'Email', 'Phone'],
  },
]

for (const screen of OPEN_SCREENS) {
  signedOut(`${screen.path} is sound in light and dark`, ({ page }) => expectSound(page, screen.path, screen))
}

for (const screen of SCREENS) {
  const { path } = screen
  const name = typeof path === 'string' ? path : path({ token: '', leadLoid: '{loid}', dealLoid: '{loid}' })
  signedIn(`${name} is sound in light and dark`, ({ page, demo }) =>
    expectSound(page, typeof path === 'string' ? path : path(demo), screen),
  )
}

async function expectSound(page: Page, path: string, { heading, texts }: Screen) {
  const complaints = listenForComplaints(page)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  await expect(page.getByRole('status', { name: /^(Loading|Searching)/ })).toHaveCount(0)
  const main = page.getByRole('main')
  for (const text of texts) {
    const found = main.getByText(text).or(main.getByLabel(text)).filter({ visible: true })
    await expect(found.first(), text).toBeVisible()
  }
  await expectGoodLooks(page)
  expect(complaints).toEqual([])
}

signedOut('whoever is signed out is asked to sign in', async ({ page, isMobile }) => {
  signedOut.skip(isMobile, 'the same on every screen')
  for (const path of [
    '/',
    '/dashboard',
    '/leads',
    '/leads/new',
    '/leads/LO-7K3M9QAZ',
    '/deals',
    '/webhook',
    '/api-keys',
    '/api-docs',
    '/search?q=a',
    '/profile',
  ]) {
    await page.goto(path)
    await expect(page, path).toHaveURL('/login')
  }
})

signedIn('whoever is signed in is taken to the dashboard from every other address', async ({ page, isMobile }) => {
  signedIn.skip(isMobile, 'the same on every screen')
  const keptFrom = ['/login', '/signup', '/forgot-password', '/reset-password?token=x']
  for (const path of ['/', ...keptFrom, '/no/such/page', '/search', '/search?q=%20']) {
    await page.goto(path)
    await expect(page, path).toHaveURL('/dashboard')
  }
})

signedOut('signing out is asked about first', async ({ page, request, isMobile }) => {
  await signIn(page, await signUp(request))
  const openDialog = async () => {
    if (isMobile) {
      await page.getByRole('button', { name: 'Open menu' }).click()
      await expect(page.getByRole('button', { name: 'Close menu' })).toBeVisible()
    }
    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click()
  }
  await openDialog()
  const dialog = page.getByRole('alertdialog', { name: 'Sign Out' })
  await expect(dialog).toContainText(
    'Are you sure you want to sign out? You will need to sign in again to access your account.',
  )
  await expectGoodLooks(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/dashboard')

  const token = await page.evaluate(() => localStorage.getItem('auth_token'))
  await openDialog()
  await dialog.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/login')
  const answer = await request.get('/api/dashboard/stats', { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status()).toBe(401)
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login')
})

signedIn('filters live in the address and survive a reload', async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Status').selectOption('Contacted')
  await expect(page).toHaveURL(/status=Contacted/)
  const statuses = rows(page).getByText('Contacted', { exact: true })
  await expect(statuses.first()).toBeVisible()
  await expect.poll(async () => (await statuses.count()) === (await rows(page).count())).toBe(true)
  const count = await rows(page).count()

  await page.reload()
  await expect(page.getByLabel('Status')).toHaveValue('Contacted')
  await expect(page.getByRole('button', { name: /Filters.*1 active/ })).toBeVisible()
  await expect(rows(page)).toHaveCount(count)

  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect(page).toHaveURL('/leads')
  await expect(rows(page)).toHaveCount(20)

  await page.goto('/leads?search=nobody+has+this+name')
  await expect(page.getByText('No leads found')).toBeVisible()
  await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
})

signedIn('leads come twenty to a page', async ({ page }) => {
  await page.goto('/leads')
  await expect(rows(page)).toHaveCount(20)
  const [first = ''] = await names(page)
  await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled()
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(page.getByText('Page 2')).toBeVisible()
  await expect(page.getByText(first)).toHaveCount(0)
  expect(await rows(page).count()).toBeLessThan(20)
  await expect(page.getByRole('button', { name: 'Next' })).toBeDisabled()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page).toHaveURL('/leads')
  await expect(page.getByText(first)).toBeVisible()
})

signedIn('a new column sorts descending, the same one again ascending', async ({ page, isMobile }) => {
  await page.goto('/leads')
  await expect(rows(page)).toHaveCount(20)
  const byName = (await names(page)).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  const sortByName = () => page.getByRole('columnheader', { name: 'Business Name' }).getByRole('button').click()
  if (isMobile) await page.getByLabel('Sort by').selectOption('Business Name')
  else await sortByName()
  await expect(page).toHaveURL(/sort=-business_name/)
  await expect.poll(() => names(page)).toEqual(byName.toReversed())
  if (isMobile) await page.getByRole('button', { name: 'Descending: sort ascending' }).click()
  else await sortByName()
  await expect(page).toHaveURL(/sort=business_name/)
  await expect.poll(() => names(page)).toEqual(byName)
  await page.reload()
  await expect.poll(() => names(page)).toEqual(byName)
})

signedIn('the search box finds leads and deals from any page', async ({ page, demo }) => {
  await page.goto('/profile')
  const box = page.getByPlaceholder('Search leads and deals...')
  await box.fill('   ')
  await box.press('Enter')
  await expect(page).toHaveURL('/profile')
  await box.fill(`  ${demo.leadLoid.toLowerCase()} `)
  await box.press('Enter')
  await expect(page).toHaveURL(`/search?q=${demo.leadLoid.toLowerCase()}`)
  await expect(page.getByText('1 result')).toBeVisible()
  await page.getByRole('table', { name: 'Leads found' }).getByRole('link').first().click()
  await expect(page).toHaveURL(`/leads/${demo.leadLoid}`)
})

function rows(page: Page) {
  return page
    .getByRole('table', { name: 'Leads' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
}

function names(page: Page): Promise<string[]> {
  return rows(page)
    .getByRole('cell')
    .filter({ has: page.locator('a:not([aria-label])') })
    .getByRole('link')
    .allInnerTexts()
}
