// A lender whose CRM has none of the optional fields: its partners see nothing of them (D110–D116). Apart from what these
// decisions add, every page is the same.
import { isDeepStrictEqual } from 'node:util'
import { expect, type Page, type Request } from '@playwright/test'
import { FIELD_GROUPS } from '../../contract/src/field-groups.ts'
import { plainCrmUrl, plainPortalUrl } from '../addresses.ts'
import { actAsStaff } from '../lender.ts'
import { FORMS, OPEN_FORMS, pathOf, type Records, SCREENS } from '../pages.ts'
import { signUp } from '../partner.ts'
import { setUpFields, withProduct } from '../product.ts'
import { spend, signedOut as test } from '../session.ts'

test.skip(process.platform !== 'linux', 'the test needs /proc to find processes')

const WORDS =
  /[Pp]ayments?\b|[Cc]ommission|[Vv]erdict|[Pp]rotected|[Aa]greement|\bGST\b|From the lender|Your contact at/g
/**
 * What the fields add to pages, by the decision that says so: every such element that has the text, or a part with this
 * text. Everything else is the same.
 */
const ADDED = {
  'D110, entry': { every: 'nav a[href="/payments"]' },
  'D110, dashboard': { every: 'main p:has(> a[href="/payments"])' },
  'D110, deal': { every: 'main p', has: 'Commission $' },
  'D110, notifications': { every: 'main tr', has: 'Commission paid' },
  'D111, team': { every: 'main dl > div', has: 'Sees payments' },
  'D112, lead': { every: '[title^="The lender’s verdict: "]' },
  'D112, news': { every: 'main li', has: 'New Lead → Duplicate' },
  'D112, told': { every: 'main li', has: 'er’s verdict' },
  'D113, profile': { every: 'main form > div', part: 'label', is: 'ABN' },
  'D114, dashboard': { every: 'main p', has: 'Your contact at the lender' },
  'D114, record': { every: 'main section', part: 'h2', is: 'Your Contact at the Lender' },
}
/** Its texts are about every portal's API. */
const SAME_FOR_ALL = '/api-docs'
const PAGES = [...SCREENS, ...FORMS].filter(({ path }) => path !== SAME_FOR_ALL && path !== '/payments')
/** High enough for whole pages. */
const SIZES = [
  { width: 1440, height: 2_400 },
  { width: 390, height: 2_400 },
]
const LOADING = /^(Loading|Searching)/
interface Look {
  /** What of `ADDED` was there. */
  added: string[]
  isLoading: boolean
  lines: string[]
}
/**
 * Removes what the fields add, and reads what a picture of the page would show, one line an element. A picture takes much
 * longer, and cannot say what is different. All pages have the same style sheet, so its rules show as classes. A change
 * that has just arrived is drawn within two frames.
 */
const READ_LOOK = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => {
  const added = []
  const textOf = (one) => one.textContent.replace(/\\s+/g, ' ').trim()
  for (const [name, { every, has = '', part, is }] of Object.entries(${JSON.stringify(ADDED)})) {
    for (const one of document.querySelectorAll(every)) {
      const isIt = part ? [...one.querySelectorAll(part)].some((each) => textOf(each) === is) : textOf(one).includes(has)
      if (!isIt) continue
      one.remove()
      added.push(name)
    }
  }
  const isLoading = [...document.querySelectorAll('[role=status]')]
    .some((one) => ${LOADING}.test(one.ariaLabel ?? one.textContent.trim()) && one.checkVisibility({ visibilityProperty: true }))
  const lines = [...document.querySelectorAll('body *')]
    .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect()
      const { color, backgroundColor } = getComputedStyle(one)
      const attributes = ['class', 'style', 'd', 'src'].map((name) => one.getAttribute(name))
      const texts = [...one.childNodes].flatMap((child) => (child instanceof Text ? [child.data] : []))
      const entries = [one.value, one.placeholder, one.checked]
      return [one.localName, x, y, width, height, color, backgroundColor, ...attributes, ...texts, ...entries].join(' ')
    })
  return { added, isLoading, lines }
})`
const SETTLED_MS_MAX = 15_000
const LEAD = {
  firstName: 'Jo',
  lastName: 'Marsh',
  email: 'jo@saltbush.example',
  phone: '0491 570 156',
  businessName: 'Saltbush Transport',
}
const MANAGER = { Partner_Manager_Name: 'Noor Haddad', Partner_Manager_Phone: '0255501900' }

test('without the optional fields no page has a text, column, filter or entry of them; with them, only these are added', async ({
  page,
  playwright,
}) => {
  test.setTimeout(480_000)
  spend(page)
  const urls = { portalUrl: plainPortalUrl, crmUrl: plainCrmUrl }
  await withProduct(urls, async (dataDir, restart) => {
    const request = await playwright.request.newContext({ baseURL: plainPortalUrl })
    const { email, password } = await signUp(request)
    const { token } = await (await request.post('/api/auth/login', { data: { email, password } })).json()
    const headers = { authorization: `Bearer ${token}` }
    const read = async (path: string) => (await request.get(path, { headers })).text()
    const loids: string[] = []
    for (const businessName of ['Saltbush Transport', 'Cobbler Bay', 'Duplicate Freight']) {
      const answer = await request.post('/api/dashboard/leads', { headers, data: { ...LEAD, businessName } })
      loids.push((await answer.json()).data.loid)
    }
    const [newLoid = '', dealLoid = '', leadLoid = ''] = loids
    await expect(() => actAsStaff(`/leads/${leadLoid}/status`, { status: 'Duplicate' }, plainCrmUrl)).toPass()
    const deal = { name: 'Cobbler Bay', stage: 'Funded', amount: '50000' }
    await expect(() => actAsStaff(`/leads/${dealLoid}/convert`, deal, plainCrmUrl)).toPass()
    await request.post('/api/crm/sync', { headers })

    await expect(async () => {
      expect(await read(`/api/crm/lead/${leadLoid}`)).toContain('Duplicate"')
      expect(await read(`/api/crm/deal/${dealLoid}`)).toContain('Funded')
    }).toPass({ timeout: 30_000 })

    const walk = { token, records: { newLoid, dealLoid, leadLoid }, calls: new Set<Request>() }
    // Two walks are only alike with a clock that stands still, a font that does not come late, and news that stays new.
    await page.clock.setFixedTime(Date.now())
    // `page.route` would turn the browser's cache off, so that each page would compile its code again.
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setBlockedURLs', { urls: ['*.woff2', '*/api/dashboard/news/seen'] })
    // The answers to these calls may change the page. The live stream never ends.
    page.on('request', (call) => {
      if (/\/api\/(?!live)/.test(call.url())) walk.calls.add(call)
    })
    page.on('requestfinished', (call) => walk.calls.delete(call))
    page.on('requestfailed', (call) => walk.calls.delete(call))
    const without = await walkPages(page, walk)
    expect(without.words, 'without the fields').toEqual(new Set())
    await page.goto(`${plainPortalUrl}/leads/${leadLoid}`)
    await expect(page.getByText('The lender already knows this applicant')).toBeVisible()
    await page.goto(`${plainPortalUrl}/payments`)
    await page.waitForURL('**/dashboard')

    setUpFields({ ...urls, dataDir, groups: FIELD_GROUPS })
    await restart()
    await expect(async () => expect(await read('/api/profile')).toContain('gst_registered')).toPass({ timeout: 30_000 })
    const { data: profile } = JSON.parse(await read('/api/profile'))
    await actAsStaff(`/partners/${profile.zoho_id}/fields`, MANAGER, plainCrmUrl)
    await actAsStaff(`/leads/${leadLoid}/fields`, { Partner_Verdict: 'Already with us' }, plainCrmUrl)
    await actAsStaff(`/deals/${dealLoid}/fields`, { Partner_Commission: '500' }, plainCrmUrl)
    await expect(async () => {
      expect(await read(`/api/crm/lead/${leadLoid}`)).toContain('Already with us')
      expect(await read('/api/payments')).toContain('Cobbler Bay')
      const session = await request.post('/api/auth/verify', { data: { token } })
      expect(await session.text()).toContain(MANAGER.Partner_Manager_Name)
    }).toPass({ timeout: 30_000 })
    await request.dispose()

    const withFields = await walkPages(page, walk, without.looks)
    expect([...withFields.words]).toEqual(
      expect.arrayContaining(['Payments', 'Commission', 'verdict', 'GST', 'Your contact at']),
    )
    expect(withFields.differ, 'what else looks different').toEqual([])
    expect(
      Object.keys(ADDED).filter((name) => !withFields.added.has(name)),
      'additions on no page',
    ).toEqual([])
  })
})

/**
 * Goes through the pages, without `before` also through those for signed-out visitors. Returns the words of the optional
 * fields that stand in any page, also where nobody sees them; the looks of the pages without what the fields add; the
 * pages that look different from `before`, with the first line that does; and which additions were there.
 */
async function walkPages(
  page: Page,
  { token, records, calls }: { token: string; records: Records; calls: Set<Request> },
  before?: ReadonlyMap<string, string[]>,
) {
  const [words, added] = [new Set<string>(), new Set<string>()]
  const looks = new Map<string, string[]>()
  const differ: string[][] = []
  for (const screen of [...(before ? [] : OPEN_FORMS), ...PAGES]) {
    const path = pathOf(screen, records)
    const isForPeople = PAGES.includes(screen)
    if (screen === OPEN_FORMS[0] || screen === PAGES[0]) {
      await page.goto(`${plainPortalUrl}/favicon.svg`)
      await page.evaluate(
        isForPeople ? `localStorage.setItem('auth_token', ${JSON.stringify(token)})` : 'localStorage.clear()',
      )
    }
    calls.clear()
    const told = isForPeople && page.waitForResponse('**/api/auth/verify')
    await page.goto(plainPortalUrl + path)
    await told
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen.heading)
    await expect(page.getByRole('status', { name: LOADING })).toHaveCount(0)
    const html = await page.evaluate<string>("document.querySelector('#root').outerHTML")
    for (const [word] of html.matchAll(WORDS)) words.add(word)
    for (const size of isForPeople ? SIZES : []) {
      const name = `${path} ${size.width}`
      await page.setViewportSize(size)
      const look = await readSettledLook(page, calls, added, before?.get(name))
      looks.set(name, look)
      const other = before?.get(name) ?? look
      const at = look.findIndex((line, index) => line !== other[index])
      if (look.length !== other.length || at >= 0) differ.push([name, other[at] ?? '', look[at] ?? ''])
    }
  }
  return { words, looks, differ, added }
}

/** Reads the look without what the fields add until it is the wanted one, or two are alike and nothing is loading. */
async function readSettledLook(
  page: Page,
  calls: ReadonlySet<Request>,
  added: Set<string>,
  wanted?: string[],
): Promise<string[]> {
  let last: string[] | undefined
  for (const deadline = Date.now() + SETTLED_MS_MAX; Date.now() < deadline; ) {
    await expect.poll(() => calls.size, { intervals: [20] }).toBe(0)
    const look = await page.evaluate<Look>(READ_LOOK)
    for (const name of look.added) added.add(name)
    if (look.isLoading) continue
    if (isDeepStrictEqual(look.lines, wanted ?? last)) return look.lines
    last = look.lines
  }
  if (last && wanted) return last
  throw new Error('the page changes all the time')
}
