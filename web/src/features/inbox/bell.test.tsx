import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data } from '../../testing/server.ts'
import { NO_NEWS, paged, serveSignedIn } from '../../testing/signed-in.ts'

test('the panel closes when the person leaves the page, and stays closed when the page opens again', async () => {
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }),
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
  })
  const user = openApp('/deals')
  await user.click(within(await screen.findByRole('navigation', { name: 'Main' })).getByRole('link', { name: 'Leads' }))
  await screen.findByRole('heading', { level: 1, name: 'Leads' })
  const bell = screen.getByRole('button', { name: 'What is new' })
  await user.click(bell)
  expect(await screen.findByText('You are up to date')).toBeDefined()

  window.history.back()
  await screen.findByRole('heading', { level: 1, name: 'Deals' })
  await waitFor(() => expect(bell.getAttribute('aria-expanded')).toBe('false'))
  window.history.forward()
  await screen.findByRole('heading', { level: 1, name: 'Leads' })
  expect(bell.getAttribute('aria-expanded')).toBe('false')
})

test('what the person reads on another page of this browser is read here too', async () => {
  let total = 1
  serveSignedIn({
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
    'GET /dashboard/news': () => ({ body: data({ ...NO_NEWS, total }) }),
  })
  openApp('/deals')
  await screen.findByRole('button', { name: 'What is new: 1' })
  total = 0
  const other = new BroadcastChannel('inbox')
  other.postMessage(null)
  expect(await screen.findByRole('button', { name: 'What is new' })).toBeDefined()
  other.close()
})
