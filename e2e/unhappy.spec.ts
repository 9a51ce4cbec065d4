import { type APIRequestContext, expect } from '@playwright/test'
import { ownTest as test } from './session.ts'

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
