import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, type Page, test as signedOut } from '@playwright/test'
import { listLeads } from '../contract/src/leads.ts'
import { signUp } from './partner.ts'
import { ownTest as test } from './session.ts'

const SUBMISSIONS = /\/api\/dashboard\/leads$/

test('a lead whose submission fails is kept, and sent again becomes one lead', async ({
  page,
  context,
  request,
  own,
}) => {
  await page.goto('/leads/new')
  const business = await fillLead(page)
  const submit = page.getByRole('button', { name: 'Submit Lead' })
  const expectKept = async () => {
    await expect(page.getByLabel('Business Name')).toHaveValue(business)
    await expect(page.getByLabel('Phone')).toHaveValue('0491 570 156')
    await expect(page.getByLabel('Loan Amount')).toHaveValue('$250,000')
    await expect(page.getByLabel('Loan Type')).toHaveValue('Equipment Financing')
  }

  await test.step('the server is in trouble', async () => {
    await page.route(SUBMISSIONS, (route) =>
      route.fulfill({ status: 500, json: { success: false, error: 'Oh', code: 'INTERNAL' } }),
    )
    await submit.click()
    await expect(page.getByText('Server error. Please try again or contact support.')).toBeVisible()
    await page.unroute(SUBMISSIONS)
    await expectKept()
  })

  await test.step('there is no connection', async () => {
    await context.setOffline(true)
    await submit.click()
    await expect(page.getByText('Network error. Please check your connection and try again.')).toBeVisible()
    await context.setOffline(false)
    await expectKept()
  })

  await test.step('the answer is lost', async () => {
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await page.route(SUBMISSIONS, async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await submit.click()
    await expect(page.getByText('Network error. Please check your connection and try again.')).toBeVisible()
    await page.unroute(SUBMISSIONS)
    await expectKept()
  })

  await submit.click()
  await expect(page).toHaveURL(/\/leads\/LO-[0-9A-Z]{8}$/)
  expect(await findLeads(request, own.token, business)).toHaveLength(1)
})

test('a double click on Submit makes one lead', async ({ page, request, own }) => {
  await page.goto('/leads/new')
  const business = await fillLead(page)
  await page.getByRole('button', { name: 'Submit Lead' }).dblclick()
  await expect(page).toHaveURL(/\/leads\/LO-[0-9A-Z]{8}$/)
  expect(await findLeads(request, own.token, business)).toHaveLength(1)
})

test('what is missing or wrong in the form is named', async ({ page }) => {
  await page.goto('/leads/new')
  const submit = page.getByRole('button', { name: 'Submit Lead' })
  await submit.click()
  const everything = 'First Name, Last Name, Email, Phone, Business Name'
  await expect(page.getByText(`Please fill in all required fields: ${everything}`)).toBeVisible()
  await expect(page.getByLabel('First Name')).toBeFocused()
  await expect(page.getByText('Phone number is required')).toBeVisible()

  await fillLead(page)
  await page.getByLabel('Last Name').fill('')
  await page.getByLabel('Email', { exact: true }).fill('jo@saltbush')
  await page.getByLabel('Phone').fill('12345')
  await submit.click()
  await expect(page.getByText('Please fill in all required fields: Last Name')).toBeVisible()
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await expect(page.getByText('Please enter a valid Australian or New Zealand phone number.')).toBeVisible()
  await expect(page).toHaveURL('/leads/new')
})

test('leaving the form warns only when something would be lost', async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'New Lead' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/leads')

  await page.getByRole('link', { name: 'New Lead' }).click()
  await page.getByLabel('First Name').fill('Jo')
  const dialog = page.getByRole('alertdialog')
  for (const name of ['Cancel', 'Back to Leads']) {
    await page.getByRole('link', { name }).click()
    await expect(dialog).toContainText('everything you entered will be lost')
    await dialog.getByRole('button', { name: 'Keep Editing' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByLabel('First Name')).toHaveValue('Jo')
  }
  await page.getByRole('link', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/leads')
})

test('leads that cannot be loaded can be asked for again', async ({ page }) => {
  const lists = /\/api\/dashboard\/leads\?/
  // A refusal is final at once; a server in trouble would be asked three times.
  await page.route(lists, (route) =>
    route.fulfill({ status: 403, json: { success: false, error: 'No', code: 'FORBIDDEN' } }),
  )
  await page.goto('/leads')
  await expect(page.getByText('Failed to load leads')).toBeVisible()
  await page.unroute(lists)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByText('Failed to load leads')).toHaveCount(0)
  await expect(page.getByRole('table', { name: 'Leads' }).or(page.getByText('No leads found'))).toBeVisible()
})

test('a note that is refused is kept until it is stored', async ({ page, request, own }) => {
  await page.goto(`/leads/${await submitLead(request, own.token)}`)
  const note = page.getByLabel('Add a note')
  const add = page.getByRole('button', { name: 'Add Note' })
  await add.click()
  await expect(page.getByText('Please enter a note before submitting')).toBeVisible()
  await note.fill('  Hi  ')
  await add.click()
  await expect(page.getByText('Note must be at least 5 characters long')).toBeVisible()
  await note.fill('x'.repeat(1_001))
  await expect(page.getByText('Note is too long. Please keep it under 1000 characters.')).toBeVisible()

  await note.fill('Please call after three')
  const failures = [
    { status: 403, error: 'You have no permission', text: 'You do not have permission to add notes to this lead.' },
    { status: 500, error: 'Full', text: 'Failed to add note: Full' },
  ]
  for (const { status, error, text } of failures) {
    await page.route('**/api/crm/note/**', (route) =>
      route.fulfill({ status, json: { success: false, error, code: 'X' } }),
    )
    await add.click()
    await expect(page.getByText(text)).toBeVisible()
    await expect(note).toHaveValue('Please call after three')
    await page.unroute('**/api/crm/note/**')
  }
  await add.click()
  await expect(page.getByText('Note added successfully')).toBeVisible()
  await expect(note).toHaveValue('')
  await expect(page.getByRole('list', { name: 'Notes' }).getByRole('listitem')).toHaveCount(1)
})

test('an address that leads nowhere says so and shows the way back', async ({ page }) => {
  const wrong = [
    { path: '/leads/%20', text: 'Invalid lead ID', back: 'Back to Leads' },
    { path: '/leads/LO-00000000', text: 'Failed to load lead details', back: 'Back to Leads' },
    { path: '/deals/%20', text: 'Invalid deal ID', back: 'Back to Deals' },
    { path: '/deals/LO-00000000', text: 'Deal not found', back: 'Back to Deals' },
  ]
  for (const { path, text, back } of wrong) {
    await page.goto(path)
    const failure = page.getByRole('alert')
    await expect(failure).toContainText(text)
    await expect(failure.getByRole('link', { name: back })).toBeVisible()
  }
})

test('a session that has ended leads to the sign-in page', async ({ page, request, own }) => {
  const { email, password } = own
  const { token } = await (await request.post('/api/auth/login', { data: { email, password } })).json()
  await page.goto('/leads')
  await page.evaluate(`localStorage.setItem('auth_token', '${token}')`)
  await request.post('/api/auth/logout', { headers: { authorization: `Bearer ${token}` } })
  await page.reload()
  await expect(page).toHaveURL('/login')
})

signedOut('a refused sign-in says why', async ({ page, request }) => {
  const { email, password } = await signUp(request)
  await page.goto('/login')
  const button = page.getByRole('button', { name: 'Sign in' })
  await expect(button).toBeDisabled()
  const enter = async (as: string, secret: string) => {
    await page.getByLabel('Email').fill(as)
    await page.getByLabel('Password', { exact: true }).fill(secret)
    await button.click()
  }
  await enter(email, 'not the password')
  await expect(page.getByRole('alert')).toHaveText('Incorrect password. Please try again or reset your password.')
  await enter(`nobody-${email}`, password)
  await expect(page.getByRole('alert')).toHaveText('Account not found. Please check your email or create an account.')
  await enter('nobody', password)
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await page.context().setOffline(true)
  await enter(email, password)
  await expect(page.getByRole('alert')).toHaveText('No internet connection. Please check your network and try again.')
  await page.context().setOffline(false)
  await button.click()
  await expect(page).toHaveURL('/dashboard')
})

/** The name of the business, which no other lead has. */
async function fillLead(page: Page): Promise<string> {
  const business = `Ironbark Joinery ${randomUUID().slice(0, 8)}`
  await page.getByLabel('First Name').fill('Jo')
  await page.getByLabel('Last Name').fill('Marsh')
  await page.getByLabel('Email', { exact: true }).fill(`${randomUUID().slice(0, 8)}@ironbark.example`)
  await page.getByLabel('Phone').fill('0491 570 156')
  await page.getByLabel('Business Name').fill(business)
  await page.getByLabel('Loan Amount').fill('250k')
  await page.getByLabel('Loan Amount').press('Tab')
  await page.getByLabel('Loan Type').selectOption('Equipment Financing')
  return business
}

async function submitLead(request: APIRequestContext, token: string): Promise<string> {
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
  return (await answer.json()).data.loid
}

async function findLeads(request: APIRequestContext, token: string, business: string) {
  const answer = await request.get('/api/dashboard/leads', {
    headers: { authorization: `Bearer ${token}` },
    params: { search: business },
  })
  return listLeads.answer.parse((await answer.json()).data).leads
}
