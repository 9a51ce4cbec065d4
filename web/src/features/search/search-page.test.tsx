import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf, leadOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

test('results are shown in a table of leads and a table of deals, with the number of results', async () => {
  const server = serveSignedIn({
    'GET /crm/search': () => ({
      body: data({
        leads: [leadOf()],
        deals: [{ ...dealOf({ loid: 'LO-AAAAAAA1' }), contact_person: 'Mia Singh' }],
        total_leads: 70,
        total_deals: 1,
      }),
    }),
  })
  openApp('/search?q=0412')
  expect(await screen.findByRole('table', { name: 'Leads found' })).toBeDefined()
  expect(screen.getByRole('table', { name: 'Deals found' })).toBeDefined()
  expect(screen.getByText('71 results', { exact: false })).toBeDefined()
  expect(screen.getByText('The newest 1 of 70')).toBeDefined()
  const all = screen.getByRole<HTMLAnchorElement>('link', { name: 'All 70 in Leads' })
  expect(all.getAttribute('href')).toBe('/leads?search=0412&searchIn=all')
  expect(server.seen.find(({ path }) => path === '/crm/search')?.query).toEqual({ q: '0412' })
})

test.each([
  [1_000, 'The newest 1 of 1,000', '1,003 results'],
  [1_001, 'The newest 1 of 1,000+', '1,003+ results'],
])('if the server counts %i leads, the page says: %s', async (total_leads, ofLeads, inAll) => {
  serveSignedIn({
    'GET /crm/search': () => ({ body: data({ leads: [leadOf()], deals: [], total_leads, total_deals: 3 }) }),
  })
  openApp('/search?q=a')
  expect(await screen.findByText(ofLeads)).toBeDefined()
  expect(screen.getByText(inAll, { exact: false })).toBeDefined()
})

test('a LOID that finds one record opens the record', async () => {
  serveSignedIn({
    'GET /crm/search': () => ({
      body: data({ leads: [leadOf({ loid: 'LO-AAAAAAA1' })], deals: [], total_leads: 1, total_deals: 0 }),
    }),
  })
  openApp('/search?q=LOID:%20lo%20aaaaaaa1')
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-AAAAAAA1'))
})

test('a search without results gives hints', async () => {
  serveSignedIn({
    'GET /crm/search': () => ({ body: data({ leads: [], deals: [], total_leads: 0, total_deals: 0 }) }),
  })
  openApp('/search?q=zz')
  expect(await screen.findByText('No results found for “zz”')).toBeDefined()
  expect(screen.getByText(/Loan types or industries/)).toBeDefined()
  expect(screen.getByRole('heading', { name: 'Quick Actions' })).toBeDefined()
})

test('while a new search runs, the page does not show the number of results of the last search', async () => {
  const released = Promise.withResolvers<void>()
  serveSignedIn({
    'GET /crm/search': async ({ query }) => {
      if (query['q'] === 'new') await released.promise
      return { body: data({ leads: [], deals: [], total_leads: 0, total_deals: 0 }) }
    },
  })
  const user = openApp('/search?q=old')
  await screen.findByText('No results found for “old”')
  const box = screen.getByRole('searchbox')
  await user.clear(box)
  await user.type(box, 'new{Enter}')
  expect(await screen.findByRole('status', { name: 'Searching' })).toBeDefined()
  expect(screen.getByText('Searching for').parentElement?.textContent).toBe('Searching for “new”')
  expect(screen.queryByText('No results found for “new”')).toBeNull()
  released.resolve()
  expect(await screen.findByText('No results found for “new”')).toBeDefined()
})

test('the page says that a search failed', async () => {
  serveSignedIn({ 'GET /crm/search': () => ({ status: 400, body: failure('Search failed', 'X') }) })
  openApp('/search?q=zz')
  expect(await screen.findByText('Search failed')).toBeDefined()
  expect(screen.queryByText(/Searching/)).toBeNull()
})

test('an empty search opens the dashboard', async () => {
  serveSignedIn({})
  openApp('/search?q=')
  await waitFor(() => expect(window.location.pathname).toBe('/dashboard'))
})
