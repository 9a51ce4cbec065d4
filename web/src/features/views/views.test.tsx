import type { ListView } from '@portal/contract/views.ts'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const HOT: ListView = {
  id: '0190a8e0-0000-7000-8000-000000000001',
  list: 'leads',
  name: 'Hot leads',
  query: 'sort=-loan_amount&sorted=all&status=Contacted',
  is_shared: true,
  is_mine: true,
  is_default: false,
  owner_name: 'Mia Harbour',
}

function serveViews(views: ListView[]) {
  const kept = [...views]
  return serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf({})] }) }),
    'GET /dashboard/views': () => ({ body: data({ views: kept }) }),
    'POST /dashboard/views': ({ body }) => {
      const made = { ...HOT, ...Object(body), id: HOT.id.replace(/1$/, '2'), is_shared: false }
      kept.push(made)
      return { body: data(made) }
    },
  })
}

test('a list without anything in its address opens its default view, and all of the list stays a click away', async () => {
  const server = serveViews([{ ...HOT, is_default: true }])
  const user = openApp('/leads')
  await waitFor(() => expect(window.location.search).toBe(`?${HOT.query}&view=${HOT.id}`))
  const button = await screen.findByRole('button', { name: 'Views: Hot leads' })
  expect(server.seen.findLast(({ path }) => path === '/dashboard/leads')?.query).toEqual({
    limit: '20',
    status: 'Contacted',
    sort: 'loan_amount',
    order: 'desc',
  })

  await user.click(button)
  await user.click(await screen.findByRole('link', { name: 'All leads' }))
  await waitFor(() => expect(window.location.search).toBe('?view=all'))
  expect(await screen.findByRole('button', { name: 'Views' })).toBeDefined()
})

test('clearing the filters of a default view shows all leads', async () => {
  serveViews([{ ...HOT, query: 'status=Contacted', is_default: true }])
  const user = openApp('/leads')
  await user.click(await screen.findByRole('button', { name: /^Contacted.*remove this filter/ }))
  expect(await screen.findByRole('button', { name: 'Views: Hot leads, changed' })).toBeDefined()
  expect(window.location.search).toBe(`?view=${HOT.id}`)
})

test('by keyboard, what the list shows is kept under a name and is then in the address', async () => {
  const server = serveViews([HOT])
  const user = openApp('/leads?status=Contacted&page=2')
  const button = await screen.findByRole('button', { name: 'Views' })
  button.focus()
  await user.keyboard('{Enter}')
  const list = await screen.findByRole('list', { name: 'Views of leads' })
  expect(
    within(list)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(['All leads', 'Hot leads'])

  await user.type(screen.getByRole('textbox', { name: 'Keep what the list shows as' }), 'Contacted{Enter}')
  await waitFor(() => expect(window.location.search).toMatch(/^\?status=Contacted&view=.*2$/))
  expect(server.seen.find(({ method, path }) => method === 'POST' && path === '/dashboard/views')?.body).toEqual({
    list: 'leads',
    name: 'Contacted',
    query: 'status=Contacted',
  })
  expect(await screen.findByRole('button', { name: 'Views: Contacted' })).toBeDefined()
})
