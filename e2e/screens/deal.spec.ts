import { expect, type Locator } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { type FreshPartner, test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const DEALS = /\/api\/crm\/deal\/[^/]+$/
const HISTORIES = /\/api\/crm\/deal\/[^/]+\/stage-history$/
const DAY = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}'

test('/deals/{loid} shows everything about a deal', async ({ page, partner }) => {
  const loid = await becomeDeal(partner)
  await actAsStaff(`/deals/${loid}/stage`, { stage: 'Approved' })
  await actAsStaff(`/deals/${loid}/notes`, { title: 'Call', content: 'Approved, papers go out today.' })
  await pullFromCrm(partner.token)

  await page.goto(`/deals/${loid}`)
  const header = page.getByRole('main').locator('header').first()
  await expect(header.getByRole('heading', { level: 1 })).toHaveText('Harakeke oven')
  await expect(header).toContainText(loid)
  await expect(header).toContainText('$250,000')
  await expect(header.locator('[data-variant=success]')).toHaveText('Approved')

  const contact = page.getByRole('region', { name: 'Contact Person' })
  await expect(contact).toContainText('Aroha Ngata')
  await expect(contact.getByRole('link', { name: 'aroha@harakeke.example' })).toHaveAttribute(
    'href',
    'mailto:aroha@harakeke.example',
  )
  await expect(contact.getByRole('link', { name: '+61 491 570 156' })).toHaveAttribute('href', 'tel:+61491570156')

  await test.step('the details can be collapsed', async () => {
    const details = page.getByRole('button', { name: 'Details' })
    const items = page.locator('section', { has: details }).locator('dl > div')
    await expect(details).toHaveAttribute('aria-expanded', 'true')
    await expect(items).toHaveText(
      [
        'Deal Name Harakeke oven',
        'Contact Name Aroha Ngata',
        'Amount $250,000',
        'Stage Approved',
        'Business Name Harakeke Cafe',
        'Loan Type Equipment Financing',
        'Loan Purpose A second oven',
        `LOID ${loid}`,
        'Lead Source Partner Portal',
        'Closing Date Mar 15, 2027',
        new RegExp(`^Created Date\\s${DAY}$`),
        'ISO AU',
        /^Submitted By\sKim Broking/,
      ],
      { useInnerText: true },
    )
    await details.press('Enter')
    await expect(details).toHaveAttribute('aria-expanded', 'false')
    await expect(items.first()).toBeHidden()
    await details.press('Enter')
    await expect(items.first()).toBeVisible()
  })

  await expect(page.getByRole('region', { name: 'Deal Summary' }).locator('dl > div')).toHaveText(
    ['Amount $250,000', 'Days Active 1 day'],
    { useInnerText: true },
  )
  const timeline = page.getByRole('region', { name: 'Timeline' })
  const part = async (name: string) => {
    await timeline.getByRole('radio', { name }).click()
    return timeline.getByRole('list', { name }).getByRole('listitem')
  }
  await expect(await part('Stage History')).toHaveText(
    [
      /^Approved\s+Latest\s+Maya Thornton · less than a day/,
      /^Waiting On Application\s+Maya Thornton · less than a day/,
    ],
    { useInnerText: true },
  )
  await expect(await part('Recent Activity')).toHaveText(
    [/^Last note added\s+Maya Thornton\s+Just now$/, /^Deal created\s+Just now$/],
    { useInnerText: true },
  )
  await expect((await part('Status History')).last()).toContainText('New Lead')

  await test.step('the partner adds a note, and the list shows it together with the lender’s note', async () => {
    const notes = await part('Notes')
    await expect(timeline.getByText('Notes (1)')).toBeVisible()
    await expect(notes).toContainText('Approved, papers go out today.')
    const mend = await breakAnswers(page, '**/api/crm/note', { status: 409, error: 'Closed' })
    await timeline.getByLabel('Add a note').fill('The client has signed')
    await timeline.getByRole('button', { name: 'Add Note' }).click()
    await expect(toasts(page)).toHaveText('Failed to add note: Closed')
    await mend()
    await timeline.getByRole('button', { name: 'Add Note' }).click()
    await expect(toasts(page).last()).toHaveText('Note added successfully')
    await expect(timeline.getByText('Notes (2)')).toBeVisible()
    await expect(notes.first()).toContainText('The client has signed')
    await expect(await part('Recent Activity')).toContainText(['Kim Broking', 'Deal created'])
  })

  await header.getByRole('link', { name: 'Back to Deals' }).click()
  await expect(page).toHaveURL('/deals')
})

test('/deals/{loid} re-syncs one deal', async ({ page, partner }) => {
  const loid = await becomeDeal(partner)
  await page.goto(`/deals/${loid}`)
  const resync = page.getByRole('button', { name: 'Re-sync' })
  const release = await holdAnswers(page, '**/api/dashboard/sync-deal/*')
  await resync.click()
  await expect(resync).toHaveAttribute('aria-busy', 'true')
  release()
  await expect(toasts(page)).toHaveText('Deal is up to date')
  await expectGoodLooks(page)

  await actAsStaff(`/deals/${loid}/stage`, { stage: 'Funded' })
  await resync.click()
  // The deal may be up to date already, because the CRM notifies the portal of the change.
  await expect(toasts(page).last()).toHaveText(/^Deal (updated: Funded, \$250,000|is up to date)$/)
  await expect(page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').first()).toContainText('Funded')
  await expect(page.getByRole('main').locator('header').first().locator('[data-variant=success]')).toHaveText('Funded')

  const refusals = [
    { refusal: { status: 502, error: 'The CRM is away' }, text: 'Sync failed: The CRM is away' },
    { refusal: { status: 502 }, text: 'Sync failed: Unknown error' },
    { refusal: undefined, text: 'Sync failed: Network error' },
  ]
  for (const { refusal, text } of refusals) {
    const mend = await breakAnswers(page, '**/api/dashboard/sync-deal/*', refusal)
    await resync.click()
    await expect(toasts(page).last()).toHaveText(text)
    await mend()
  }
})

test('on a phone, toasts cover neither the menu nor the Re-sync button of a deal', { tag: '@mobile' }, async ({
  page,
  partner,
}) => {
  const loid = await becomeDeal(partner)
  await page.goto(`/deals/${loid}`)
  const resync = page.getByRole('button', { name: 'Re-sync' })
  const reasons = ['away', 'busy', 'down'].map((how) => `The CRM is ${how}, and the portal repeats the request later`)
  for (const reason of reasons) {
    const mend = await breakAnswers(page, '**/api/dashboard/sync-deal/*', { status: 502, error: reason })
    // Presses a key, because a click would wait until no toast covers the button.
    await resync.press('Enter')
    await expect(toasts(page).last()).toHaveText(`Sync failed: ${reason}`)
    await mend()
  }
  const shown = toasts(page).filter({ visible: true })
  await expect(shown).toHaveText(reasons.slice(1).map((reason) => `Sync failed: ${reason}`))
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const { y: bar } = await boxOf(page.getByRole('navigation', { name: 'Shortcuts' }))
  for (const toast of await shown.all()) {
    const { y, height } = await boxOf(toast)
    expect(y + height).toBeLessThan(bar)
  }
  await toasts(page).last().getByRole('button', { name: 'Dismiss' }).click()
  await expect(toasts(page).filter({ hasText: 'down' })).toHaveCount(0)
})

test('/deals/{loid} shows that it is loading, reports failures and tries again', async ({ page, partner }) => {
  await keepUninformed(page)
  const loid = await becomeDeal(partner)
  const failure = page.getByRole('main').getByRole('alert')

  await test.step('while the deal is loading', async () => {
    const release = await holdAnswers(page, DEALS)
    await page.goto(`/deals/${loid}`)
    await expect(page.getByRole('status', { name: 'Loading deal' })).toBeVisible()
    await expectGoodLooks(page)
    release()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harakeke oven')
  })

  await test.step('when the history cannot be loaded', async () => {
    const mend = await breakAnswers(page, HISTORIES, { status: 403, error: 'Not now' })
    await page.reload()
    await page.getByRole('radio', { name: 'Stage History' }).click()
    const history = page.getByRole('region', { name: 'Stage History' })
    await expect(history.getByRole('alert')).toContainText('Failed to load stage history')
    await mend()
    await history.getByRole('button', { name: 'Try Again' }).click()
    await expect(history.getByText('Waiting On Application')).toBeVisible()
  })

  await test.step('when the deal cannot be loaded', async () => {
    const mend = await breakAnswers(page, DEALS, { status: 403, error: 'Not now' })
    await page.reload()
    await expect(failure).toContainText('Failed to load deal details')
    await expect(failure).toContainText('Not now')
    await expect(failure.getByRole('link', { name: 'Back to Deals' })).toHaveAttribute('href', '/deals')
    await expectGoodLooks(page)
    await mend()
    await failure.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harakeke oven')
  })

  await test.step('with an id that is invalid or unknown', async () => {
    await page.goto('/deals/%20')
    await expect(failure).toContainText('Invalid deal ID')
    await expect(failure.getByRole('link', { name: 'Back to Deals' })).toBeVisible()
    await page.goto('/deals/LO-00000000')
    await expect(failure).toContainText('Deal not found')
    await failure.getByRole('link', { name: 'Back to Deals' }).click()
    await expect(page).toHaveURL('/deals')
  })
})

/** Submits a lead, and converts it as the lender would. Returns the LOID, which both records share. */
async function becomeDeal(partner: FreshPartner): Promise<string> {
  const loid = await partner.submitLead({
    firstName: 'Aroha',
    lastName: 'Ngata',
    email: 'aroha@harakeke.example',
    businessName: 'Harakeke Cafe',
    loanType: 'Equipment Financing',
    loanPurpose: 'A second oven',
  })
  await actAsStaff(`/leads/${loid}/convert`, {
    name: 'Harakeke oven',
    stage: 'Waiting On Application',
    amount: '$250,000',
    closing: '2027-03-15',
  })
  await pullFromCrm(partner.token)
  return loid
}
