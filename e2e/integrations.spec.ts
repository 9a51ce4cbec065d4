import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'
import { isSigned, startReceiver } from './receiver.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('another system submits leads with an API key until the key is revoked', async ({ page, request }) => {
  const key = await test.step('the key is shown once, and only after a click on “Show API key”', async () => {
    await page.goto('/api-keys')
    await page.getByRole('button', { name: 'Generate API Key' }).click()
    const panel = page.getByRole('region', { name: 'Your new API key' })
    await expect(panel.getByRole('heading')).toBeFocused()
    const shown = panel.locator('code')
    await expect(shown).not.toContainText('lp_')
    await panel.getByRole('button', { name: 'Show API key' }).click()
    await expect(shown).toHaveText(/^lp_[0-9A-Za-z]{38}$/)
    await panel.getByRole('button', { name: 'Copy API key' }).click()
    await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible()
    const text = await shown.innerText()
    expect(await clipboard(page)).toBe(text)
    await expectGoodLooks(page)

    await panel.getByRole('button', { name: 'I have saved it' }).click()
    await expect(page.getByRole('button', { name: 'Regenerate API Key' })).toBeFocused()
    await page.reload()
    await expect(page.getByText(text.slice(0, 8))).toBeVisible()
    await expect(page.getByText('Never', { exact: true })).toBeVisible()
    expect(await page.content()).not.toContain(text)
    return text
  })

  const loid = await test.step('a system submits a lead with the key', async () => {
    const answer = await submitLead(request, key, { business_name: "O'Neil Haulage", phone: '0491 570 156' })
    expect(answer.status()).toBe(201)
    const { loid: submitted } = (await answer.json()).data
    expect((await submitLead(request, key, { phone: '0491 570 156' })).status()).toBe(400)
    await page.goto('/leads')
    await expect(page.getByRole('link', { name: "View O'Neil Haulage" })).toBeVisible()
    return submitted
  })

  await test.step('the log lists both calls and says why one was refused', async () => {
    await page.goto('/webhook')
    const calls = logRows(page)
    await expect(calls).toHaveCount(2)
    await expect(calls.getByRole('button', { name: 'Submit Lead' })).toHaveCount(2)
    await expect(calls.first()).toContainText('Failed')
    await expect(calls.first()).toContainText('400')
    await expect(calls.last()).toContainText('Success')
    await expect(calls.last()).toContainText('201')
    await calls.first().getByRole('button', { name: 'Submit Lead' }).click()
    await expect(calls.first()).toContainText('Business name is required')

    await calls.last().getByRole('button', { name: 'Submit Lead' }).click()
    await expect(calls.last().getByRole('group', { name: 'Request body' })).toContainText('"O\'Neil Haulage"')
    await calls.last().getByRole('button', { name: 'Copy as cURL' }).click()
    await expect(calls.last().getByRole('button', { name: 'Copied' })).toBeVisible()
    const command = await clipboard(page)
    expect(command).toContain('/api/webhook/lead')
    expect(command).toContain('<YOUR_API_KEY>')
    expect(command).toContain(String.raw`O'\''Neil Haulage`)
    expect(command).not.toContain(key)
    await expectGoodLooks(page)
  })

  await test.step('filters find a call, and its row links to the lead', async () => {
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Status').selectOption('success')
    await expect(page).toHaveURL(/status=success/)
    await expect(logRows(page)).toHaveCount(1)
    await page.getByLabel('Endpoint').fill('/api/webhook/deal')
    await page.getByLabel('Endpoint').press('Enter')
    await expect(page.getByText('No webhook logs found')).toBeVisible()
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await logRows(page).getByRole('link', { name: loid }).first().click()
    await expect(page).toHaveURL(new RegExp(`/leads/${loid}$`))
  })

  await test.step('a new key replaces the old one, and a revoked key no longer works', async () => {
    await page.goto('/api-keys')
    await page.getByRole('button', { name: 'Regenerate API Key' }).click()
    const question = page.getByRole('alertdialog', { name: 'Regenerate API Key' })
    await expectGoodLooks(page)
    await question.getByRole('button', { name: 'Regenerate' }).click()
    const panel = page.getByRole('region', { name: 'Your new API key' })
    await panel.getByRole('button', { name: 'Show API key' }).click()
    const newKey = await panel.locator('code').innerText()
    const lead = { business_name: 'Second Haulage', phone: '0491 570 157' }
    expect((await submitLead(request, key, lead)).status()).toBe(401)
    expect((await submitLead(request, newKey, lead)).status()).toBe(201)

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByText('API key revoked')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Generate API Key' })).toBeFocused()
    expect((await submitLead(request, newKey, lead)).status()).toBe(401)
  })
})

test('a partner’s server gets signed deliveries, and gets them again after a failure', async ({ page, request }) => {
  await using receiver = await startReceiver()

  const secret =
    await test.step('a public http URL is refused, and the secret of a saved URL is shown once', async () => {
      await page.goto('/webhook')
      await expect(page.getByText('No webhook logs yet')).toBeVisible()
      await page.getByRole('button', { name: 'Add URL' }).click()
      const field = page.getByLabel('Webhook URL')
      await expect(field).toBeFocused()
      await expect(page.getByRole('button', { name: 'Save URL' })).toBeDisabled()
      await field.fill('http://hooks.example/portal')
      await field.press('Enter')
      await expect(page.getByText('Webhook URL must begin with https://')).toBeVisible()
      await field.fill(receiver.url)
      await page.getByRole('button', { name: 'Save URL' }).click()
      await expect(page.getByText('Webhook URL saved')).toBeVisible()
      await expect(page.getByText('Active', { exact: true })).toBeVisible()
      const shown = await readSecret(page)
      await page.reload()
      await expect(page.getByText(shown.slice(0, 8))).toBeVisible()
      expect(await page.content()).not.toContain(shown)
      return shown
    })

  await test.step('a test event arrives with a valid signature, and its row in the log shows Success', async () => {
    await page.getByRole('button', { name: 'Send test event' }).click()
    await expect(page.getByText('Test event sent')).toBeVisible()
    await expect(page.getByText('Your server received the test event and answered 200.')).toBeVisible()
    const row = rowOf(page, 'webhook.test')
    await expect(row).toContainText('Success')
    await expect(row).toContainText('200')
    expect(receiver.types()).toEqual(['webhook.test'])
    expect(receiver.received.every((one) => isSigned(one, secret))).toBe(true)
  })

  await test.step('a new delivery is announced above the log, and its row lists each attempt while the receiver fails', async () => {
    receiver.status = 500
    await submitFromPortal(page, request)
    const row = rowOf(page, 'lead.created')
    const offer = page.getByRole('button', { name: '1 new' })
    await expect(offer).toBeVisible()
    await expect(row).toHaveCount(0)
    await offer.click()
    await expect(offer).toHaveCount(0)
    await expect(row).toContainText('Pending')
    await expect(row).toContainText('500')
    await row.getByRole('button', { name: 'lead.created' }).click()
    // The second attempt comes after five seconds, the third only after five minutes.
    await expect(row.getByRole('region', { name: 'Attempts' }).getByRole('listitem')).toHaveCount(2, {
      timeout: 20_000,
    })
    await expect(row.getByText('Next attempt')).toBeVisible()
    await page.reload()
    await expect(page.getByText(/^Every delivery has failed since/)).toBeVisible()
    await rowOf(page, 'lead.created').getByRole('button', { name: 'lead.created' }).click()
    await expectGoodLooks(page)
  })

  await test.step('“Send now” and “Redeliver” send the delivery again with the same webhook-id', async () => {
    receiver.status = 200
    const row = rowOf(page, 'lead.created')
    await row.getByRole('button', { name: 'Send now' }).click()
    await expect(row).toContainText('Success')
    await expect(page.getByText(/^Every delivery has failed since/)).toHaveCount(0)
    await row.getByRole('button', { name: 'Redeliver' }).click()
    await expect(row.getByRole('region', { name: 'Attempts' }).getByRole('listitem')).toHaveCount(4)
    const leads = receiver.received.filter(({ text }) => text.includes('lead.created'))
    expect(leads).toHaveLength(4)
    expect(new Set(leads.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(leads.every((one) => isSigned(one, secret))).toBe(true)
  })

  await test.step('after a rotation, both secrets sign each delivery', async () => {
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const question = page.getByRole('alertdialog', { name: 'Rotate Signing Secret' })
    await expect(question).toContainText('24 hours')
    await question.getByRole('button', { name: 'Rotate secret' }).click()
    const newSecret = await readSecret(page)
    expect(newSecret).not.toBe(secret)
    await expect(page.getByText(/^Deliveries are also signed with the old secret until/)).toBeVisible()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await expect(page.getByText('Your server received the test event and answered 200.')).toBeVisible()
    await expect(logRows(page), 'a test event appears without a click on “1 new”').toHaveCount(3)
    const last = receiver.received.at(-1)
    expect(last && [isSigned(last, secret), isSigned(last, newSecret)]).toEqual([true, true])
  })

  await test.step('removing the URL needs a confirmation and keeps the log', async () => {
    await page.getByRole('button', { name: 'Remove' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove Webhook URL' })
    await question.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByText('Webhook URL removed')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add URL' })).toBeFocused()
    await expect(logRows(page)).toHaveCount(3)
    const told = receiver.received.length
    await submitFromPortal(page, request)
    await page.reload()
    await expect(logRows(page)).toHaveCount(3)
    expect(receiver.received).toHaveLength(told)
  })
})

test('a URL that answers 410 is disabled until it is enabled again', async ({ page }) => {
  await using receiver = await startReceiver()
  await page.goto('/webhook')
  await page.getByRole('button', { name: 'Add URL' }).click()
  await page.getByLabel('Webhook URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Save URL' }).click()
  await readSecret(page)
  receiver.status = 410
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect(page.getByText('Your server did not accept the test event')).toBeVisible()
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible()
  await expect(page.getByText('Your server answered 410 Gone')).toBeVisible()
  await expectGoodLooks(page)

  receiver.status = 200
  await page.getByRole('button', { name: 'Enable again' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect(page.getByText('Your server received the test event and answered 200.')).toBeVisible()
})

test('the documentation’s examples and the session’s token can be copied', async ({ page, request }) => {
  await page.goto('/api-docs#webhooks')
  await expect(page.getByRole('heading', { level: 2, name: 'Webhooks' })).toBeInViewport()
  for (const language of ['cURL', 'JavaScript', 'Python']) {
    await page.getByRole('tablist', { name: 'Code examples' }).getByRole('tab', { name: language }).click()
    const copy = page.getByRole('button', { name: `Copy ${language} example` }).first()
    await copy.click()
    const shown = await page
      .getByRole('group', { name: `${language} example` })
      .first()
      .innerText()
    await expect.poll(() => clipboard(page)).toBe(shown)
    expect(shown).not.toContain('lp_')
  }
  await page.getByRole('button', { name: 'Copy session token' }).click()
  const token = await page.evaluate(() => localStorage.getItem('auth_token'))
  await expect.poll(() => clipboard(page)).toBe(token)
  await expect(page.getByText(token ?? '')).toHaveCount(0)

  const openApi = await page.getByRole('link', { name: 'OpenAPI' }).getAttribute('href')
  expect((await request.get(openApi ?? '')).headers()['content-type']).toContain('json')
})

test('the table of contents scrolls to the parts of the documentation', async ({ page }) => {
  await page.goto('/api-docs')
  const contents = page.getByRole('navigation', { name: 'On this page' })
  await contents.getByRole('link', { name: 'Support' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Support' })).toBeInViewport()
  await expect(contents.getByRole('link', { name: 'Support' })).toHaveAttribute('aria-current', 'location')
})

function logRows(page: Page) {
  return page.getByRole('list', { name: 'Webhook log' }).locator('> li')
}

/** The newest row with this title. */
function rowOf(page: Page, title: string) {
  return logRows(page)
    .filter({ has: page.getByRole('button', { name: title }) })
    .first()
}

function clipboard(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()')
}

async function readSecret(page: Page): Promise<string> {
  const panel = page.getByRole('region', { name: 'Your signing secret' })
  await expect(panel.getByRole('heading')).toBeFocused()
  await panel.getByRole('button', { name: 'Show signing secret' }).click()
  await expect(panel.locator('code')).toHaveText(/^whsec_/)
  const secret = await panel.locator('code').innerText()
  await panel.getByRole('button', { name: 'I have saved it' }).click()
  await expect(panel).toHaveCount(0)
  return secret
}

function submitLead(request: APIRequestContext, token: string, data: object) {
  return request.post('/api/webhook/lead', { headers: { authorization: `Bearer ${token}` }, data })
}

/** Submits a lead as the signed-in partner, with the same call as the form. */
async function submitFromPortal(page: Page, request: APIRequestContext) {
  const token = await page.evaluate(() => localStorage.getItem('auth_token'))
  const answer = await request.post('/api/dashboard/leads', {
    headers: { authorization: `Bearer ${token}` },
    data: {
      firstName: 'Jo',
      lastName: 'Marsh',
      email: 'jo@saltbush.example',
      phone: '0491 570 156',
      businessName: 'Saltbush Transport',
    },
  })
  expect(answer.status()).toBe(201)
}
