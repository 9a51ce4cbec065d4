import { expect } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { spend } from '../session.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const STATUSES = '**/api/dashboard/api-key-status'
const KEYS = '**/api/dashboard/generate-api-key'
const REVOCATIONS = '**/api/dashboard/revoke-api-key'

test('/api-keys shows that it is loading, reports a failure and tries again', async ({ page }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, STATUSES)
  await page.goto('/api-keys')
  await expect(page.getByRole('status', { name: 'Loading API key' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  const none = page.getByText('This key has not been generated.')
  await expect(none).toBeVisible()

  const failure = page.getByRole('main').getByRole('alert')
  const mend = await breakAnswers(page, STATUSES, { status: 403, error: 'Not now' })
  await page.reload()
  await expect(failure).toContainText('Failed to fetch API key status')
  await expect(failure).toContainText('Not now')
  await expectGoodLooks(page)
  await mend()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(none).toBeVisible()

  const reconnect = await breakAnswers(page, STATUSES)
  await page.reload()
  await expect(failure).toContainText('Error fetching API key status')
  await reconnect()
  await failure.getByRole('button', { name: 'Try Again' }).click()
  await expect(none).toBeVisible()
})

test('/api-keys generates a key, shows its details and asks before replacing or revoking it', async ({
  page,
  partner,
}) => {
  await page.goto('/api-keys')
  const card = page.getByRole('region', { name: 'API key', exact: true })
  await expect(card.locator('header')).toContainText('None')
  await expect(card).toContainText('API keys are permanent and do not expire.')

  await test.step('no key is generated when the server fails', async () => {
    const generate = card.getByRole('button', { name: 'Generate API Key' })
    const refusals = [
      { refusal: { status: 500, error: 'Out of keys' }, texts: ['Failed to generate API key', 'Out of keys'] },
      { refusal: undefined, texts: ['Error generating API key', 'Network error'] },
    ]
    for (const { refusal, texts } of refusals) {
      const mend = await breakAnswers(page, KEYS, refusal)
      await generate.click()
      for (const text of texts) await expect(card.getByRole('alert')).toContainText(text)
      await mend()
    }
    await expectGoodLooks(page)
    await generate.click()
    await expect(page.getByRole('heading', { name: 'Your new API key' })).toBeFocused()
    await expect(toasts(page)).toHaveCount(0)
    await expect(card.getByRole('alert')).toHaveCount(0)
  })

  await test.step('the page shows only the first characters of the saved key', async () => {
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await expect(card.locator('header')).toContainText('Active')
    await expect(card.locator('dl > div')).toHaveText(
      [
        /^Key\slp_[0-9A-Za-z]{5}\.\.\.$/,
        `Business ${partner.businessName}`,
        /^Last generated\s[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/,
        'Last used Never',
      ],
      { useInnerText: true },
    )
  })

  const questions = [
    {
      button: 'Regenerate API Key',
      title: 'Regenerate API Key',
      text: 'The old key stops working at once, and every system that uses it is refused until it has the new one.',
    },
    {
      button: 'Revoke',
      title: 'Revoke API Key',
      text: 'The key stops working at once, and every system that uses it is refused. Leads submitted with it stay.',
    },
  ]
  for (const { button, title, text } of questions) {
    await test.step(`${button} asks for confirmation, which Escape cancels`, async () => {
      const opener = card.getByRole('button', { name: button })
      const dialog = page.getByRole('alertdialog', { name: title })
      await opener.press('Enter')
      await expect(dialog).toContainText(text)
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(opener).toBeFocused()
    })
  }

  await test.step('a key whose revocation fails stays active', async () => {
    const dialog = page.getByRole('alertdialog', { name: 'Revoke API Key' })
    const refusals = [
      { refusal: { status: 500, error: 'Not now' }, texts: ['Failed to revoke API key', 'Not now'] },
      { refusal: undefined, texts: ['Error revoking API key', 'Network error'] },
    ]
    for (const { refusal, texts } of refusals) {
      const mend = await breakAnswers(page, REVOCATIONS, refusal)
      await card.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      for (const text of texts) await expect(card.getByRole('alert')).toContainText(text)
      await expect(card.locator('header')).toContainText('Active')
      await mend()
    }
    await card.getByRole('button', { name: 'Revoke' }).click()
    await expectGoodLooks(page)
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expect(toasts(page).last()).toHaveText('API key revoked')
    await expect(card.locator('header')).toContainText('None')
  })
})

test('/api-keys makes a key with a name, shows what it may do, and ends it', async ({ page, request }) => {
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Make a Key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Make a Key' })
  await dialog.getByRole('button', { name: 'Make the Key' }).click()
  await expect(dialog).toContainText('Name is required')
  await expectGoodLooks(page)
  await expect(dialog).toContainText('Choose what the key may do')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ledger')
  await dialog.getByRole('checkbox', { name: 'Read' }).check()
  await dialog.getByRole('button', { name: 'Make the Key' }).click()
  const made = page.getByRole('region', { name: 'The new key Ledger' })
  await made.getByRole('button', { name: 'Show key' }).click()
  const key = await made.getByRole('code').textContent()
  const read = () => request.get('/api/webhook/status/LO-00000000', { headers: { authorization: `Bearer ${key}` } })
  expect((await read()).status()).toBe(404)
  await expectGoodLooks(page)
  await made.getByRole('button', { name: 'I have saved it' }).click()

  const card = page.getByRole('region', { name: 'Keys for your systems' })
  await expect(card.getByRole('listitem')).toContainText('Ledger')
  await card.getByRole('button', { name: 'End the key Ledger' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End the key' }).click()
  await expect(toasts(page).last()).toHaveText('The key Ledger has ended')
  await expect(card).toContainText('No key has a name yet.')
  expect((await read()).status()).toBe(401)
})

test('/api-keys explains how to use a key', async ({ page }) => {
  // Removes the clipboard, as if the page came over plain HTTP.
  spend(page)
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto('/api-keys')
  const example = page.getByRole('region', { name: 'Usage example' })
  await expect(example).toContainText('Put your key in place of <YOUR_API_KEY>.')
  const { origin } = new URL(page.url())
  await expect(example.getByRole('group', { name: 'cURL example' })).toContainText(
    `curl -X POST ${origin}/api/partner/leads`,
  )
  await example.getByRole('button', { name: 'Copy cURL example' }).click()
  await expect(toasts(page)).toHaveText('Failed to copy to clipboard')

  const guide = page.getByRole('region', { name: 'Using your key' })
  await expect(guide.getByRole('heading', { level: 3 })).toHaveText([
    'Authentication',
    'Endpoints',
    'Required',
    'Limits',
    'Keep it secret',
  ])
  for (const code of ['Authorization: Bearer <YOUR_API_KEY>', 'POST /api/partner/leads', 'GET /api/partner/docs']) {
    await expect(guide.getByText(code)).toBeVisible()
  }
  await guide.getByRole('link', { name: 'Everything else is in the API Docs' }).click()
  await expect(page).toHaveURL('/api-docs')
})
