// A lender whose CRM has none of the optional fields: its partners see nothing of them (D110–D116).
import { expect, type Page } from '@playwright/test'
import { plainCrmUrl, plainPortalUrl, portalUrl } from './addresses.ts'
import { actAsStaff } from './lender.ts'
import { FORMS, OPEN_FORMS, pathOf, type Records, SCREENS } from './pages.ts'
import { signUp } from './partner.ts'
import { withProduct } from './product.ts'
import { test } from './session.ts'

test.skip(process.platform !== 'linux', 'the test needs /proc to find processes')

const WORDS =
  /[Pp]ayments?\b|[Cc]ommission|[Vv]erdict|[Pp]rotected|[Aa]greement|\bGST\b|From the lender|Your contact at/g
/** Its texts are about every portal's API. */
const SAME_FOR_ALL = '/api-docs'
const PAGES = [...SCREENS, ...FORMS].filter(({ path }) => path !== SAME_FOR_ALL && path !== '/payments')
const LEAD = {
  firstName: 'Jo',
  lastName: 'Marsh',
  email: 'jo@saltbush.example',
  phone: '0491 570 156',
  businessName: 'Saltbush Transport',
}

test('without the optional fields no page has a text, column, filter or entry of them; with them, they are there', async ({
  page,
  demo,
  playwright,
}) => {
  test.setTimeout(180_000)
  await withProduct({ portalUrl: plainPortalUrl, crmUrl: plainCrmUrl }, async () => {
    const request = await playwright.request.newContext({ baseURL: plainPortalUrl })
    const { email, password } = await signUp(request)
    const { token } = await (await request.post('/api/auth/login', { data: { email, password } })).json()
    const headers = { authorization: `Bearer ${token}` }
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

    const found = await findWords(page, { url: plainPortalUrl, token, records: { newLoid, dealLoid, leadLoid } })
    expect(found, 'without the fields').toEqual(new Set())
    await page.goto(`${plainPortalUrl}/leads/${leadLoid}`)
    await expect(page.getByText('The lender already knows this applicant')).toBeVisible()
    await page.goto(`${plainPortalUrl}/payments`)
    await page.waitForURL('**/dashboard')
    await request.dispose()
  })
  const found = await findWords(page, { url: portalUrl, token: demo.token, records: demo })
  expect([...found]).toEqual(expect.arrayContaining(['Payments', 'Commission', 'verdict', 'GST', 'Your contact at']))
})

/** The words of the optional fields that stand in any page, also where nobody sees them. */
async function findWords(page: Page, { url, token, records }: { url: string; token: string; records: Records }) {
  const found = new Set<string>()
  for (const screen of [...OPEN_FORMS, ...PAGES]) {
    await page.goto(`${url}/api/health`)
    const isForPeople = PAGES.includes(screen)
    await page.evaluate(
      isForPeople ? `localStorage.setItem('auth_token', ${JSON.stringify(token)})` : 'localStorage.clear()',
    )
    const told = isForPeople && page.waitForResponse('**/api/auth/verify')
    await page.goto(url + pathOf(screen, records))
    await told
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen.heading)
    await expect(page.getByRole('status', { name: /^(Loading|Searching)/ })).toHaveCount(0)
    const html = await page.evaluate<string>("document.querySelector('#root').outerHTML")
    for (const [word] of html.matchAll(WORDS)) found.add(word)
  }
  return found
}
