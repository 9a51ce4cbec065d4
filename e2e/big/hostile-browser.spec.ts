// What browsers do to pages (D149): they translate them, enlarge their text, replace their colours, store nothing for them
// and lack what others have.
import { createHash } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { portalUrl } from '../addresses.ts'
import { test as fresh } from '../fresh-partner.ts'
import { BUTTONS, expectSound, expectToBearLargeTextAndContrast, pressAll, translate } from '../hostile-browser.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'
import { listenForComplaints } from '../listen-for-complaints.ts'
import { mailedToken } from '../mailed-token.ts'
import { FORMS, OPEN_FORMS, pathOf, SCREENS, type Screen } from '../pages.ts'
import { signedOut, spend } from '../session.ts'

/** As Chrome behaves with 'Block all cookies'. */
const BLOCK_SITE_DATA = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied for this document.', 'SecurityError') } })`

/** A file with a row to mend, a row that is ready, and one like it. */
const FILE = `Company,First Name,Last Name,Email,Mobile,Loan Amount
Ironbark Joinery,Ben,Lee,ben@ironbark.example,491570157,25k
Clearview Glass,Ada,Okafor,ada@clearview.example,0491 570 156,50-60k
Harbour Cafe,Cleo,Ng,cleo@harbour.example,0491 570 158,10k
Harbour Cafe,Cleo,Ng,cleo@harbour.example,0491 570 158,
`

fresh('a translated page survives each of its buttons and each live change', async ({ page, partner, request }) => {
  fresh.setTimeout(480_000)
  spend(page)
  await page.addInitScript('delete window.BroadcastChannel')
  const complaints = listenForComplaints(page)
  const lead = await partner.submitLead()
  const deal = await partner.submitLead({ businessName: 'Coastal Concrete' })
  await actAsStaff(`/leads/${deal}/convert`, {
    name: 'Coastal Concrete',
    stage: 'Approved',
    amount: '90000',
    closing: '2027-03-15',
  })
  await actAsStaff(`/leads/${lead}/notes`, { title: 'Call', content: 'Please send the last three bank statements.' })
  const untouched = await partner.submitLead({ businessName: 'Kauri Joinery' })
  // What pages came to have later: payments, requests, documents, named keys, views and a file of leads.
  const payment = {
    Partner_Commission: '900',
    Commission_Status: 'Payable',
    Commission_Paid_On: '',
    Commission_Note: '',
  }
  await actAsStaff(`/deals/${deal}/fields`, payment)
  await actAsStaff(`/leads/${lead}/tasks`, { subject: 'Partner: Rates notice', description: 'To value it.', due: '' })
  await actAsStaff(`/deals/${deal}/tasks`, { subject: 'Partner: Tax return', description: '', due: '2027-01-31' })
  await pullFromCrm(partner.token)
  const headers = { authorization: `Bearer ${partner.token}` }
  await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
  const token = mailedToken('verify-email', partner.email)
  expect((await request.post('/api/auth/verify-email', { headers, data: { token } })).status()).toBe(200)
  for (const loid of [lead, deal]) {
    const file = { name: 'rates.txt', size: 5, sha256: createHash('sha256').update(loid).digest('hex') }
    expect((await request.post(`/api/crm/documents/${loid}`, { headers, data: file })).status()).toBe(200)
  }
  const made: [path: string, data: object][] = [
    ['api-keys', { name: 'Website', rights: ['submit'] }],
    ['views', { list: 'leads', name: 'Contacted', query: 'status=Contacted' }],
    ['views', { list: 'deals', name: 'Funded', query: 'stage=Funded' }],
  ]
  for (const [path, data] of made)
    expect((await request.post(`/api/dashboard/${path}`, { headers, data })).ok()).toBe(true)
  const file = { headers: { ...headers, 'content-type': 'application/octet-stream' }, data: Buffer.from(FILE) }
  expect((await request.post('/api/dashboard/leads/imports?name=clients.csv', file)).status()).toBe(201)
  /** What the lender does while the page is open, and the word that the page then shows. */
  const changes: Record<string, [path: string, field: string, word: string]> = {
    '/dashboard': [`/leads/${lead}/status`, 'status', 'Pre Call'],
    '/leads': [`/leads/${lead}/status`, 'status', 'Contacted'],
    [`/leads/${lead}`]: [`/leads/${lead}/status`, 'status', 'Unable to Contact'],
    '/deals': [`/deals/${deal}/stage`, 'stage', 'Settlement'],
    [`/deals/${deal}`]: [`/deals/${deal}/stage`, 'stage', 'Funded'],
  }
  for (const [position, screen] of [...SCREENS, ...FORMS].entries()) {
    const path = pathOf(screen, { leadLoid: lead, dealLoid: deal, newLoid: untouched })
    await fresh.step(path, async () => {
      await open(page, path, screen)
      await expectToBearLargeTextAndContrast(page)
      await translate(page)
      // The bars around a page are the same on all pages.
      await pressAll(page, position === 0 ? BUTTONS : `main ${BUTTONS}`)
      const [at, field, word] = changes[path] ?? []
      if (at && field && word) {
        await actAsStaff(at, { [field]: word })
        await expect(page.getByRole('main').getByText(word).filter({ visible: true }).first()).toBeVisible()
      }
      await expectSound(page, complaints)
    })
  }
})

signedOut('a translated page of a signed-out visitor survives each of its buttons', async ({ page }) => {
  const complaints = listenForComplaints(page)
  for (const screen of OPEN_FORMS) {
    const path = String(screen.path)
    await signedOut.step(path, async () => {
      await open(page, path, screen)
      await expectToBearLargeTextAndContrast(page)
      await translate(page)
      await pressAll(page, BUTTONS)
      await expectSound(page, complaints)
    })
  }
})

signedOut('a browser that blocks site data is told so on every page', async ({ page }) => {
  spend(page)
  await page.addInitScript(BLOCK_SITE_DATA)
  for (const screen of [...OPEN_FORMS, ...SCREENS, ...FORMS]) {
    await page.goto(pathOf(screen, { leadLoid: 'LO-00000000', dealLoid: 'LO-00000000', newLoid: 'LO-00000000' }))
    await expect(page.getByRole('alert')).toHaveText(
      `Your browser blocks site data for ${new URL(portalUrl).host}. Allow cookies and site data for this site, then reload the page.`,
    )
  }
})

async function open(page: Page, path: string, { heading }: Screen) {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  await expect(page.getByRole('status', { name: /^(Loading|Searching)/ })).toHaveCount(0)
}
