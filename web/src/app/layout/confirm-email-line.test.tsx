import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const TEXT = 'Confirm your email address to connect to your existing records'

test('if a sync is refused because the email address is unconfirmed, the page says why and offers to send the link again', async () => {
  let mustConfirmEmail = false
  const server = serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'ada@acme.example', mustConfirmEmail }),
    }),
    'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }),
    'POST /dashboard/sync-leads': () => ({ status: 409, body: failure(TEXT, 'CONFIRM_EMAIL') }),
    'POST /auth/send-verification': () => ({ body: data({}) }),
  })
  const user = openApp('/leads')
  const sync = await screen.findByRole('button', { name: 'Sync from CRM' })
  await waitFor(() => expect(server.seen.some(({ path }) => path === '/auth/verify')).toBe(true))
  expect(screen.queryByRole('button', { name: 'Send the link again' })).toBeNull()
  mustConfirmEmail = true
  await user.click(sync)
  expect(await screen.findByText(`Sync failed: ${TEXT}`)).toBeDefined()
  await user.click(await screen.findByRole('button', { name: 'Send the link again' }))
  expect(await screen.findByText('The link is on its way to ada@acme.example')).toBeDefined()
})

test('until the person has confirmed the email address, each page says so', async () => {
  let hasUnverifiedEmail = true
  serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'ada@acme.example', hasUnverifiedEmail }),
    }),
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
  })
  const user = openApp('/deals')
  expect(await screen.findByText(/^Open the link that we mailed to ada@acme.example/)).toBeDefined()
  await user.click(await screen.findByRole('link', { name: 'View Your Leads' }))
  expect(screen.getByText('Confirm your email address', { exact: false })).toBeDefined()
  hasUnverifiedEmail = false
  document.dispatchEvent(new Event('visibilitychange'))
  await waitFor(() => expect(screen.queryByText('Confirm your email address', { exact: false })).toBeNull())
})

test('while the CRM hides records or takes none, each page says so and that nothing is lost', async () => {
  let [hiddenRecords, crmTakesNone] = [5, true]
  serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({
        partnerId: 'p1',
        businessName: 'Acme',
        partnerEmail: 'ada@acme.example',
        hiddenRecords,
        crmTakesNone,
      }),
    }),
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
  })
  openApp('/deals')
  expect(await screen.findByText(/does not show 5 records of yours/)).toBeDefined()
  expect(screen.getByText(/does not take new records at the moment/)).toBeDefined()
  ;[hiddenRecords, crmTakesNone] = [0, false]
  document.dispatchEvent(new Event('visibilitychange'))
  await waitFor(() => expect(screen.queryByText(/of yours at the moment/)).toBeNull())
})
