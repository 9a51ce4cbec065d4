import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { type FreshPartner, test } from '../fresh-partner.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const URLS = '**/api/dashboard/webhook-url'
const LOGS = '**/api/dashboard/webhook-logs?*'
/** No request is ever sent to this URL, because the partner has no events. */
const URL_OF_NOBODY = 'http://127.0.0.1:24999/hook'

test('/webhook shows loading, empty and failed states, and tries again', async ({ page }) => {
  await keepUninformed(page)
  const releaseUrl = await holdAnswers(page, URLS)
  const releaseLogs = await holdAnswers(page, LOGS)
  await page.goto('/webhook')
  await expect(page.getByRole('status', { name: 'Loading webhook', exact: true })).toBeVisible()
  await expectGoodLooks(page)
  releaseUrl()
  await expect(page.getByRole('status', { name: 'Loading webhook log' })).toBeVisible()
  releaseLogs()
  const none = page.getByText('No URL yet. Add your server’s URL, and we will send each change to it within seconds.')
  const empty = page.getByText('No webhook logs yet')
  await expect(none).toBeVisible()
  await expect(empty).toBeVisible()
  await expect(page.getByText('Calls with your API key and deliveries to your URL appear here.')).toBeVisible()
  const guide = page.getByRole('region', { name: 'How deliveries work' })
  await expect(guide.getByRole('heading', { level: 3 })).toHaveText([
    'What is sent',
    'How it is signed',
    'When it is sent again',
  ])
  await expect(guide.getByRole('link')).toHaveAttribute('href', '/api-docs#webhooks')
  await expectGoodLooks(page)

  const failure = page.getByRole('main').getByRole('alert')
  const mendLogs = await breakAnswers(page, LOGS, { status: 403, error: 'Not now' })
  await page.reload()
  await expect(none).toBeVisible()
  await expect(failure).toContainText('Failed to load webhook data')
  const mendUrl = await breakAnswers(page, URLS, { status: 403, error: 'Not now' })
  await page.reload()
  await expect(failure).toHaveCount(1)
  await expect(failure).toContainText('Failed to load webhook data')
  await expect(failure).toContainText('Not now')
  await expectGoodLooks(page)
  await mendLogs()
  await mendUrl()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(none).toBeVisible()
  await expect(empty).toBeVisible()
})

test('/webhook saves one URL, and asks before removing it', async ({ page }) => {
  await page.goto('/webhook')
  const card = page.getByRole('region', { name: 'URL Configuration' })
  const button = (name: string) => card.getByRole('button', { name })
  const field = card.getByLabel('Webhook URL')

  await test.step('an incomplete URL and a public http URL are refused', async () => {
    await button('Add URL').press('Enter')
    await expect(field).toBeFocused()
    await button('Cancel').click()
    await expect(button('Add URL')).toBeFocused()
    await button('Add URL').click()
    await expect(card.getByText('HTTPS only. Each account has one URL.')).toBeVisible()
    await expect(button('Save URL')).toBeDisabled()
    await field.fill('hooks.example')
    await button('Save URL').click()
    await expect(card.getByText('Please enter a complete address, such as https://example.com/webhooks')).toBeVisible()
    await field.fill('http://hooks.example/portal')
    await expect(card.getByText('Webhook URL must begin with https://')).toBeVisible()
    await expectGoodLooks(page)
  })

  await test.step('the URL stays in the form when the server fails', async () => {
    await field.fill(URL_OF_NOBODY)
    const refusals = [
      { refusal: { status: 502 }, text: 'Failed to update webhook URL' },
      { refusal: { status: 503, error: 'Busy right now' }, text: 'Failed to update webhook URL Busy right now' },
      { refusal: undefined, text: 'Failed to update webhook URL Network error' },
    ]
    for (const { refusal, text } of refusals) {
      const mend = await breakAnswers(page, URLS, refusal)
      await button('Save URL').click()
      await expect(card.getByRole('alert')).toHaveText(text, { useInnerText: true })
      await expect(field).toHaveValue(URL_OF_NOBODY)
      await mend()
    }
    const release = await holdAnswers(page, URLS)
    await button('Save URL').click()
    await expect(button('Save URL')).toHaveAttribute('aria-busy', 'true')
    release()
    await expect(toasts(page)).toHaveText('Webhook URL saved')
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await expect(card.locator('header')).toContainText('Active')
    await expect(card.getByText(URL_OF_NOBODY)).toBeVisible()
    await button('Edit URL').click()
    await expect(field).toHaveValue(URL_OF_NOBODY)
    await button('Cancel').click()
    await expect(button('Edit URL')).toBeFocused()
  })

  const questions = [
    {
      opener: 'Remove',
      title: 'Remove Webhook URL',
      text: 'Your server will no longer receive webhooks, and the signing secret is deleted with the URL.',
    },
    {
      opener: 'Rotate secret',
      title: 'Rotate Signing Secret',
      text: 'A new secret is made and shown once. For 24 hours, deliveries are also signed with the old one',
    },
  ]
  for (const { opener, title, text } of questions) {
    await test.step(`${title} is cancelled by Escape`, async () => {
      const dialog = page.getByRole('alertdialog', { name: title })
      await button(opener).press('Enter')
      await expect(dialog).toContainText(text)
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await expectGoodLooks(page)
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(button(opener)).toBeFocused()
    })
  }

  await test.step('if the server refuses an action, nothing changes', async () => {
    const actions = [
      {
        calls: URLS,
        opener: 'Remove',
        dialog: 'Remove Webhook URL',
        confirm: 'Remove',
        text: 'Failed to update webhook URL',
      },
      {
        calls: '**/api/dashboard/webhook-secret',
        opener: 'Rotate secret',
        dialog: 'Rotate Signing Secret',
        confirm: 'Rotate secret',
        text: 'Failed to rotate the signing secret',
      },
    ]
    for (const { calls, opener, dialog, confirm, text } of actions) {
      const mend = await breakAnswers(page, calls, { status: 502 })
      await button(opener).click()
      await page.getByRole('alertdialog', { name: dialog }).getByRole('button', { name: confirm }).click()
      await expect(toasts(page).last()).toHaveText(text)
      await expect(card.getByText(URL_OF_NOBODY)).toBeVisible()
      await mend()
    }
    const mend = await breakAnswers(page, '**/api/dashboard/webhook-test', { status: 502 })
    await button('Send test event').click()
    await expect(toasts(page).last()).toHaveText('Failed to send test event')
    await mend()
  })
})

test('/webhook lists, filters and expands the calls in the log', async ({ page, request, partner }) => {
  const loid = await callWithKey(request, partner)
  await page.goto('/webhook')
  const rows = rowsOf(page)
  const next = page.getByRole('button', { name: 'Next' })
  const previous = page.getByRole('button', { name: 'Previous' })

  await test.step('a page shows twenty calls', async () => {
    await expect(rows).toHaveCount(20)
    await expect(previous).toBeDisabled()
    await next.click()
    await expect(page).toHaveURL('/webhook?page=2')
    await expect(rows).toHaveCount(2)
    await expect(next).toBeDisabled()
    await expect(previous).toBeFocused()
    await page.goto('/webhook?page=3')
    await expect(page.getByText('This page is past the last one')).toBeVisible()
    await page.goto('/webhook?page=2')
    await previous.click()
    await expect(rows).toHaveCount(20)
  })

  await test.step('a row can be expanded by keyboard', async () => {
    const row = rows.first()
    const toggle = row.getByRole('button', { name: 'Submit Lead' })
    await expect(row).toContainText('/api/webhook/lead')
    await expect(row).toContainText('Just now')
    await expect(row.locator('[data-variant]')).toHaveText(['Failed', 'HTTP 400'])
    await expect(row.locator('[data-variant=error]')).toHaveCount(2)
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await toggle.press('Enter')
    await expect(toggle).toHaveAttribute('aria-expanded', 'true')
    await expect(row.getByText('Business name is required').first()).toBeVisible()
    await expect(row.locator('dl > div')).toHaveText(
      [
        'Endpoint /api/webhook/lead',
        'Direction Call to us',
        /^Received\s[A-Z][a-z]{2} \d{1,2}, \d{4}, \d/,
        'Called by API key',
      ],
      { useInnerText: true },
    )
    await expect(row.getByRole('group', { name: 'Request body' })).toContainText('0491 570 156')
    await expect(row.getByRole('group', { name: 'Response body' })).toContainText('"success": false')
    await expect(row.getByRole('button', { name: 'Redeliver' })).toHaveCount(0)
    await toggle.press('Enter')
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await expect(row.getByRole('group', { name: 'Request body' })).toHaveCount(0)
  })

  await test.step('filters are part of the address', async () => {
    await page.getByRole('button', { name: 'Filters' }).click()
    const status = page.getByLabel('Status', { exact: true })
    await expect(status.getByRole('option')).toHaveText(['All statuses', 'Success', 'Failed', 'Error', 'Pending'])
    await status.selectOption('success')
    await expect(page).toHaveURL('/webhook?status=success')
    await expect(rows).toHaveCount(1)
    await expect(rows.locator('[data-variant=success]')).toHaveText(['Success', 'HTTP 201'])
    await page.getByLabel('Endpoint').fill('/api/webhook/lead')
    await page.getByLabel('Endpoint').press('Enter')
    await page.getByLabel('Date From').fill('2026-01-01')
    await page.getByLabel('Date To').fill('2126-01-01')
    await expect(page.getByRole('button', { name: /Filters.*4 active/ })).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Endpoint')).toHaveValue('/api/webhook/lead')
    await expect(rows).toHaveCount(1)
    await page.getByLabel('Date To').fill('2026-01-02')
    await expect(page.getByText('No webhook logs found')).toBeVisible()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(page).toHaveURL('/webhook')
    await expect(page.getByRole('button', { name: 'Filters', exact: true })).toBeFocused()
    await expect(rows).toHaveCount(20)
  })

  await test.step('a search finds a call by its lead', async () => {
    await page.getByRole('searchbox', { name: 'Search webhook log' }).fill(loid)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await expect(page).toHaveURL(`/webhook?search=${loid}`)
    await expect(rows).toHaveCount(1)
    await expect(rows.getByRole('link', { name: loid })).toHaveAttribute('href', `/leads/${loid}`)
  })
})

function rowsOf(page: Page) {
  return page.getByRole('list', { name: 'Webhook log' }).locator('> li')
}

/** Submits one lead that the portal accepts and 21 that it refuses. Returns the accepted lead's LOID. */
async function callWithKey(request: APIRequestContext, { token }: FreshPartner): Promise<string> {
  const made = await request.post('/api/dashboard/generate-api-key', { headers: { authorization: `Bearer ${token}` } })
  const headers = { authorization: `Bearer ${(await made.json()).data.api_key}` }
  const taken = await request.post('/api/webhook/lead', {
    headers,
    data: { business_name: 'Saltbush Transport', phone: '0491 570 156' },
  })
  expect(taken.status()).toBe(201)
  for (let call = 0; call < 21; call += 1) {
    const refused = await request.post('/api/webhook/lead', { headers, data: { phone: '0491 570 156' } })
    expect(refused.status()).toBe(400)
  }
  return (await taken.json()).data.loid
}
