import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

test('the bar marks one entry: on the form of a new lead this is New, and on the pages of leads it is Leads', async () => {
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }),
    'GET /dashboard/leads/duplicates': () => ({ body: data({ duplicates: [] }) }),
  })
  const user = openApp('/leads')
  const bar = await screen.findByRole('navigation', { name: 'Shortcuts' })
  const current = () =>
    within(bar)
      .getAllByRole('link', { current: 'page' })
      .map(({ textContent }) => textContent)
  expect(current()).toEqual(['Leads'])
  await user.click(within(bar).getByRole('link', { name: 'New' }))
  await screen.findByRole('heading', { name: 'New Lead' })
  expect(current()).toEqual(['New'])
})
