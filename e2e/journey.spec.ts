import { expect, type Page } from '@playwright/test'
import { crmUrl, portalUrl } from './addresses.ts'
import { hastenMails } from './hasten-mails.ts'
import { actAsStaff } from './lender.ts'
import { findMail, mailedToken } from './mailed-token.ts'
import { newAccount, signIn } from './partner.ts'
import { signedOut as test } from './session.ts'
import { submitOnPage } from './submit-on-page.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const ASKED = 'Please send the last three bank statements.'

test('a lead travels from the form to the CRM and back as a funded deal', { tag: '@everywhere' }, async ({
  page,
  context,
  isMobile,
}) => {
  const partner = newAccount()
  const business = `Saltbush Transport ${partner.number}`

  await test.step('a newcomer signs up and signs in', async () => {
    await page.goto('/')
    await expect(page).toHaveURL(/\/login$/)
    await page.getByRole('link', { name: 'Create Partner Account' }).click()
    await page.getByLabel('First name').fill('Kim')
    await page.getByLabel('Email').fill(partner.email)
    await page.getByLabel('Business name').fill(partner.businessName)
    await page.getByLabel('Password', { exact: true }).fill(partner.password)
    await page.getByLabel('Confirm password').fill(partner.password)
    await page.getByRole('button', { name: /create/i }).click()
    await expect(page).toHaveURL(/\/login$/)
    await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
    const data = { token: mailedToken('verify-email', partner.email), password: partner.password }
    expect((await page.request.post('/api/auth/verify-email', { data })).status()).toBe(200)
    await signIn(page, partner)
    const welcome = page.getByText(`Welcome back, ${partner.businessName}!`)
    if (!isMobile) await expect(welcome).toBeVisible()
    await expect(page).toHaveURL(/\/dashboard$/)
    // On a phone it would cover the figures.
    if (isMobile) await expect(welcome).toBeHidden({ timeout: 1_000 })
  })

  const loid = await test.step('the newcomer submits a lead', async () => {
    await page.getByRole('link', { name: 'Submit Your First Lead' }).click()
    const submitted = await submitOnPage(page, business, 'Equipment Financing')
    await expect(page.getByText('Lead submitted successfully')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toContainText(business)
    await expect(page.getByText('$250,000').first()).toBeVisible()
    return submitted
  })

  await test.step('the lead arrives in the CRM, and the newcomer adds a note', async () => {
    await expect(page.getByText('Waiting for CRM')).toHaveCount(0)
    await page.getByPlaceholder('Write a note…').fill('Please call after 3 pm.')
    await page.getByRole('button', { name: 'Add Note' }).click()
    await expect(page.getByText('Note added successfully')).toBeVisible()
  })

  const lender = await context.newPage()
  await test.step('the lender sets a status and writes a note, and the open page shows both', async () => {
    await lender.goto(`${crmUrl}/leads/${loid}`)
    await expect(lender.getByRole('heading', { level: 1 })).toHaveText(business)
    await expect(async () => {
      await lender.reload()
      await expect(lender.getByText('Please call after 3 pm.')).toBeVisible({ timeout: 500 })
    }).toPass()
    await lender.getByLabel('Lead status').selectOption({ label: 'Contacted' })
    await lender.getByRole('button', { name: 'Save status' }).click()
    await expect(page.locator('header [data-changed]').getByText('Contacted')).toBeVisible()
    await actAsStaff(`/leads/${loid}/notes`, { title: 'Partner', content: ASKED })
    await expect(page.getByRole('list', { name: 'Timeline' }).getByText(ASKED)).toBeVisible()
  })

  await test.step('the partner syncs and reads the status and its history', async () => {
    await openFromMenu(page, 'Leads')
    await sync(page, 'Sync from CRM')
    await page.getByRole('link', { name: `View ${business}` }).click()
    await expect(page).toHaveURL(new RegExp(`/leads/${loid}$`))
    await page.getByRole('radio', { name: 'Status History' }).click()
    const history = page.getByRole('list', { name: 'Status History' })
    await expect(history.getByText('Contacted')).toBeVisible()
    await expect(history.getByText('New Lead')).toBeVisible()
    await expect(history.getByText('Latest')).toHaveCount(1)
  })

  await test.step('the lender converts the lead', async () => {
    await lender.goto(`${crmUrl}/leads/${loid}`)
    await lender.getByRole('button', { name: 'Convert lead' }).click()
    await expect(lender.getByText('Lead converted to a deal.')).toBeVisible()
  })

  await test.step('the open page becomes the page of the deal, and the lead moves from the list of leads to the list of deals', async () => {
    await expect(page.getByText(`${business} became a deal`)).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`/deals/${loid}$`))
    await openFromMenu(page, 'Leads')
    await sync(page, 'Sync from CRM')
    await expect(page.getByRole('link', { name: business })).toHaveCount(0)
    await openFromMenu(page, 'Deals')
    await page
      .getByRole('link', { name: new RegExp(business) })
      .first()
      .click()
    await expect(page).toHaveURL(new RegExp(`/deals/${loid}$`))
    await expect(page.getByRole('list', { name: 'Timeline' }).getByText('Please call after 3 pm.')).toBeVisible()
  })

  await test.step('the lender moves the deal to Funded, and the open dashboard shows it', async () => {
    await openFromMenu(page, 'Dashboard')
    await expect(bell(page)).toHaveAccessibleName('What is new')
    await lender.goto(`${crmUrl}/deals/${loid}`)
    await lender.getByLabel('Deal stage').selectOption({ label: 'Funded' })
    await lender.getByRole('button', { name: 'Save stage' }).click()
    await expect(bell(page)).toHaveAccessibleName('What is new: 1')
    const news = page.getByRole('region', { name: /^Since you were here/ })
    await expect(news.getByRole('link', { name: business })).toContainText('→ Funded')
    await expect(page.getByText('1 won')).toBeVisible()
    await expect(page.getByText('100.0%').first()).toBeVisible()
    await expect(async () => {
      await hastenMails(partner.email)
      expect(findMail(partner.email, `${portalUrl}/deals/${loid}`, 'Funded')).toBeDefined()
    }).toPass({ timeout: 30_000 })
    await page.goto(`/leads/${loid}`)
    await expect(page).toHaveURL(new RegExp(`/deals/${loid}$`))
    await expect(page.getByRole('list', { name: 'Timeline' }).getByText('Funded')).toBeVisible()
    // A page that is only visible is not read.
    await page.keyboard.press('Shift')
    await expect(bell(page)).toHaveAccessibleName('What is new')
  })

  await test.step('after sign-in a mailed link opens the deal', async () => {
    const link = `/deals/${loid}`
    await page.evaluate(() => localStorage.clear())
    await page.goto(link)
    await expect(page).toHaveURL(/\/login$/)
    await page.getByLabel('Email').fill(partner.email)
    await page.getByLabel('Password', { exact: true }).fill(partner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(link)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(business)
  })
})

function bell(page: Page) {
  return page.getByRole('button', { name: /^What is new/ })
}

async function sync(page: Page, name: string) {
  await page.getByRole('button', { name }).click()
  await expect(page.getByText(/^Sync complete/).last()).toBeVisible()
}

/** Opens a page from the sidebar, which is a drawer on a phone. */
async function openFromMenu(page: Page, name: string) {
  const toggle = page.getByRole('button', { name: 'More' })
  const isPhone = await toggle.isVisible()
  if (isPhone) await toggle.click()
  const menu = isPhone ? page.getByRole('dialog', { name: 'Menu' }) : page.getByRole('complementary')
  await menu.getByRole('link', { name: new RegExp(`^${name}`) }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}
