import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const SEARCHES = '**/api/crm/search?*'

test('/search finds leads and deals, and other pages have the same search box', async ({ page, partner }) => {
  const applicant = { firstName: 'Aroha', lastName: 'Ngata', email: 'aroha@harakeke.example', phone: '0491 570 110' }
  const lead = await partner.submitLead({
    ...applicant,
    businessName: 'Harakeke Cafe',
    businessIndustry: 'Hospitality',
    loanAmount: 45_000,
    loanType: 'Line of Credit',
  })
  const deal = await partner.submitLead({ ...applicant, businessName: 'Harakeke Farm', loanType: 'Term Loan' })
  await actAsStaff(`/leads/${deal}/convert`, {
    name: 'Harakeke tractor',
    stage: 'Approved',
    amount: '120000',
    closing: '2027-03-15',
  })
  await pullFromCrm(partner.token)

  const box = page.getByPlaceholder('Search leads and deals...')
  const leads = page.getByRole('table', { name: 'Leads found' })
  const deals = page.getByRole('table', { name: 'Deals found' })
  await test.step('the box searches for a word and ignores extra spaces', async () => {
    await page.goto('/profile')
    await box.fill('   ')
    await box.press('Enter')
    await expect(page).toHaveURL('/profile')
    await page.getByRole('heading', { level: 1 }).press('/')
    await expect(box).toBeFocused()
    await box.fill('  harakeke ')
    await box.press('Enter')
    await expect(page).toHaveURL('/search?q=harakeke')
    await expect(box).toHaveValue('harakeke')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Search Results')
    await expect(page).toHaveTitle(/^(\(1\) )?harakeke · Search · Partner Portal$/)
    await expect(page.getByText('2 results for “harakeke”')).toBeVisible()
  })

  await test.step('the results are a table of leads and a table of deals', async () => {
    const day = /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/
    await expect(leads.getByRole('columnheader')).toHaveText([
      'Business Name',
      'LOID',
      'Contact',
      'Loan Amount',
      'Loan Type',
      'Status',
      'Created',
    ])
    await expect(leads.getByRole('cell')).toHaveText(
      [
        'Harakeke Cafe Aroha Ngata',
        lead,
        'aroha@harakeke.example +61 491 570 110',
        '$45,000',
        'Line of Credit',
        'New Lead Lender’s turn',
        day,
      ],
      { useInnerText: true },
    )
    await expect(deals.getByRole('cell')).toHaveText(
      [
        'Harakeke tractor Aroha Ngata',
        deal,
        'aroha@harakeke.example +61 491 570 110',
        '$120,000',
        'Term Loan',
        'Approved Lender’s turn',
        day,
      ],
      { useInnerText: true },
    )
    await leads.getByText('$45,000').click()
    await expect(page).toHaveURL(`/leads/${lead}`)
    await page.goBack()
    await deals.getByRole('link', { name: 'Harakeke tractor' }).click()
    await expect(page).toHaveURL(`/deals/${deal}`)
    // The app empties the box when the deal replaces the results. The next step must not fill the box before that.
    await expect(page.getByRole('heading', { level: 1, name: 'Harakeke tractor' })).toBeVisible()
  })

  await test.step('the search finds everything that the hints name', async () => {
    const searches = [
      { q: 'aroha ngata', results: '2 results' },
      { q: 'AROHA@harakeke', results: '2 results' },
      { q: '+61 491-570-110', results: '2 results' },
      { q: 'line of credit', results: '1 result' },
      { q: 'hospitality', results: '1 result' },
    ]
    for (const { q, results } of searches) {
      await box.fill(q)
      await box.press('Enter')
      await expect(page.getByText(`${results} for “${q}”`, { exact: true }), q).toBeVisible()
    }
  })

  await test.step('a LOID opens its record', async () => {
    await box.fill(lead.toLowerCase().replace('-', ''))
    await box.press('Enter')
    await expect(page).toHaveURL(`/leads/${lead}`)
    await expect(page.getByRole('heading', { level: 1, name: 'Harakeke Cafe' })).toBeVisible()
  })

  await test.step('an empty result shows hints and links', async () => {
    await box.fill('nobody has this name')
    await box.press('Enter')
    await expect(page.getByText('0 results for “nobody has this name”')).toBeVisible()
    const main = page.getByRole('main')
    await expect(main.getByRole('heading', { name: 'No results found for “nobody has this name”' })).toBeVisible()
    for (const hint of ['Business or contact names', 'Email or phone', 'LOID', 'Loan types or industries']) {
      await expect(main.getByText(hint)).toBeVisible()
    }
    const actions = page.getByRole('region', { name: 'Quick Actions' })
    const links = { 'Submit New Lead': '/leads/new', 'View All Leads': '/leads', 'View All Deals': '/deals' }
    for (const [name, href] of Object.entries(links)) {
      await expect(actions.getByRole('link', { name })).toHaveAttribute('href', href)
    }
  })

  await page.goto('/search')
  await expect(page).toHaveURL('/dashboard')
})

test('/search shows that it is loading, reports a failure and tries again', async ({ page, partner }) => {
  await keepUninformed(page)
  const loid = await partner.submitLead()
  const release = await holdAnswers(page, SEARCHES)
  await page.goto('/search?q=saltbush')
  await expect(page.getByRole('status', { name: 'Searching' })).toBeVisible()
  await expect(page.getByText('Searching for “saltbush”')).toBeVisible()
  await expectGoodLooks(page)
  release()
  const found = page.getByRole('table', { name: 'Leads found' }).getByText(loid)
  await expect(found).toBeVisible()

  const mend = await breakAnswers(page, SEARCHES, { status: 403, error: 'Not now' })
  await page.reload()
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('Search failed')
  await expect(failure).toContainText('Not now')
  await expectGoodLooks(page)
  await mend()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(found).toBeVisible()
  await expect(page.getByText('1 result for “saltbush”')).toBeVisible()
})
