import { readFile } from 'node:fs/promises'
import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { beginTotp, confirmTotp } from '../contract/src/second-factor.ts'
import { addDevice } from './add-device.ts'
import { expectGoodLooks } from './expect-good-looks.ts'
import { test } from './fresh-partner.ts'
import { toasts } from './toasts.ts'

const STEP_MS = 30_000

/** Signs out and opens the path `asked`, which redirects to /login. */
async function signOut(page: Page, asked = '/dashboard') {
  await page.evaluate(() => localStorage.clear())
  await page.goto(asked)
  await expect(page).toHaveURL('/login')
}

async function enterPassword(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Sets up an authenticator app. Returns the app and the recovery codes. */
async function addApp(request: APIRequestContext, token: string) {
  const ask = async (path: string, data?: object) => {
    const answer = await request.post(`/api/account/${path}`, { headers: { authorization: `Bearer ${token}` }, data })
    return (await answer.json()).data
  }
  const totp = new TOTP({ secret: beginTotp.answer.parse(await ask('totp')).secret })
  const added = confirmTotp.answer.parse(await ask('totp/confirm', { code: totp.generate() }))
  return { totp, recoveryCodes: added.recovery_codes ?? [] }
}

test('/profile/security sets up an authenticator app and shows its recovery codes once', async ({ page }) => {
  await page.goto('/profile/security')
  const card = page.getByRole('region', { name: 'Second factor' })
  await card.getByRole('button', { name: 'Set up authenticator app' }).click()
  await expect(card.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await expectGoodLooks(page)
  const secret = (await card.locator('code').textContent()) ?? ''
  const totp = new TOTP({ secret: secret.replaceAll(' ', '') })
  const code = card.getByLabel('Code from the app')
  await code.fill('000000')
  await code.press('Enter')
  await expect(code).toHaveAccessibleDescription(/This code is wrong\. Enter the code that your app shows now/)
  await expect(code).toHaveValue('000000')
  await code.fill(totp.generate())
  await card.getByRole('button', { name: 'Turn on' }).click()

  const codes = page.getByRole('region', { name: 'Save your recovery codes' })
  await expect(codes.getByRole('heading')).toBeFocused()
  const texts = await codes.getByRole('listitem').allTextContents()
  expect(texts).toHaveLength(10)
  await expectGoodLooks(page)
  const downloading = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Download recovery codes' }).click()
  expect(await readFile(await (await downloading).path(), 'utf8')).toContain(texts.join('\n'))
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { name: 'Security', level: 1 })).toBeHidden()
  await expect(codes.getByText(texts[9] ?? '')).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await codes.getByRole('button', { name: 'I have saved them' }).click()
  await expect(card.getByText('10 of 10 left.')).toBeVisible()
  await card.getByRole('button', { name: 'Remove authenticator app' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('You will then sign in with your password alone')
})

test('/login accepts a code from the app or a recovery code as the second step', async ({ page, request, partner }) => {
  const { totp, recoveryCodes } = await addApp(request, partner.token)
  await page.goto('/profile/security')
  await signOut(page)
  await enterPassword(page, partner)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second step')
  const code = page.getByLabel('Code', { exact: true })
  await expect(code).toBeFocused()
  await expectGoodLooks(page)
  await code.fill('123456')
  await code.press('Enter')
  await expect(code).toHaveAccessibleDescription(/This code is wrong or has already been used/)
  await code.fill(totp.generate({ timestamp: Date.now() + STEP_MS }))
  await code.press('Enter')
  await expect(page).toHaveURL('/dashboard')

  await signOut(page, '/leads?status=Contacted')
  await enterPassword(page, partner)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/leads?status=Contacted')
})

test('a passkey replaces the password or serves as the second step, until it is removed', async ({ page, partner }) => {
  await addDevice(page)
  await page.goto('/profile/security')
  const card = page.getByRole('region', { name: 'Second factor' })
  await card.getByRole('button', { name: 'Add a passkey' }).click()
  await card.getByLabel('Name').fill('Kim’s phone')
  await card.getByRole('button', { name: 'Make passkey' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await expect(card.getByRole('listitem')).toContainText(/Kim’s phone.*Not used yet/)
  await expectGoodLooks(page)

  await signOut(page, '/deals')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(toasts(page)).toHaveText(`Welcome back, ${partner.businessName}!`)
  await expect(page).toHaveURL('/deals')

  await signOut(page)
  await enterPassword(page, partner)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.goto('/profile/security')
  await expect(card.getByRole('listitem')).toContainText('Last used: Just now')
  await card.getByRole('button', { name: 'Remove Kim’s phone' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card.getByRole('listitem')).toHaveCount(0)

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toHaveText('We do not recognise this passkey, or the sign-in took too long.')
})

test('an owner who requires a second factor of everybody must set one up at once', async ({ page, partner }) => {
  await addDevice(page)
  await page.goto('/profile/security')
  await page.getByLabel('Require a second factor for everybody').click()
  await expect(toasts(page)).toHaveText('Everybody now needs a second factor')
  await page.goto('/leads')
  await expect(page).toHaveURL('/second-factor')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up a second factor')
  await expect(page.getByText(`${partner.businessName} requires everybody to have one.`)).toBeVisible()
  await expectGoodLooks(page)

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Make passkey' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page).toHaveURL('/leads')
  await expect(page.getByText('No leads found')).toBeVisible()
})
