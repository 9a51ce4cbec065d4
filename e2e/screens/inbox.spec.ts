import { expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff, pullFromCrm } from '../lender.ts'

const ASKED = 'Please send the last three bank statements'

const bellOf = (page: Page) => page.getByRole('button', { name: /^What is new/ })

test('the bell counts the changed records, and its panel says what happened to each', async ({ page, partner }) => {
  const lead = await partner.submitLead({ businessName: 'Clearview Glass' })
  const other = await partner.submitLead({ businessName: 'Okafor Freight', email: 'nkem@okafor.example' })
  await pullFromCrm(partner.token)
  await page.goto('/dashboard')
  // A person's own actions are not news.
  await expect(page.getByText(/^Nothing new since you were here/)).toBeVisible()
  await expect(bellOf(page)).toHaveAccessibleName('What is new')

  await actAsStaff(`/leads/${lead}/status`, { status: 'Pre Call' })
  await actAsStaff(`/leads/${lead}/status`, { status: 'Pre Qualified' })
  await actAsStaff(`/leads/${lead}/notes`, { title: 'Partner', content: ASKED })
  await actAsStaff(`/leads/${other}/status`, { status: 'Contacted' })
  await pullFromCrm(partner.token)
  await expect(bellOf(page)).toHaveAccessibleName('What is new: 2')
  await expect(page).toHaveTitle('(2) Dashboard · Partner Portal')
  const news = page.getByRole('region', { name: /^Since you were here/ })
  const clearview = news.getByRole('link', { name: /Clearview Glass/ })
  await expect(clearview).toContainText(/New Lead → Pre Qualified$/)
  // The lender's words stand where the person can answer them, and only there.
  await expect(page.getByRole('region', { name: /^Needs attention/ }).getByText(ASKED)).toBeVisible()
  await expect(page.getByText(ASKED)).toHaveCount(1)
  await test.step('a phone shows the four figures on its first screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const { y = 0, height = 0 } = (await page.getByRole('region', { name: 'Key figures' }).boundingBox()) ?? {}
    expect(y + height).toBeGreaterThan(0)
    expect(y + height).toBeLessThanOrEqual(844)
    await page.setViewportSize({ width: 1440, height: 900 })
  })
  await expectGoodLooks(page)

  await bellOf(page).click()
  const panel = page.getByRole('dialog', { name: 'Since you were here' })
  await expect(panel.getByRole('link', { name: /Okafor Freight/ })).toContainText('New Lead → Contacted')
  await expect(panel.getByRole('link', { name: /Clearview Glass/ })).toContainText('New Lead → Pre Qualified, 1 note')
  await expectGoodLooks(page)
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(bellOf(page)).toBeFocused()

  // Opening a record marks its news as seen.
  await bellOf(page).click()
  await panel.getByRole('link', { name: /Clearview Glass/ }).click()
  await expect(page).toHaveURL(`/leads/${lead}`)
  await expect(panel).toBeHidden()
  await expect(bellOf(page)).toHaveAccessibleName('What is new: 1')
  await page.goto('/leads')
  await expect(page.getByRole('link', { name: 'New: Okafor Freight' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Clearview Glass', exact: true })).toBeVisible()

  await bellOf(page).click()
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(panel.getByText('You are up to date')).toBeVisible()
  await expect(bellOf(page)).toHaveAccessibleName('What is new')
  await expect(page).toHaveTitle('Leads · Partner Portal')
})

test('an item that needs attention can be answered in place, and stays until it is dealt with', async ({
  page,
  partner,
}) => {
  const lead = await partner.submitLead({ businessName: 'Clearview Glass' })
  const other = await partner.submitLead({ businessName: 'Okafor Freight', email: 'nkem@okafor.example' })
  await pullFromCrm(partner.token)
  await actAsStaff(`/leads/${lead}/notes`, { title: 'Partner', content: ASKED })
  await actAsStaff(`/leads/${other}/notes`, { title: 'Partner', content: 'And the tax return' })
  await pullFromCrm(partner.token)
  // No push to the CRM has failed here, so the test adds a failed push to the answer.
  const failed = { id: `crm-failed.lead.${crypto.randomUUID()}.1`, kind: 'crm-failed', loid: lead, about: 'lead' }
  const retry = { kind: 'lead', id: lead, problem: 'Zoho refused the phone number.' }
  const item = {
    ...failed,
    name: 'Saltbush Transport',
    at: new Date().toISOString(),
    retry,
    note: null,
    webhook: null,
    standing: null,
  }
  let isFailed = true
  await page.route('**/api/dashboard/attention', async (route) => {
    const answer = await route.fetch()
    const { data } = await answer.json()
    const items = isFailed ? [item, ...data.items] : data.items
    await route.fulfill({ response: answer, json: { success: true, data: { ...data, items, total: items.length } } })
  })
  await page.route('**/api/crm/lead/*/retry-push', (route) => {
    isFailed = false
    return route.fulfill({ status: 202, json: { success: true, data: { loid: lead, crm: 'pending' } } })
  })

  await page.goto('/dashboard')
  const attention = page.getByRole('region', { name: /^Needs attention/ })
  await expect(attention.getByRole('listitem')).toHaveCount(3)
  await expect(attention.getByText('Could not reach the CRM: Zoho refused the phone number.')).toBeVisible()
  await expectGoodLooks(page)
  await attention.getByRole('button', { name: 'Retry Saltbush Transport' }).click()
  await expect(page.getByText('The lead is on its way to the CRM again')).toBeVisible()
  await expect(attention.getByRole('listitem')).toHaveCount(2)

  await attention.getByRole('button', { name: 'Remind me of Okafor Freight' }).click()
  await expectGoodLooks(page)
  await attention.getByRole('button', { name: 'Tomorrow' }).click()
  await expect(attention.getByText('And the tax return')).toHaveCount(0)

  // Reading is not doing: the item stays, but is no longer bold.
  await attention.getByRole('link', { name: 'New: Clearview Glass' }).click()
  await expect(page).toHaveURL(`/leads/${lead}`)
  await expect(bellOf(page)).toHaveAccessibleName('What is new')
  await page.goto('/dashboard')
  await expect(attention.getByRole('link', { name: 'Clearview Glass', exact: true })).toBeVisible()
  await attention.getByRole('button', { name: 'Reply to Clearview Glass' }).click()
  // Typing makes a browser draw outlines.
  await attention.getByLabel('Reply to the lender about Clearview Glass').pressSequentially('They come by email today.')
  await expectGoodLooks(page)
  await attention.getByRole('button', { name: 'Send Reply' }).click()
  await expect(page.getByText(/^(Nothing needs your attention|Not enough history yet)/)).toBeVisible()
  // The focus goes to a part of the page, which is no control.
  await expect(page.locator('main :focus')).toHaveCSS('outline-style', 'none')

  // The record changes again, so its item comes back before tomorrow.
  await actAsStaff(`/leads/${other}/notes`, { title: 'Partner', content: 'And the rates notice' })
  await pullFromCrm(partner.token)
  await expect(attention.getByText('And the rates notice')).toBeVisible()
  await attention.getByRole('button', { name: 'Done: Okafor Freight' }).click()
  await expect(attention).toHaveCount(0)
  // The page repeats its calls at every event, even while it closes.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('/activity lists all events and filters them by type, person and date', async ({ page, partner }) => {
  const lead = await partner.submitLead({ businessName: 'Clearview Glass' })
  await pullFromCrm(partner.token)
  await actAsStaff(`/leads/${lead}/status`, { status: 'Pre Call' })
  await actAsStaff(`/leads/${lead}/notes`, { title: 'Partner', content: ASKED })
  await pullFromCrm(partner.token)
  await page.goto('/dashboard')
  await bellOf(page).click()
  await page.getByRole('link', { name: 'See all activity' }).click()
  await expect(page).toHaveURL('/activity')
  const entries = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
  await expect(entries).toHaveCount(3)
  await expect(entries.filter({ hasText: 'Note from the lender' })).toContainText(ASKED)
  await expectGoodLooks(page)

  await page.getByLabel('Who').selectOption('Me')
  await expect(entries).toHaveCount(1)
  await expect(entries).toContainText('Lead submitted')
  await page.getByLabel('Type').selectOption('Note')
  await expect(page.getByText('No activity found')).toBeVisible()
  await expect(page).toHaveURL(/\/activity\?(person=me&type=note\.added|type=note\.added&person=me)$/)
  await page.reload()
  await expect(page.getByLabel('Type')).toHaveValue('note.added')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL('/activity')
  await page.getByLabel('Date To').fill('2020-01-01')
  await expect(page.getByText('No activity found')).toBeVisible()
})
