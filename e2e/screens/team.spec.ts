import { expect } from '@playwright/test'
import { addDevice } from '../add-device.ts'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { mailedToken } from '../mailed-token.ts'
import { PHONE } from '../screen-sizes.ts'
import { submitOnPage } from '../submit-on-page.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const TEAM = '**/api/team'
const INVITATIONS = '**/api/team/invitations'
/** Entries that the first test leaves in the security log. */
const LOGGED = [
  'Email address confirmed',
  'Invited: Robin Lee',
  'Joined the team',
  'Passkey added',
  'Role changed: Robin Lee',
  'Person deactivated: Robin Lee',
]

test('an owner invites a broker, the broker joins on a phone and submits a lead, and the owner deactivates the broker', async ({
  page,
  partner,
  browser,
  request,
}) => {
  const email = `robin-${partner.number}@saltbush.example`
  const headers = { authorization: `Bearer ${partner.token}` }
  await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
  const token = mailedToken('verify-email', partner.email)
  expect((await request.post('/api/auth/verify-email', { headers, data: { token } })).status()).toBe(200)

  await test.step('the owner invites the broker, and the form keeps its values when sending fails', async () => {
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Team' }).click()
    await expect(page.getByRole('list', { name: 'People' }).getByRole('listitem')).toHaveCount(1)
    await page.getByRole('button', { name: 'Invite a Person' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a Person' })
    await expect(dialog.getByLabel('First name')).toBeFocused()
    await dialog.getByRole('button', { name: 'Send Invitation' }).click()
    await expect(dialog).toContainText('First name is required')
    await dialog.getByLabel('First name').fill('Robin')
    await dialog.getByLabel('Last name').fill('Lee')
    await dialog.getByLabel('Email').fill(partner.email)
    await dialog.getByRole('button', { name: 'Send Invitation' }).click()
    await expect(dialog).toContainText('This address already has an account.')
    await dialog.getByLabel('Email').fill(email)
    const mend = await breakAnswers(page, INVITATIONS, { status: 500, error: 'Not now' })
    await dialog.getByRole('button', { name: 'Send Invitation' }).click()
    await expect(dialog.getByRole('alert')).toContainText('Not now')
    await expectGoodLooks(page)
    await mend()
    await dialog.getByRole('button', { name: 'Send Invitation' }).click()
    await expect(toasts(page).last()).toHaveText(`The invitation is on its way to ${email}`)
    await expect(page.getByRole('list', { name: 'Open invitations' })).toContainText('Robin Lee')
    await expectGoodLooks(page)
  })

  const phone = await browser.newContext(PHONE)
  const broker = await phone.newPage()
  await test.step('the broker accepts on a phone, adds a passkey and submits a lead', async () => {
    await expect.poll(() => mailedToken('invite', email)).toBeDefined()
    await broker.goto(`/invite?token=${mailedToken('invite', email)}`)
    await expect(broker.getByRole('heading', { level: 1 })).toHaveText(`Join ${partner.businessName}`)
    await expectGoodLooks(broker)
    await broker.getByLabel('Password', { exact: true }).fill('robin-lee')
    await broker.getByLabel('Confirm password').fill('robin-lee')
    await broker.getByRole('button', { name: 'Accept Invitation' }).click()
    await expect(broker.getByText('It contains your name.')).toBeVisible()
    await broker.getByLabel('Password', { exact: true }).fill('correct-horse-battery')
    await broker.getByLabel('Confirm password').fill('correct-horse-battery')
    await broker.getByRole('button', { name: 'Accept Invitation' }).click()
    await expect(broker).toHaveURL('/dashboard')
    await addDevice(broker)
    await broker.goto('/profile/security')
    await broker.getByRole('button', { name: 'Add a passkey' }).click()
    await broker.getByRole('button', { name: 'Make passkey' }).click()
    await broker.getByRole('button', { name: 'I have saved them' }).click()
    await expectGoodLooks(broker)
    await broker.goto('/dashboard')
    await broker.getByRole('link', { name: 'New Lead' }).click()
    await submitOnPage(broker, 'Saltbush Transport', 'Equipment Financing')
    await expect(broker.getByPlaceholder('Write a note…')).toBeVisible()
    await broker.getByRole('button', { name: 'More' }).click()
    const menu = broker.getByRole('dialog', { name: 'Menu' })
    await expect(menu.getByRole('link', { name: /^Leads/ })).toBeVisible()
    for (const name of ['Team', 'API Keys', 'Webhook'])
      await expect(broker.getByRole('link', { name, exact: true })).toHaveCount(0)
    await menu.getByRole('link', { name: /^Leads/ }).click()
    await expect(broker.getByRole('link', { name: 'New Lead' })).toBeVisible()
  })

  await test.step('as a viewer, the broker can no longer submit leads, even on a page that is already open', async () => {
    await page.reload()
    await expect(page.getByRole('list', { name: 'People' })).toContainText('Last seen: Just now')
    await page.getByLabel('Role of Robin Lee').selectOption('Viewer')
    await expect(toasts(page).last()).toHaveText('Robin Lee is now a viewer')
    await expect(broker.getByRole('link', { name: 'New Lead' })).toHaveCount(0)
    await broker.getByRole('link', { name: 'View Saltbush Transport' }).click()
    await expect(broker.getByRole('radio', { name: 'Notes (0)' })).toBeVisible()
    await expect(broker.getByPlaceholder('Write a note…')).toHaveCount(0)
    await expectGoodLooks(broker)
    await broker.goto('/leads/new')
    await expect(broker).toHaveURL('/dashboard')
  })

  await test.step('a deactivated broker is signed out, and the broker’s leads stay', async () => {
    await page.getByRole('button', { name: 'Deactivate Robin Lee' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
    await expect(toasts(page).last()).toHaveText('Robin Lee is deactivated')
    await expect(page.getByRole('list', { name: 'People' })).toContainText('Deactivated')
    await expectGoodLooks(page)
    await broker.goto('/leads')
    await expect(broker).toHaveURL('/login')
    await broker.getByLabel('Email').fill(email)
    await broker.getByLabel('Password', { exact: true }).fill('correct-horse-battery')
    await broker.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(broker.getByRole('alert')).toHaveText('Your account is inactive. Please contact support.')
    await page.getByRole('link', { name: /^Leads/ }).click()
    await expect(page.getByRole('row').filter({ hasText: 'Saltbush Transport' })).toContainText('by Robin Lee')
  })

  await test.step('the security log shows the owner these steps, and filters them by person and type', async () => {
    await page.getByRole('link', { name: 'Security Log' }).click()
    const entries = page.getByRole('table', { name: 'Security log' }).getByRole('row')
    for (const words of LOGGED) await expect(entries.filter({ hasText: words }).first()).toBeVisible()
    await expectGoodLooks(page)
    await page.getByLabel('Who').selectOption('Robin Lee')
    await expect(entries.filter({ hasText: 'Invited' })).toHaveCount(0)
    await page.getByLabel('Type').selectOption('Second factor')
    await expect(entries).toHaveText([/^What/, /^Passkey added/])
  })
  await phone.close()
})

test('/team shows that it is loading, tries again after a failure, and refuses to change the role of the last owner', async ({
  page,
}) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, TEAM)
  await page.goto('/team')
  await expect(page.getByRole('status', { name: 'Loading the team' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  const people = page.getByRole('list', { name: 'People' })
  await expect(people).toContainText('You')

  const mend = await breakAnswers(page, TEAM, { status: 500, error: 'Not now' })
  await page.reload()
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('Failed to load the team')
  await mend()
  await failure.getByRole('button', { name: 'Try Again' }).click()

  await people.getByRole('combobox').selectOption('Viewer')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change My Role' }).click()
  await expect(toasts(page).last()).toContainText('needs an active owner')
  await expect(people.getByRole('combobox')).toHaveValue('owner')

  await page.getByRole('button', { name: 'Invite a Person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a Person' })
  await dialog.getByLabel('First name').fill('Robin')
  await dialog.getByLabel('Email').fill('robin@saltbush.example')
  await dialog.getByRole('button', { name: 'Send Invitation' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Confirm your own email address before you invite others')
  await expectGoodLooks(page)
})

test('/invite says that a link is no longer valid', async ({ page }) => {
  await page.goto('/invite?token=unknown')
  await expect(page.getByRole('alert')).toContainText('This invitation is no longer valid.')
  await expectGoodLooks(page)
})
