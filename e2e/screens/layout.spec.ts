import { expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { signedOut, spend } from '../session.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const ENTRIES = [
  { name: 'Dashboard', path: '/dashboard' },
  { name: 'Leads', path: '/leads' },
  { name: 'Deals', path: '/deals' },
  { name: 'Payments', path: '/payments' },
  { name: 'Webhook', path: '/webhook' },
  { name: 'API Keys', path: '/api-keys' },
  { name: 'API Docs', path: '/api-docs' },
  { name: 'Team', path: '/team' },
  { name: 'Security Log', path: '/security' },
  { name: 'Profile Settings', path: '/profile' },
]

const GROUPS = {
  Work: ['Dashboard', 'Leads', 'Deals', 'Payments'],
  Integrations: ['Webhook', 'API Keys', 'API Docs'],
  Business: ['Team', 'Security Log', 'Profile Settings'],
}

const PAGES_OF_PARTNERS = [
  '/dashboard',
  '/leads',
  '/leads/new',
  '/leads/LO-7K3M9QAZ',
  '/deals',
  '/deals/LO-7K3M9QAZ',
  '/webhook',
  '/search?q=a',
  '/api-docs',
  '/api-keys',
  '/team',
  '/security',
  '/profile',
]

// The last two paths are not valid URL encodings.
const ADDRESSES_OF_NOTHING = ['/no/such/page', '/deals/%E0%A4%A', '/%']

const PAGES_OF_NEWCOMERS = ['/login', '/signup', '/forgot-password', '/reset-password?token=x']

signedOut('redirects a signed-out visitor to /login', async ({ page }) => {
  for (const path of ['/', ...ADDRESSES_OF_NOTHING]) {
    await page.goto(path)
    await expect(page, path).toHaveURL('/login')
  }
  // The app redirects even before it shows its first page.
  const release = await holdAnswers(page, /\/assets\/login-page.*\.js$/)
  await page.goto('/')
  await expect(page).toHaveURL('/login')
  for (const path of PAGES_OF_PARTNERS) {
    await goTo(page, path)
    await expect(page, path).toHaveURL('/login')
  }
  release()
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
})

test('redirects a signed-in person from /, unknown addresses, pages for newcomers and an empty search to /dashboard', async ({
  page,
}) => {
  for (const path of ['/', ...ADDRESSES_OF_NOTHING]) {
    await page.goto(path)
    await expect(page, path).toHaveURL('/dashboard')
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  for (const path of [...PAGES_OF_NEWCOMERS, '/search', '/search?q=%20']) {
    await goTo(page, path)
    await expect(page, path).toHaveURL('/dashboard')
  }
})

test('a page redirects to /login when the session has ended', async ({ page, partner, request }) => {
  await keepUninformed(page)
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  await request.post('/api/auth/logout', { headers: { authorization: `Bearer ${partner.token}` } })
  await page.getByRole('button', { name: 'Sync from CRM' }).click()
  await expect(page).toHaveURL('/login')
  expect(await page.evaluate(() => localStorage.getItem('auth_token'))).toBeNull()
  await expect(toasts(page).filter({ hasText: 'Your session has ended. Please sign in again.' })).toBeVisible()
})

test('a page opened without a connection says that there is none, and loads when the connection is back', async ({
  page,
  context,
}) => {
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'API Docs' }).press('Enter')
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('No internet connection. Please check your network and try again.')
  await expect(page.getByText(/^Offline, as of \d{1,2}:\d\d/)).toBeVisible()
  await expect(page).toHaveURL('/api-docs')
  await expect(failure.getByRole('button', { name: 'Try Again' })).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'API Docs' })).toBeVisible()
  await expect(page.getByText('Offline')).toHaveCount(0)
})

test('a page whose code cannot be loaded reports a failure, and opens when the server is back', async ({ page }) => {
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'API Docs' }).press('Enter')
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('Something went wrong. Please try again or contact support.')
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(failure).toBeVisible()
  await page.unroute('**/*')
  await expect(page.getByRole('heading', { level: 1, name: 'API Docs' })).toBeVisible()
})

test('if the code of toasts, of the bell’s panel or of a dialog does not load, the page stays and loads the code later', async ({
  page,
}) => {
  const failed = (name: string) => page.waitForEvent('requestfailed', (request) => request.url().includes(`/${name}-`))
  const code = /\/assets\/(toaster|bell-panel|confirm-dialog)-.*\.js$/
  await page.route(code, (route) => route.abort('connectionrefused'))
  const noToasts = failed('toaster')
  await page.goto('/webhook')
  await noToasts
  const bell = page.getByRole('button', { name: 'What is new' })
  const noPanel = failed('bell-panel')
  await bell.click()
  await noPanel
  await page.getByRole('button', { name: 'Add URL' }).click()
  await page.getByLabel('Webhook URL').fill('https://broker.example/hook')
  await breakAnswers(page, '**/api/dashboard/webhook-url', {
    status: 403,
    error: 'Enter your password again to continue.',
    code: 'CONFIRM_PASSWORD',
  })
  const noDialog = failed('confirm-dialog')
  await page.getByRole('button', { name: 'Save URL' }).click()
  await noDialog
  await expect(page.getByRole('alert')).toContainText('Something went wrong. Please try again or contact support.')

  await page.unroute(code)
  await page.getByRole('button', { name: 'Save URL' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toContainText('Enter your password again to continue.')
  await expect(toasts(page).filter({ hasText: 'Something went wrong.' }).first()).toBeVisible()
  await bell.click()
  await expect(page.getByRole('dialog', { name: 'Since you were here' })).toBeVisible()
})

test('if the code of the live stream does not load, the page loads it later', async ({ page }) => {
  const code = /\/assets\/live-.*\.js$/
  await page.route(code, (route) => route.abort('connectionrefused'))
  const noStream = page.waitForEvent('requestfailed', (request) => code.test(request.url()))
  await page.goto('/leads')
  await noStream
  await page.unroute(code)
  await page.waitForRequest((request) => request.url().endsWith('/api/live'), { timeout: 20_000 })
})

test('a page whose code was replaced by a newer version opens after an automatic reload', async ({ page }) => {
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  let isReplaced = true
  await page.route(/\/assets\/.*\.js$/, (route) => (isReplaced ? route.fulfill({ status: 404 }) : route.fallback()))
  const reload = page.waitForRequest((request) => request.isNavigationRequest())
  await page.getByRole('link', { name: 'API Docs' }).press('Enter')
  await reload
  isReplaced = false
  await expect(page.getByRole('heading', { level: 1, name: 'API Docs' })).toBeVisible()
})

for (const [what, files] of [
  ['code', /\/assets\/.*\.js$/],
  ['style', /\/assets\/.*\.css$/],
] as const) {
  test(`if the first document gets no ${what}, as amid an upgrade, it reloads by itself until the ${what} arrives`, async ({
    page,
  }) => {
    let documents = 0
    page.on('request', (request) => void (documents += Number(request.isNavigationRequest())))
    await page.route(files, (route) => (documents < 3 ? route.fulfill({ status: 404 }) : route.fallback()))
    await page.goto('/leads')
    await expect.poll(() => documents).toBe(3)
    await expect(page.getByText('No leads found')).toBeVisible()
    expect(documents).toBe(3)
  })
}

test('a page that stays broken reloads automatically only once, and after that only on request', async ({ page }) => {
  await page.goto('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
  let documents = 0
  page.on('request', (request) => void (documents += Number(request.isNavigationRequest())))
  await page.route(/\/assets\/api-docs-page.*\.js$/, (route) => route.fulfill({ status: 404 }))
  const newDocument = page.waitForEvent('domcontentloaded')
  await page.getByRole('link', { name: 'API Docs' }).press('Enter')
  // The old document also shows this failure, until the new document replaces it.
  await newDocument
  const failure = page.getByRole('alert')
  await expect(failure).toContainText('Something went wrong. Please try again or contact support.')
  await page.evaluate("window.dispatchEvent(new Event('online'))")
  await page.unroute(/\/assets\/api-docs-page.*\.js$/)
  expect(documents).toBe(1)
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'API Docs' })).toBeVisible()
  expect(documents).toBe(2)
})

test('dismissing a toast by keyboard returns the focus, and the next toast disappears by itself', async ({ page }) => {
  spend(page)
  await page.clock.install()
  await page.goto('/profile')
  const name = page.getByLabel('First name')
  await name.fill('Kim')
  await name.press('Enter')
  await expect(toasts(page)).toHaveText('Profile updated successfully')
  // Sets the focus by script, because tabbing to the button would take longer than the toast stays.
  await toasts(page).getByRole('button', { name: 'Dismiss' }).focus()
  await page.keyboard.press('Enter')
  await expect(toasts(page)).toHaveCount(0)
  await expect(name).toBeFocused()

  await name.fill('Ash')
  await name.press('Enter')
  await expect(toasts(page)).toHaveText('Profile updated successfully')
  await page.clock.runFor(3_000)
  await expect(toasts(page)).toHaveCount(0)
})

test('the sidebar links to each main page and marks the current one', async ({ page, partner }) => {
  await page.goto('/leads/new')
  const sidebar = page.getByRole('complementary')
  const links = sidebar.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await expect(links).toHaveText(ENTRIES.map(({ name }) => name))
  for (const [group, names] of Object.entries(GROUPS))
    await expect(sidebar.getByRole('group', { name: group }).getByRole('link')).toHaveText(names)
  await expect(sidebar.getByText('Owner ·')).toBeVisible()
  await expect(sidebar.getByRole('link', { name: 'Leads' })).toHaveAttribute('aria-current', 'page')
  await expect(sidebar.getByText(partner.businessName)).toBeVisible()
  await expect(sidebar.getByText('K', { exact: true })).toBeVisible()
  await expect(page.getByRole('banner').getByText('K', { exact: true })).toBeVisible()

  for (const { name, path } of ENTRIES) {
    await sidebar.getByRole('link', { name }).click()
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { level: 1, name })).toBeFocused()
    await expect(sidebar.locator('[aria-current=page]')).toHaveText(name)
    await expect(page).toHaveTitle(`${name} · Partner Portal`)
  }
})

test('the keyboard can skip the sidebar and jump to the search box', async ({ page }) => {
  await page.goto('/profile')
  const box = page.getByPlaceholder('Search leads and deals...')
  await expect(box).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to or find' })
  await expect(palette.getByRole('option', { name: 'Dashboard' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  await page.keyboard.press('/')
  await expect(box).toBeFocused()

  await page.keyboard.type('   ')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/profile#main')
  await box.fill('  salt & bush ')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/search?q=salt+%26+bush')
  await expect(page.getByRole('heading', { level: 1, name: 'Search Results' })).toBeFocused()
  await expect(box).toHaveValue('salt & bush')
  await box.fill('saltbush')
  await box.press('Enter')
  await expect(page.getByText('No results found for “saltbush”')).toBeVisible()
  await expect(page).toHaveURL('/search?q=saltbush')
  await expect(box).toBeFocused()
  await page.goBack()
  await expect(box).toHaveValue('salt & bush')
})

test('the chosen theme stays even if the system prefers the other theme', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/leads')
  // Waits until no colour is changing.
  const background = () =>
    page.evaluate<string>(
      'Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => getComputedStyle(document.body).backgroundColor)',
    )
  await expect(page.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible()
  const light = await background()
  await page.getByRole('button', { name: 'Switch to dark theme' }).click()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.reload()
  expect(await background()).toBe(dark)
  await page.getByRole('button', { name: 'Switch to light theme' }).click()
  await expect.poll(background).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  expect(await background()).toBe(light)
})

test('a printed list shows the table without the menu, the search box and the buttons', async ({ page, partner }) => {
  await partner.submitLead({ businessName: 'Kauri Joinery' })
  await page.goto('/leads')
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('table', { name: 'Leads' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Business Name' })).toBeVisible()
  await expect(page.getByText('Kauri Joinery').first()).toBeVisible()
  for (const role of ['banner', 'complementary', 'searchbox'] as const)
    await expect(page.getByRole(role).filter({ visible: true }), role).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'New Lead' })).toHaveCount(0)
  for (const name of ['Sync from CRM', 'Search', 'Filters'])
    await expect(page.getByText(name, { exact: true }).filter({ visible: true }), name).toHaveCount(0)
  // A phone shows cards, but prints a table.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('columnheader', { name: 'Business Name' })).toBeVisible()
})

test('signing out needs a confirmation', async ({ page, partner, request }) => {
  await page.goto('/leads')
  const signOut = page.getByRole('button', { name: 'Sign out' }).filter({ visible: true })
  const dialog = page.getByRole('alertdialog', { name: 'Sign Out' })
  await signOut.click()
  await expect(dialog).toContainText(
    'Are you sure you want to sign out? You will need to sign in again to access your account.',
  )
  await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Sign Out'])
  await expectGoodLooks(page)
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(signOut).toBeFocused()

  await signOut.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/leads')

  await signOut.click()
  await dialog.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/login')
  const headers = { authorization: `Bearer ${partner.token}` }
  await expect.poll(async () => (await request.get('/api/dashboard/stats', { headers })).status()).toBe(401)
})

test('on a phone the main pages are in a bar at the bottom, and the sidebar is a drawer', { tag: '@mobile' }, async ({
  page,
  partner,
}) => {
  await page.goto('/leads')
  const bar = page.getByRole('navigation', { name: 'Shortcuts' })
  const menu = bar.getByRole('button', { name: 'More' })
  await expect(bar.getByRole('link')).toHaveText(['Home', 'Leads', 'New', 'Deals'])
  await expect(bar.locator('[aria-current=page]')).toHaveText('Leads')
  await expect(page.getByRole('banner').getByText('K', { exact: true })).toBeVisible()
  const partnerId = await page.getByRole('banner').getByRole('link').locator('span').last().innerText()
  expect(partnerId).not.toBe('')

  await menu.click()
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer.getByText(partner.businessName)).toBeVisible()
  await expect(drawer.getByText(new RegExp(`${partnerId.slice(1)}$`))).toBeVisible()
  await expect(drawer.getByRole('navigation').getByRole('link')).toHaveText(ENTRIES.map(({ name }) => name))
  await expectGoodLooks(page)

  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(menu).toBeFocused()
  await menu.click()
  await drawer.getByRole('button', { name: 'Switch to dark theme' }).click()
  await expect(drawer.getByRole('button', { name: 'Switch to light theme' })).toBeVisible()
  // The button disappears with the drawer, so the focus returns to the button that opened the drawer.
  await drawer.getByRole('button', { name: 'Sign out' }).click()
  const question = page.getByRole('alertdialog', { name: 'Sign Out' })
  await expect(question).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(menu).toBeFocused()
  await menu.click()
  await drawer.getByRole('button', { name: 'Close menu' }).click()
  await expect(drawer).toBeHidden()
  await menu.click()
  await drawer.getByRole('link', { name: 'Deals' }).click()
  await expect(page).toHaveURL('/deals')
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('heading', { level: 1, name: 'Deals' })).toBeFocused()
  await menu.click()
  await drawer.getByRole('link', { name: 'Deals' }).click()
  await expect(drawer).toBeHidden()
})

/** Changes the address within the open document, because loading a document for each address would be slow. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'), dispatchEvent(new PopStateEvent('popstate'))`)
}
