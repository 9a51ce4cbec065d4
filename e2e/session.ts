import { type BrowserContext, test as base, type Page } from '@playwright/test'
import { listDeals } from '../contract/src/deals.ts'
import { listLeads } from '../contract/src/leads.ts'
import { DEMO_SIGN_IN } from '../server/src/features/accounts/demo-sign-in.ts'
import { portalUrl } from './addresses.ts'
import type { Records } from './pages.ts'

export interface Demo extends Records {
  token: string
}

interface Session {
  /** The token of the signed-in person; undefined for a signed-out page. */
  token: string | undefined
}

interface Worker {
  demo: Demo
  /** The browser contexts that tests share, keyed by the options that differ between tests. */
  windows: Map<string, BrowserContext>
}

/**
 * A document on the portal's origin that runs no script. It has the headers of pages, because the browser starts another
 * process whenever it goes from pages to a document without them.
 */
const BLANK = `${portalUrl}/favicon.svg`
const LISTENED_TO = ['console', 'load', 'pageerror', 'request']

const spent = new WeakSet<BrowserContext>()

/**
 * Closes the page's window after this test. A test calls this if it leaves a faked clock, an injected script or an
 * emulated device in the window, or if it closes the window.
 */
export function spend(page: Page): void {
  spent.add(page.context())
}

/** Lets pages use the portal's font from the first paint. Where the document is slow, a first visit does without it. */
export async function expectFont(page: Page): Promise<void> {
  await page.evaluate(`localStorage.setItem('portal-font', '')`)
}

/**
 * Gives each test its worker's window, which looks like a new one. The browser has already compiled the portal's code,
 * which saves half a second per test. All tests use this fixture, because Playwright starts another browser for a test
 * with other worker fixtures.
 */
export const signedOut = base.extend<Session, Worker>({
  token: [undefined, { option: true }],
  windows: [({ browserName: _ }, use) => use(new Map()), { scope: 'worker' }],
  context: async ({ browser, windows, baseURL, permissions, contextOptions }, use) => {
    const kind = JSON.stringify([baseURL, permissions, contextOptions])
    const context = windows.get(kind) ?? (await browser.newContext())
    windows.set(kind, context)
    await use(context)
    if (!spent.has(context)) return
    windows.delete(kind)
    await context.close()
  },
  page: async ({ context, token, viewport, contextOptions }, use, info) => {
    const page = context.pages()[0] ?? (await context.newPage())
    if (page.url() !== BLANK) await page.goto(BLANK)
    await context.clearCookies()
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    if (token !== undefined) await page.evaluate(`localStorage.setItem('auth_token', ${JSON.stringify(token)})`)
    await use(page)
    if (page.isClosed()) return
    if (info.status !== info.expectedStatus) {
      await info.attach('the page after the failure', {
        body: await page.locator(':root').ariaSnapshot({ timeout: 5_000 }),
      })
    }
    if (spent.has(context)) return
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    for (const event of LISTENED_TO) page.removeAllListeners(event)
    for (const other of context.pages()) if (other !== page) await other.close()
    await page.goto(BLANK)
    await page.mouse.move(0, 0)
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: contextOptions.reducedMotion ?? null })
    if (viewport) await page.setViewportSize(viewport)
  },
  demo: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: portalUrl })
      const { token } = await (await request.post('/api/auth/login', { data: DEMO_SIGN_IN })).json()
      const headers = { authorization: `Bearer ${token}` }
      const ask = async (what: string) => (await (await request.get(`/api/dashboard/${what}`, { headers })).json()).data
      const [leads, deals] = await Promise.all(['leads', 'deals'].map(ask))
      const { leads: all } = listLeads.answer.parse(leads)
      const [deal] = listDeals.answer.parse(deals).deals
      const untouched = all.find(({ lead_status, submitted_by }) => lead_status === 'New Lead' && submitted_by)
      await use({
        token,
        leadLoid: all[0]?.loid ?? '',
        dealLoid: deal?.loid ?? '',
        newLoid: untouched?.loid ?? '',
      })
      await request.dispose()
    },
    { scope: 'worker' },
  ],
})

/** Signs the demo partner in on every page. Tests only read the demo's data, because all of them share it. */
export const test = signedOut.extend({ token: ({ demo }, use) => use(demo.token) })
