import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { approvalCrmUrl, approvalPortalUrl } from './addresses.ts'
import { mailedToken } from './mailed-token.ts'
import { openLive } from './open-live.ts'
import { newAccount, signIn } from './partner.ts'
import { isAlive, type Product, startProduct } from './product.ts'
import { signedOut as test } from './session.ts'

test.skip(process.platform !== 'linux', 'the test needs /proc to find processes')
test.use({ baseURL: approvalPortalUrl })

const root = path.resolve(import.meta.dirname, '..')
const REASON = 'Your email about the user agreement is outstanding. Call us on 02 5550 1900.'

test('a partner signs up, waits for the lender’s team, works once it is active, and reads why it is suspended', async ({
  page,
  context,
}) => {
  test.setTimeout(180_000)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal by approval-'))
  // PostgreSQL may run as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'data')
  const settings = { SIGNUP: 'approval' }
  let product: Product | undefined
  try {
    const ports = { PORT: new URL(approvalPortalUrl).port, CRM_PORT: new URL(approvalCrmUrl).port }
    execFileSync(
      path.join(root, 'node_modules/.bin/node'),
      ['scripts/run.mjs', 'run', 'server/src/cli.ts', 'crm', 'setup', 'access'],
      {
        cwd: root,
        env: { ...process.env, ...settings, ...ports, NODE_ENV: 'development', DATA_DIR: dataDir, SEED_DEMO: 'false' },
      },
    )
    product = await startProduct(dataDir, { portalUrl: approvalPortalUrl, crmUrl: approvalCrmUrl, settings })

    const account = newAccount()
    await page.goto('/signup')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Business name').fill(account.businessName)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByLabel('Confirm password').fill(account.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/login')
    await signIn(page, account)
    const outbox = path.join(dataDir, 'outbox')
    await expect.poll(() => mailedToken('verify-email', account.email, outbox), { timeout: 30_000 }).toBeTruthy()
    await page.goto(`/verify-email?token=${mailedToken('verify-email', account.email, outbox)}`)
    await expect(page.getByText('Your email address is verified.')).toBeVisible()
    await openLive(page, '/dashboard')
    await expect(page.getByText('Your lender will confirm your account.')).toBeVisible()

    // The lender's team finds the partner on the staff page, and lets it in.
    const staff = await context.newPage()
    await staff.goto(`${approvalCrmUrl}/partners`)
    await staff.getByRole('link', { name: account.businessName, exact: true }).click()
    const access = staff.getByRole('combobox', { name: 'Portal Access' })
    await expect(access).toHaveValue('Pending')
    await access.selectOption('Active')
    await staff.getByRole('button', { name: 'Save fields' }).click()
    await page.bringToFront()
    await expect(page.getByText('Your lender will confirm your account.')).toBeHidden({ timeout: 15_000 })

    await access.selectOption('Suspended')
    await staff.getByRole('textbox', { name: 'Portal Access Reason' }).fill(REASON)
    await staff.getByRole('button', { name: 'Save fields' }).click()
    await page.bringToFront()
    await page.waitForURL('**/login', { timeout: 15_000 })
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText(REASON)
  } finally {
    for (const pid of product?.pids() ?? []) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})
