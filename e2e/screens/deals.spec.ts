import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { type Deal, listDeals } from '../../contract/src/deals.ts'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { type FreshPartner, test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const LISTS = /\/api\/dashboard\/deals\?/
const SYNCS = '**/api/dashboard/sync-deals'

test('/deals lists, sorts, filters and pages through deals', async ({ page, request, partner }) => {
  await submitDeals(request, partner, 20)
  const loid = await submitDeal(request, partner, {
    business_name: 'Wattle Nursery',
    deal_name: 'Wattle greenhouse',
    contact_name: 'Ruth Schultz',
    amount: 275_000.4,
    loan_type: 'Asset Based Lending',
  })
  await whenPushed(request, partner)
  await actAsStaff(`/deals/${loid}/stage`, { stage: 'Funded' })
  await pullFromCrm(partner.token)
  const deals = await readDeals(request, partner, { limit: '20' })
  const rows = rowsOf(page)

  await test.step('a page shows twenty deals and their totals', async () => {
    await page.goto('/deals')
    await expect(rows).toHaveCount(20)
    const amounts = deals.map(({ amount }) => amount ?? 0)
    const total = amounts.reduce((sum, amount) => sum + amount, 0)
    await expect(page.getByLabel('Deals on this page').locator('> div')).toHaveText(
      [
        'Total Deals 20 on this page',
        'Won Deals 1 5.0% win rate',
        `Total Value ${dollars(total)} on this page`,
        `Avg Deal Size ${dollars(total / 20)} per deal`,
      ],
      { useInnerText: true },
    )
    await expect(page.getByRole('columnheader')).toHaveText([
      'Deal Name',
      'LOID',
      'Business',
      'Amount',
      'Loan Type',
      'Stage',
      'Created',
      'View',
    ])
    const wattle = rows.filter({ hasText: loid })
    await expect(wattle.getByRole('cell')).toHaveText(
      [
        'New: Wattle greenhouse Ruth Schultz',
        loid,
        'Wattle Nursery',
        '$275,000',
        'Asset Based Lending',
        /^Funded\s*(Just now|1 minute ago)$/,
        /^[A-Z][a-z]{2} \d{1,2}, \d{4}\s+by Kim Broking/,
        '',
      ],
      { useInnerText: true },
    )
    await expect(wattle.locator('[data-variant=success]')).toHaveText('Funded')
  })

  await test.step('the first click on a column sorts descending, the second ascending', async () => {
    const header = (name: string) => page.getByRole('columnheader', { name })
    await expect(header('Created')).toHaveAttribute('aria-sort', 'descending')
    for (const [name, column] of Object.entries(SORTABLE)) {
      await header(name).getByRole('button').click()
      await expect(header(name)).toHaveAttribute('aria-sort', 'descending')
      await expect(page).toHaveURL(`/deals?sort=-${column}`)
    }
    for (const name of ['Business', 'Loan Type']) await expect(header(name).getByRole('button')).toHaveCount(0)

    const amounts = deals.map(({ amount }) => amount ?? 0).toSorted((one, other) => other - one)
    const shown = rows.locator('td:nth-child(4)')
    const byAmount = page.getByRole('button', { name: 'Sort by Amount' })
    await expect(byAmount).toHaveAttribute('aria-pressed', 'false')
    await byAmount.click()
    await expect(byAmount).toHaveAttribute('aria-pressed', 'true')
    await expect(shown).toHaveText(amounts.map(dollars))
    await header('Amount').getByRole('button').click()
    await expect(page).toHaveURL('/deals?sort=amount')
    await expect(shown).toHaveText(amounts.toReversed().map(dollars))
  })

  await test.step('“Next” and “Previous” turn the pages', async () => {
    await page.goto('/deals')
    const previous = page.getByRole('button', { name: 'Previous' })
    const next = page.getByRole('button', { name: 'Next' })
    await expect(previous).toBeDisabled()
    await next.click()
    await expect(page).toHaveURL('/deals?page=2')
    await expect(rows).toHaveCount(1)
    await expect(page.getByText(/^21 of 21$/)).toBeVisible()
    await expect(next).toBeDisabled()
    await previous.click()
    await expect(page).toHaveURL('/deals')
    await page.goto('/deals?page=3')
    await expect(page.getByText('This page is past the last one')).toBeVisible()
    await expect(previous).toBeEnabled()
  })

  await test.step('filters are part of the address', async () => {
    await page.goto('/deals')
    await page.getByRole('button', { name: 'Filters' }).click()
    const stage = page.getByLabel('Stage', { exact: true })
    // The options are the CRM's stages, including the stages named after other lenders.
    await expect(stage.getByRole('option')).toContainText(['All stages', 'Thrown To ', 'With ', 'Funded', 'Closed'])
    await stage.selectOption('Funded')
    await expect(page).toHaveURL('/deals?stage=Funded')
    await expect(rows).toHaveCount(1)
    await expect(page.getByRole('navigation', { name: 'Pagination' })).toHaveCount(0)
    await page.getByLabel('Min Amount').fill('150k')
    await page.getByLabel('Min Amount').press('Enter')
    await expect(page).toHaveURL(/minAmount=150000/)
    await expect(page.getByLabel('Min Amount')).toHaveValue('$150,000')
    await page.getByLabel('Date From').fill('2026-01-01')
    await page.getByLabel('Date To').fill('2126-01-01')
    await expect(page.getByRole('button', { name: /Filters.*4 active/ })).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Date To')).toHaveValue('2126-01-01')
    await expect(rows).toHaveCount(1)
    await page.getByLabel('Date To').fill('2026-01-02')
    await expect(page.getByText('No deals found')).toBeVisible()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(page).toHaveURL('/deals')
    await expect(rows).toHaveCount(20)
    await expect(page.getByRole('button', { name: 'Clear Filters' })).toBeDisabled()
  })

  await test.step('a search finds a deal, and a click on the deal’s row or link opens it', async () => {
    await page.getByRole('searchbox', { name: 'Search deals' }).fill('  nobody has this name ')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await expect(page.getByRole('searchbox', { name: 'Search deals' })).toHaveValue('')
    await page.getByRole('searchbox', { name: 'Search deals' }).fill('ruth nursery')
    await page.getByRole('searchbox', { name: 'Search deals' }).press('Enter')
    await expect(page).toHaveURL('/deals?search=ruth+nursery')
    await expect(rows).toHaveCount(1)
    await rows.getByText('Asset Based Lending').click()
    await expect(page).toHaveURL(`/deals/${loid}`)
    await page.goBack()
    await page.getByRole('link', { name: 'View Wattle greenhouse' }).click()
    await expect(page).toHaveURL(`/deals/${loid}`)
  })
})

test('/deals shows loading, empty and failed states, and tries again', async ({ page, partner }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, LISTS)
  await page.goto('/deals')
  await expect(page.getByRole('status', { name: 'Loading deals' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  await expect(page.getByText('No deals found')).toBeVisible()
  await expect(page.getByText('No deals have been created from your leads yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View Your Leads' })).toHaveAttribute('href', '/leads')
  await expectGoodLooks(page)

  const mend = await breakAnswers(page, LISTS, { status: 403, error: `Not now, ${partner.businessName}` })
  await page.reload()
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('Failed to load deals')
  await expect(failure).toContainText(`Not now, ${partner.businessName}`)
  await expectGoodLooks(page)
  await mend()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByText('No deals found')).toBeVisible()
})

test('/deals syncs with the CRM and shows the result', async ({ page, partner }) => {
  const loid = await partner.submitLead()
  await page.goto('/deals')
  const sync = page.getByRole('button', { name: 'Sync from CRM' })
  await expect(page.getByText('No deals found')).toBeVisible()
  const refusals = [
    { refusal: { status: 502, error: 'The CRM is away' }, text: 'Sync failed: The CRM is away' },
    { refusal: { status: 502 }, text: 'Sync failed: Unknown error' },
    { refusal: undefined, text: 'Sync failed: Network error' },
  ]
  for (const { refusal, text } of refusals) {
    const mend = await breakAnswers(page, SYNCS, refusal)
    await sync.click()
    await expect(toasts(page).last()).toHaveText(text)
    await mend()
  }
  await expectGoodLooks(page)

  await actAsStaff(`/leads/${loid}/convert`, {
    name: 'Saltbush trucks',
    stage: 'Approved',
    amount: '90000',
    closing: '2027-03-15',
  })
  const release = await holdAnswers(page, SYNCS)
  await sync.click()
  await expect(sync).toHaveAttribute('aria-busy', 'true')
  release()
  // The deal may be there already, because the CRM notifies the portal of the deal.
  await expect(toasts(page).last()).toHaveText(/^Sync complete: (1 created|everything is up to date)/)
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(rowsOf(page).getByRole('link', { name: 'View Saltbush trucks' })).toBeVisible()
})

const SORTABLE = { 'Deal Name': 'deal_name', LOID: 'loid', Amount: 'amount', Stage: 'stage', Created: 'created_at' }

function rowsOf(page: Page) {
  return page
    .getByRole('table', { name: 'Deals' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
}

function dollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString('en-US')}`
}

async function submitDeal(request: APIRequestContext, partner: FreshPartner, deal: object): Promise<string> {
  const answer = await request.post('/api/webhook/deal', {
    headers: { authorization: `Bearer ${partner.token}` },
    data: { phone: '0491 570 156', ...deal },
  })
  expect(answer.status()).toBe(201)
  return (await answer.json()).data.loid
}

/** Submits deals that differ only in name and amount. */
async function submitDeals(request: APIRequestContext, partner: FreshPartner, count: number): Promise<void> {
  const amounts = Array.from({ length: count }, (_, number) => 10_000 + 1_500 * ((number * 7) % count))
  await Promise.all(
    amounts.map((amount, number) =>
      submitDeal(request, partner, { business_name: `Saltbush Transport ${number}`, amount }),
    ),
  )
}

function whenPushed(request: APIRequestContext, partner: FreshPartner): Promise<void> {
  return expect
    .poll(async () => (await readDeals(request, partner, { limit: '100' })).every(({ crm }) => crm === 'synced'))
    .toBe(true)
}

async function readDeals(
  request: APIRequestContext,
  partner: FreshPartner,
  params: Record<string, string>,
): Promise<Deal[]> {
  const answer = await request.get('/api/dashboard/deals', {
    headers: { authorization: `Bearer ${partner.token}` },
    params,
  })
  return listDeals.answer.parse((await answer.json()).data).deals
}
