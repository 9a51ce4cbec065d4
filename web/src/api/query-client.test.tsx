import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { App } from '../app/app.tsx'
import { paths } from '../app/paths.ts'
import { createAppRouter } from '../app/routes.tsx'
import { openApp } from '../testing/open-app.tsx'
import { leadOf } from '../testing/records.ts'
import { failure } from '../testing/server.ts'
import { paged, serveSignedIn } from '../testing/signed-in.ts'
import { createQueryClient } from './query-client.ts'

test('a page does not repeat a call that failed in its loader, but a later visit does', async () => {
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ status: 404, body: failure('Lead not found', 'NOT_FOUND') }),
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
  })
  const asked = () => server.seen.filter(({ path }) => path === '/crm/lead/LO-7K3M9QAZ')
  window.history.replaceState(null, '', '/leads/LO-7K3M9QAZ')
  // Drawing the page takes longer than 'just now' on a busy machine.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  const queryClient = createQueryClient()
  const router = createAppRouter(queryClient)
  await router.load()
  await waitFor(() => expect(queryClient.getQueryState(['leads', 'detail', 'LO-7K3M9QAZ'])?.status).toBe('error'))

  const user = userEvent.setup()
  render(<App router={router} />)
  expect(await screen.findByText('Failed to load lead details')).toBeDefined()
  expect(asked()).toHaveLength(1)
  clock.mockReturnValue(Date.now() + 2_000)

  await user.click(screen.getAllByRole('link', { name: 'Back to Leads' })[0] ?? document.body)
  await screen.findByRole('table', { name: 'Leads' })
  const before = asked().length
  await router.navigate(paths.lead('LO-7K3M9QAZ'))
  expect(await screen.findByText('Failed to load lead details')).toBeDefined()
  expect(asked()).toHaveLength(before + 1)
})

test('a page without a loader repeats a failed call on a later visit', async () => {
  const server = serveSignedIn({ 'GET /profile': () => ({ status: 400, body: failure('No', 'X') }) })
  const asked = () => server.seen.filter(({ path }) => path === '/profile')
  const user = openApp('/profile')
  await screen.findByRole('button', { name: 'Try Again' })
  await user.click(screen.getByRole('link', { name: 'API Keys' }))
  await screen.findByRole('heading', { name: 'API Keys' })
  // A busy machine may draw each part of the page later than 'just now', so that each part calls.
  const before = asked().length
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 2_000)
  await user.click(screen.getByRole('link', { name: 'Profile Settings' }))
  await waitFor(() => expect(asked().length).toBeGreaterThan(before))
})
