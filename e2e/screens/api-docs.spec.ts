import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const DOCS = '**/api/dashboard/api-docs'

test('/api-docs shows that it is loading, reports a failure and tries again', async ({ page }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, DOCS)
  await page.goto('/api-docs')
  await expect(page.getByRole('status').filter({ hasText: 'Loading API documentation' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  const title = page.getByRole('heading', { level: 2, name: 'Partner API' })
  await expect(title).toBeVisible()

  const failure = page.getByRole('main').getByRole('alert')
  const retry = failure.getByRole('button', { name: 'Try Again' })
  const mend = await breakAnswers(page, DOCS, { status: 403, error: 'Not now' })
  await page.reload()
  await expect(failure).toContainText('Failed to fetch API documentation (403)')
  await expect(failure).toContainText('Not now')
  await expectGoodLooks(page)
  await mend()
  await retry.click()
  await expect(title).toBeVisible()

  const reconnect = await breakAnswers(page, DOCS)
  await page.reload()
  await expect(failure).toContainText('Error loading API documentation')
  await reconnect()

  for (const part of ['authentication', 'endpoints', 'examples']) {
    await page.route(DOCS, async (route) => {
      const { data, ...answer } = await (await route.fetch()).json()
      await route.fulfill({ json: { ...answer, data: { ...data, [part]: undefined } } })
    })
    await page.reload()
    await expect(failure, part).toContainText('Invalid Documentation Format')
    await page.unroute(DOCS)
  }
  await retry.click()
  await expect(title).toBeVisible()
})

test('/api-docs explains the partner API and how to call it', async ({ page, partner }) => {
  await page.goto('/api-docs')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('API Docs')
  await expect(main.getByRole('heading', { level: 2 })).toHaveText([
    'Partner API',
    'Authentication',
    'Code examples',
    'Follow changes',
    'Endpoints',
    'Request fields',
    'Webhooks',
    'Error codes',
    'Rate limits',
    'Support',
  ])
  const { origin } = new URL(page.url())
  await expect(main.getByText('Version 1.0')).toBeVisible()
  await expect(main.getByText(`${origin}/api`, { exact: true })).toBeVisible()
  await expect(main.getByText('Submit leads and deals from your own systems')).toBeVisible()
  await expect(main.getByText('Authorization: Bearer <YOUR_API_KEY>').first()).toBeVisible()
  await expect(main.getByText(/Permanent: an API key does not expire/)).toBeVisible()

  await test.step('the page shows only the beginning of the session’s token', async () => {
    await expect(main.getByText('Your session token')).toBeVisible()
    await expect(main.getByText(partner.token.slice(0, 4)).first()).toBeVisible()
    expect(await main.textContent()).not.toContain(partner.token.slice(0, 8))
  })

  await test.step('every call is listed, and a submission has examples and a link to its fields', async () => {
    const article = (method: string, path: string) =>
      main
        .getByRole('article')
        .filter({ has: page.getByRole('heading', { name: path, exact: true }) })
        .filter({ has: page.locator('header').getByText(method, { exact: true }) })
    for (const call of [
      'POST /partner/leads',
      'GET /partner/leads',
      'GET /partner/events',
      'GET /partner/docs',
      'POST /webhook/lead',
      'POST /webhook/deal',
    ]) {
      const [method = '', path = ''] = call.split(' ')
      await expect(article(method, path).locator('header'), call).toHaveText(`${method}${path}`)
    }
    const submission = article('POST', '/partner/leads')
    await submission.getByRole('link', { name: 'Request fields of POST /partner/leads' }).click()
    const fields = main.getByRole('region', { name: 'POST /partner/leads, POST /webhook/lead' })
    await expect(fields).toBeInViewport()
    const name = fields.getByRole('listitem').filter({ hasText: 'Name of the applicant’s business' })
    await expect(name).toContainText('required')
    await expect(main.getByText('Name of the applicant’s business')).toHaveCount(2)
    await expect(submission.getByRole('group', { name: 'Request example' })).toContainText('"business_name"')
    await expect(submission.getByRole('group', { name: 'Response example' })).toContainText('"loid"')
  })

  await test.step('the examples come in three languages, which a person can select by keyboard', async () => {
    const tabs = main.getByRole('tablist', { name: 'Code examples' })
    await expect(tabs.getByRole('tab')).toHaveText(['cURL', 'JavaScript', 'Python'])
    await tabs.getByRole('tab', { name: 'cURL' }).press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect(tabs.getByRole('tab', { name: 'JavaScript' })).toHaveAttribute('aria-selected', 'true')
    await expect(main.getByRole('group', { name: 'JavaScript example' }).first()).toContainText('fetch(')
  })

  for (const code of ['VALIDATION', 'UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED']) {
    await expect(main.getByRole('table', { name: 'Error codes' }).getByRole('rowheader', { name: code })).toBeVisible()
  }
  await expect(main.getByRole('table', { name: 'Limits' })).toContainText('120 a minute')
  await expect(main.getByRole('link', { name: `${origin}/api-docs` })).toBeVisible()
})
