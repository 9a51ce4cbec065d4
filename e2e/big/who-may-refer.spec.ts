import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { approvalCrmUrl, approvalPortalUrl, inviteCrmUrl, invitePortalUrl } from '../addresses.ts'
import { expectGoodLooks, expectGoodLooksInBothThemes } from '../expect-good-looks.ts'
import { expectSound, expectToBearLargeTextAndContrast, pressAll, translate } from '../hostile-browser.ts'
import { listenForComplaints } from '../listen-for-complaints.ts'
import { mailedToken } from '../mailed-token.ts'
import { openLive } from '../open-live.ts'
import { newAccount, signIn } from '../partner.ts'
import { withProduct } from '../product.ts'
import { spend, signedOut as test } from '../session.ts'

test.skip(process.platform !== 'linux', 'the test needs /proc to find processes')

const AGREEMENT = `---
version: 2027-1
required_from: 2026-01-01
---
# Terms for partners

You refer applicants **with their consent**:

- to pass on their details
- to be called by us
`
const ANNOUNCEMENT = '**Christmas hours.** We are back on [4 January](https://lender.example).'
const ADD_UP_SHIFTS = `
  window.shift = 0
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value })).observe({ type: 'layout-shift', buffered: true })`
const REASON = 'Your email about the user agreement is outstanding. Call us on 02 5550 1900.'

test.describe('by approval', () => {
  test.use({ baseURL: approvalPortalUrl })

  test('a partner signs up, waits for the lender’s team, works once it is active, and reads why it is suspended', async ({
    page,
    context,
  }) => {
    test.setTimeout(480_000)
    await withProduct(lenderWith('approval', approvalPortalUrl, approvalCrmUrl), async (dataDir) => {
      const outbox = path.join(dataDir, 'outbox')
      const account = newAccount()
      await page.goto('/signup')
      await page.getByLabel('Email').fill(account.email)
      await page.getByLabel('Business name').fill(account.businessName)
      await page.getByLabel('Password', { exact: true }).fill(account.password)
      await page.getByLabel('Confirm password').fill(account.password)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.waitForURL('**/login')
      await signIn(page, account)
      await expect.poll(() => mailedToken('verify-email', account.email, outbox), { timeout: 30_000 }).toBeTruthy()
      await page.goto(`/verify-email?token=${mailedToken('verify-email', account.email, outbox)}`)
      await expect(page.getByText('Your email address is verified.')).toBeVisible()
      await openLive(page, '/dashboard')
      await expect(page.getByText('Your lender will confirm your account.')).toBeVisible()

      // The lender's team finds the partner on the staff page, and lets it in.
      const staff = await context.newPage()
      await staff.goto(`${approvalCrmUrl}/partners`)
      await staff.getByRole('link', { name: account.businessName, exact: true }).click()
      await expect(staff.getByRole('combobox', { name: 'Portal Access' })).toHaveValue('Pending')
      await setAccess(staff, 'Active')
      await page.bringToFront()
      await expect(page.getByText('Your lender will confirm your account.')).toBeHidden({ timeout: 15_000 })

      await acceptAgreement(page)

      await staff.getByRole('textbox', { name: 'Portal Access Reason' }).fill(REASON)
      await setAccess(staff, 'Suspended')
      await page.bringToFront()
      await page.waitForURL('**/login', { timeout: 15_000 })
      await page.getByLabel('Email').fill(account.email)
      await page.getByLabel('Password', { exact: true }).fill(account.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByRole('alert')).toHaveText(REASON)
      await expectGoodLooksInBothThemes(page)
    })
  })
})

test.describe('by invitation', () => {
  test.use({ baseURL: invitePortalUrl })

  test('nobody signs up by form; the lender’s team invites a partner, whose first owner signs in by the mailed link', async ({
    page,
    context,
  }) => {
    test.setTimeout(480_000)
    await withProduct(lenderWith('invite', invitePortalUrl, inviteCrmUrl), async (dataDir) => {
      const outbox = path.join(dataDir, 'outbox')
      await page.goto('/login')
      await expect(page.getByText('New here? Ask your lender for an invitation.')).toBeVisible()
      await expectGoodLooks(page)
      await page.goto('/signup')
      await expect(page.getByRole('heading', { name: 'Ask your lender for an invitation' })).toBeVisible()
      await expect(page.getByRole('textbox')).toHaveCount(0)
      await expectGoodLooks(page)

      const account = newAccount()
      const staff = await context.newPage()
      await staff.goto(`${inviteCrmUrl}/partners/new`)
      await staff.getByLabel('Name', { exact: true }).fill(account.businessName)
      await staff.getByLabel('Email').fill(account.email)
      await staff.getByLabel('First name').fill('Ada')
      await staff.getByRole('button', { name: 'Create partner' }).click()
      await setAccess(staff, 'Invited')

      await expect.poll(() => mailedToken('invite', account.email, outbox), { timeout: 30_000 }).toBeTruthy()
      await page.bringToFront()
      await page.goto(`/invite?token=${mailedToken('invite', account.email, outbox)}`)
      await expect(page.getByRole('heading', { name: `Join ${account.businessName}` })).toBeVisible()
      await expect(page.getByText(`Hello Ada, choose a password for ${account.email}`)).toBeVisible()
      await expectGoodLooks(page)
      await page.getByLabel('Password', { exact: true }).fill(account.password)
      await page.getByLabel('Confirm password').fill(account.password)
      await page.getByRole('button', { name: 'Accept Invitation' }).click()
      await page.waitForURL('**/dashboard')
      await expect(page.getByText(account.businessName).first()).toBeVisible()
    })
  })
})

/** Reads the lender's texts, which push nothing down on a second visit, in a browser that translates them, and accepts. */
async function acceptAgreement(page: Page): Promise<void> {
  spend(page)
  const complaints = listenForComplaints(page)
  const agreement = page.getByRole('region', { name: 'The text of the agreement' })
  const announcement = page.getByRole('region', { name: 'From the lender' })
  const notice = page.getByRole('link', { name: 'Read and accept' })
  await page.addInitScript(ADD_UP_SHIFTS)
  // The page knows how high the notices were.
  for (const isKnown of [false, true]) {
    await page.goto('/leads')
    await expect(announcement).toBeVisible()
    await expect(notice).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No leads found' })).toBeVisible()
    if (isKnown) expect(await page.evaluate<number>('shift'), 'layout shift').toBeLessThan(0.02)
  }
  await notice.click()
  await expect(agreement.getByRole('heading', { name: 'Terms for partners' })).toBeVisible()
  await expect(announcement).toContainText('Christmas hours.')
  await expectGoodLooksInBothThemes(page)
  await expectToBearLargeTextAndContrast(page)
  await translate(page)
  await page.getByRole('checkbox', { name: 'I have read this agreement' }).check()
  await pressAll(page, 'main button')
  await expectSound(page, complaints)
  await expect(notice).toHaveCount(0)
  await expect(announcement).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Accepted' })).toContainText('Version 2027-1')
}

/** Chooses the word of the partner whose staff page is open. */
async function setAccess(staff: Page, word: string): Promise<void> {
  await staff.getByRole('combobox', { name: 'Portal Access' }).selectOption(word)
  await staff.getByRole('button', { name: 'Save fields' }).click()
}

/** A lender that has an agreement and a notice, and whose CRM has the field for its word. */
function lenderWith(signUp: string, portalUrl: string, crmUrl: string): Parameters<typeof withProduct>[0] {
  return {
    portalUrl,
    crmUrl,
    groups: ['access'],
    settings(folder) {
      const [AGREEMENT_FILE, ANNOUNCEMENT_FILE] = [path.join(folder, 'agreement.md'), path.join(folder, 'news.md')]
      writeFileSync(AGREEMENT_FILE, AGREEMENT)
      writeFileSync(ANNOUNCEMENT_FILE, ANNOUNCEMENT)
      return { SIGNUP: signUp, AGREEMENT_FILE, ANNOUNCEMENT_FILE }
    },
  }
}
