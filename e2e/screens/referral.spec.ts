import { expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'

const wayOf = (page: Page) => page.getByRole('region', { name: 'Progress of this referral' })
const timelineOf = (page: Page) => page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')

test('the pages of a lead and of its deal show the referral’s present step and whole timeline', async ({
  page,
  partner,
}) => {
  const loid = await partner.submitLead({ loanAmount: 250_000, loanType: 'Equipment Financing' })
  await actAsStaff(`/leads/${loid}/status`, { status: 'Contacted' })
  await actAsStaff(`/leads/${loid}/notes`, { title: 'Call', content: 'Please send the last three bank statements.' })
  await pullFromCrm(partner.token)

  await page.goto(`/leads/${loid}`)
  const header = page.getByRole('main').locator('header').first()
  await expect(header).toContainText('$250,000')
  await expect(header).toContainText('Equipment Financing')
  await expect(wayOf(page)).toContainText(/since [A-Z][a-z]{2} \d/)
  await expect(wayOf(page).locator('[aria-current=step]')).toContainText('In review')
  await expect(wayOf(page)).toContainText('The lender has spoken with the applicant')
  const told = [
    /^Maya Thornton\s+Lender\s+Just now\s+Please send the last three bank statements\.$/,
    /^Contacted\s+Latest\s+Maya Thornton · less than a day\s+Just now$/,
    /^Submitted\s+Kim Broking.* · New Lead · less than a day/,
  ]
  await expect(timelineOf(page)).toHaveText(told, { useInnerText: true })
  await expectGoodLooks(page)

  await test.step('a note by the partner is in the timeline at once', async () => {
    await page.getByLabel('Add a note').fill('They come by email today.')
    await page.getByRole('button', { name: 'Add Note' }).click()
    await expect(timelineOf(page).first()).toContainText('They come by email today.')
    await expect(timelineOf(page).first()).toContainText('Kim Broking')
    await expect(timelineOf(page)).toHaveCount(4)
  })

  await test.step('a phone shows the timeline before the details', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const top = async (name: string) => (await page.getByRole('region', { name }).boundingBox())?.y ?? 0
    const regions = ['Progress of this referral', 'Timeline', 'Primary Information', 'Business Details']
    const tops = await Promise.all(regions.map(top))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await actAsStaff(`/leads/${loid}/convert`, {
    name: 'Saltbush truck',
    stage: 'Pending Approval',
    closing: '2027-03-15',
  })
  await actAsStaff(`/deals/${loid}/stage`, { stage: 'Funded' })
  await pullFromCrm(partner.token)
  await page.goto(`/deals/${loid}`)
  await expect(wayOf(page).locator('[aria-current=step]')).toContainText('Funded')
  await expect(wayOf(page)).toContainText('The loan has been paid out.')
  // The CRM's times are whole seconds, so a note can come before or after an entry of the same second.
  for (const text of [
    /^Funded/,
    /^Pending Approval/,
    /^Became a deal/,
    /email today/,
    /bank statements/,
    /^Contacted/,
  ]) {
    await expect(timelineOf(page).filter({ hasText: text })).toHaveCount(1)
  }
  await expect(timelineOf(page).last()).toContainText('Submitted')
  await expectGoodLooks(page)
})

test('the page of a lost lead says that the lead is lost', async ({ page, partner }) => {
  const loid = await partner.submitLead()
  await actAsStaff(`/leads/${loid}/status`, { status: 'Lost Lead' })
  await pullFromCrm(partner.token)
  await page.goto(`/leads/${loid}`)
  await expect(wayOf(page).locator('[aria-current=step]')).toHaveText(/^Lost, ended/)
  await expect(wayOf(page)).toContainText('The applicant will not proceed with this lender.')
  await expectGoodLooks(page)
})
