// A broker's list without a mouse (D85), and a view of it.
import { expect } from '@playwright/test'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'

test('with ten keys, the third lead is opened, gets a note, and the next one is opened', async ({ page, partner }) => {
  const loids: string[] = []
  for (const businessName of ['Acacia Joinery', 'Banksia Dental', 'Coastal Cranes', 'Dunmore Freight']) {
    loids.unshift(await partner.submitLead({ businessName }))
  }
  await page.goto('/leads')
  await expect(page.locator('main table tbody tr')).toHaveCount(loids.length)

  // Rows can be there a moment before the page listens to keys.
  const first = page.locator('main tbody tr').first().getByRole('link').first()
  await expect(async () => {
    await page.keyboard.press('j')
    await expect(first).toBeFocused({ timeout: 50 })
  }).toPass()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(new RegExp(`/leads/${loids[2]}$`))
  await expect(page.getByPlaceholder('Write a note…')).toBeVisible()
  await page.keyboard.press('c')
  await page.keyboard.type('Call before noon')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('main').getByText('Call before noon').first()).toBeVisible()
  for (const key of ['Tab', 'u']) await page.keyboard.press(key)
  await expect(page).toHaveURL(/\/leads$/)
  await expect(page.locator('main table tbody tr')).toHaveCount(loids.length)
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(new RegExp(`/leads/${loids[3]}$`))
})

test('what a list shows is kept as a view, which gets another name and opens the list', async ({ page, partner }) => {
  await partner.submitLead()
  await page.goto('/leads?status=New+Lead')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Keep what the list shows as').fill('Fresh')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Views: Fresh' }).click()
  await page.getByRole('button', { name: 'Rename Fresh' }).click()
  await page.getByLabel('New name of Fresh').fill('Just sent')
  await expectGoodLooks(page)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Open leads with Just sent' }).click()
  await expect(page.getByRole('button', { name: 'Open leads with Just sent' })).toHaveAttribute('aria-pressed', 'true')
  await expectGoodLooks(page)

  await page.goto('/leads')
  await expect(page).toHaveURL(/\?status=New\+Lead&view=/)
  await expect(page.getByRole('button', { name: 'Views: Just sent' })).toBeVisible()
})

test('while a dialog is open, keys do not scroll the page behind it', async ({ page, partner: _ }) => {
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Make a Key' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus()
  const top = await page.evaluate('scrollY')
  for (const key of ['Home', 'End', 'PageUp', 'PageDown']) {
    await page.keyboard.press(key)
    // A page that scrolls has moved by the second frame.
    const later = 'new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => then(scrollY))))'
    expect(await page.evaluate(later), key).toBe(top)
  }
})

test('without a mouse a key is made, shown and put away, and the focus goes with it', async ({ page, partner: _ }) => {
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Make a Key' }).press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Name')).toBeFocused()
  await page.keyboard.type('My office')
  for (const key of ['Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
  const heading = page.getByRole('heading', { name: 'The new key My office' })
  await expect(heading).toBeFocused()
  await expect(heading).toHaveCSS('outline-style', 'none')
  for (const key of ['Tab', 'Enter', 'Tab']) await page.keyboard.press(key)
  await expect(page.getByRole('button', { name: 'Copy key' })).toBeFocused()
  for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
  await expect(page.getByRole('list', { name: 'Keys for your systems' })).toBeFocused()
})

test('what is typed while the palette’s code loads is in its field, and is no single key', async ({
  page,
  partner: _,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/palette-*.js', async (route) => {
    await released
    await route.continue()
  })
  await page.goto('/deals')
  await expect(page.getByText('No deals have been created from your leads yet')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('new')
  release()
  await page.keyboard.type(' lead')
  await expect(page.getByRole('combobox', { name: 'A page, an action' })).toHaveValue('new lead')
  await expect(page).toHaveURL('/deals')
})
