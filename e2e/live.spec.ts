import { expect, type Page } from '@playwright/test'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'
import { actAsStaff } from './lender.ts'
import { openLive } from './open-live.ts'

test('open pages show new statuses, notes and leads without a reload', async ({ page, context, partner }) => {
  const loid = await partner.submitLead({ businessName: 'Saltbush Transport' })
  const list = await context.newPage()
  await Promise.all([openLive(page, `/leads/${loid}`), openLive(list, '/leads')])
  const reloads = [countLoads(page), countLoads(list)]

  await test.step('a new status appears and is marked as changed', async () => {
    await actAsStaff(`/leads/${loid}/status`, { status: 'Pre Call' })
    await expect(page.locator('header [data-changed]').getByText('Pre Call')).toBeVisible()
    await expect(page.getByText('The status is now Pre Call')).toBeAttached()
    await expect(page.getByRole('list', { name: 'Timeline' }).getByText('Pre Call')).toBeVisible()
    await expect(list.getByRole('row').and(list.locator('[data-changed]')).getByText('Pre Call')).toBeVisible()
  })

  await test.step('a new note appears', async () => {
    await actAsStaff(`/leads/${loid}/notes`, {
      title: 'Partner',
      content: 'Please send the last three bank statements.',
    })
    await expect(
      page.getByRole('list', { name: 'Timeline' }).getByText('Please send the last three bank statements.'),
    ).toBeVisible()
  })

  await test.step('a new lead is announced above the list and appears after a click', async () => {
    const newer = await partner.submitLead({ businessName: 'Newcomer Freight' })
    const firstRow = list.getByRole('row').nth(1)
    const offer = list.getByRole('button', { name: '1 new' })
    await expect(offer).toBeVisible()
    await expect(firstRow).toContainText(loid)
    await offer.click()
    await expect(firstRow).toContainText(newer)
    await expect(offer).toHaveCount(0)
  })
  expect(reloads.map((count) => count())).toEqual([0, 0])
})

test('an open dashboard asks the person to act as soon as it is their turn', async ({ page, partner }) => {
  const businessName = 'Saltbush Transport, Haulage and Cold Storage of the Riverina'
  const loid = await partner.submitLead({ businessName })
  await openLive(page, '/dashboard')
  await actAsStaff(`/leads/${loid}/status`, { status: 'Unable to Contact' })
  const item = page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem')
  await expect(item).toContainText(businessName)
  await expect(item).toContainText('Your turn')
  await expectGoodLooks(page)
})

test('on a phone, an open dashboard shows what has become the person’s turn, however much is more urgent', {
  tag: '@mobile',
}, async ({ page, partner }) => {
  const [motors, bakery, dental] = await Promise.all(
    ['Mallee Motors', 'Wattle Bakery', 'Brolga Dental'].map((businessName) => partner.submitLead({ businessName })),
  )
  for (const loid of [motors, bakery]) {
    await actAsStaff(`/leads/${loid}/tasks`, { subject: 'Partner: Photo of the shop', description: 'The front.' })
  }
  const items = page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem').filter({ visible: true })
  await expect(async () => {
    await openLive(page, '/dashboard')
    await expect(items).toHaveCount(2, { timeout: 1_000 })
  }).toPass()
  await actAsStaff(`/leads/${dental}/status`, { status: 'Unable to Contact' })
  await expect(items.filter({ hasText: 'Brolga Dental' })).toBeVisible()
  await expect(items, 'the figures keep their place on the first screen').toHaveCount(2)
})

test('the page of payments follows the lender, and a question about a payment is a note without an amount', async ({
  page,
  partner,
}) => {
  const loid = await partner.submitLead({ businessName: 'Saltbush Transport' })
  const deal = { name: 'Saltbush Transport', stage: 'Funded', amount: '50000' }
  await actAsStaff(`/leads/${loid}/convert`, deal)
  await openLive(page, '/payments')
  await expect(page.getByRole('heading', { name: 'No payments yet' })).toBeVisible()

  const commission = { Partner_Commission: '1234.5', Commission_Note: '', Commission_Paid_On: '' }
  await actAsStaff(`/deals/${loid}/fields`, { ...commission, Commission_Status: 'Payable' })
  const row = page.getByRole('row').filter({ hasText: 'Saltbush Transport' })
  await expect(row).toContainText('$1,234.50')
  await expect(row).toContainText('Payable')
  await actAsStaff(`/deals/${loid}/fields`, { ...commission, Commission_Status: 'Paid' })
  await expect(row).toContainText('Paid')
  await expect(page.getByRole('button', { name: 'What is new: 1' })).toBeVisible()

  await row.getByRole('button', { name: 'Ask about this payment' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Ask About This Payment' })
  await expect(dialog).toContainText(`Saltbush Transport (${loid}): no date yet, Paid.`)
  await dialog.getByRole('button', { name: 'Send the Note' }).click()
  await expect(page.getByText('Your question is on its way to the lender')).toBeVisible()
  await row.getByRole('link', { name: 'Saltbush Transport' }).click()
  await expect(page.getByText('Commission $1,234.50')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Timeline' }).getByText(/^Question about our payment/)).toBeVisible()
})

test('what the lender says of a lead, who looks after the partner and when it pays are on open pages without a reload', async ({
  page,
  context,
  partner,
}) => {
  const loid = await partner.submitLead({ businessName: 'Saltbush Transport' })
  const headers = { authorization: `Bearer ${partner.token}` }
  const profile = await (await page.request.get('/api/profile', { headers })).json()
  const list = await context.newPage()
  await Promise.all([openLive(page, `/leads/${loid}`), openLive(list, '/leads')])
  const reloads = [countLoads(page), countLoads(list)]

  await test.step('the verdict, with its protection, is in the header, the list and the timeline', async () => {
    const fields = { Partner_Verdict: 'Yours', Verdict_Reason: '', Protected_Until: '2031-03-03' }
    await actAsStaff(`/leads/${loid}/fields`, fields)
    await expect(page.locator('header').getByText('Yours until Mar 3, 2031')).toBeVisible()
    await expect(list.getByTitle(/Yours until Mar 3, 2031/).filter({ visible: true })).toHaveCount(1)
    const told = page.getByRole('list', { name: 'Timeline' }).getByText(/Yours until Mar 3, 2031/)
    await expect(told).toHaveCount(1)
    await actAsStaff(`/leads/${loid}/fields`, { ...fields, Protected_Until: '2031-04-04' })
    await expect(page.locator('header').getByText('Yours until Apr 4, 2031')).toBeVisible()
    await expect(told).toHaveCount(1)
  })

  await test.step('the partner’s contact at the lender is beside the lead', async () => {
    const manager = { Partner_Manager_Name: 'Priya Nair', Partner_Manager_Phone: '', Partner_Manager_Email: '' }
    await actAsStaff(`/partners/${profile.data.zoho_id}/fields`, manager)
    await expect(page.getByText('Priya Nair')).toBeVisible()
  })

  await test.step('the day on which a commission is paid is on the deal', async () => {
    const deal = { name: 'Saltbush Transport', stage: 'Funded', amount: '50000' }
    await actAsStaff(`/leads/${loid}/convert`, deal)
    await expect(page).toHaveURL(`/deals/${loid}`)
    const commission = { Partner_Commission: '1234.5', Commission_Status: 'Payable', Commission_Note: '' }
    await actAsStaff(`/deals/${loid}/fields`, { ...commission, Commission_Paid_On: '' })
    await expect(page.getByText('Commission $1,234.50')).toBeVisible()
    await actAsStaff(`/deals/${loid}/fields`, { ...commission, Commission_Paid_On: '2031-05-05' })
    await expect(page.getByText('due on May 5, 2031')).toBeVisible()
  })
  expect(reloads.map((count) => count())).toEqual([0, 0])
})

test('no part of a list moves when events arrive', async ({ page, partner }) => {
  const loid = await partner.submitLead()
  await openLive(page, '/leads')
  await page.evaluate(ADD_UP_SHIFTS)
  await partner.submitLead({ businessName: 'Newcomer Freight' })
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await actAsStaff(`/leads/${loid}/status`, { status: 'Pre Call' })
  await expect(page.getByRole('row').filter({ hasText: loid }).getByText('Pre Call')).toBeVisible()
  // A different word can make a column a few pixels wider.
  expect(await page.evaluate<number>('shift')).toBeLessThan(0.001)
})

const ADD_UP_SHIFTS = `
  var shift = 0
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { shift += entry.value })).observe({ type: 'layout-shift' })
  undefined`

function countLoads(page: Page): () => number {
  let loads = 0
  page.on('load', () => loads++)
  return () => loads
}
