import { expect } from '@playwright/test'
import { test } from './fresh-partner.ts'
import { actAsStaff } from './lender.ts'

test('open pages follow what the lender does, without a reload', { tag: '@desktop' }, async ({ page, context, partner }) => {
  const loid = await partner.submitLead({ businessName: 'Saltbush Transport' })
  const list = await context.newPage()
  await Promise.all([live(page, `/leads/${loid}`), live(list, '/leads')])
  const reloads = [countLoads(page), countLoads(list)]

  await test.step('a status', async () => {
    await actAsStaff(`/leads/${loid}/status`, { status: 'Pre Call' })
    await expect(page.getByRole('banner').or(page.locator('main')).getByText('Pre Call').first()).toBeVisible()
    await expect(page.getByRole('region', { name: 'Status History' }).getByText('Pre Call')).toBeVisible()
    await expect(list.getByRole('row').filter({ hasText: loid }).getByText('Pre Call')).toBeVisible()
  })

  await test.step('a note', async () => {
    await actAsStaff(`/leads/${loid}/notes`, { title: 'Partner', content: 'Please send the last three bank statements.' })
    await expect(page.getByText('Please send the last three bank statements.')).toBeVisible()
  })
  expect(reloads.map((count) => count())).toEqual([0, 0])
})

/** Opened, and its stream with it. */
async function live(page: import('@playwright/test').Page, path: string) {
  const stream = page.waitForResponse((response) => response.url().endsWith('/api/live'))
  await page.goto(path)
  expect((await stream).status()).toBe(200)
}

function countLoads(page: import('@playwright/test').Page): () => number {
  let loads = 0
  page.on('load', () => loads++)
  return () => loads
}
