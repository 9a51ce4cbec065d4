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
  const kept = structuredClone(views)
  return serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf({})] }) }),
    'GET /dashboard/views': () => ({ body: data({ views: kept }) }),
    [`PUT /dashboard/views/${HOT.id}`]: ({ body }) => {
      Object.assign(kept[0] ?? {}, body)
      return { body: data(kept[0]) }
    },
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

test('by keyboard, a view of one’s own gets another name, and the focus returns to its button', async () => {
  const server = serveViews([HOT])
  const user = openApp(`/leads?${HOT.query}&view=${HOT.id}`)
  await user.click(await screen.findByRole('button', { name: 'Views: Hot leads' }))
  const rename = await screen.findByRole('button', { name: 'Rename Hot leads' })
  rename.focus()
  await user.keyboard('{Enter}')
  const box = await screen.findByRole('textbox', { name: 'New name of Hot leads' })
  await waitFor(() => expect(document.activeElement).toBe(box))
  await user.clear(box)
  await user.type(box, 'Warm leads{Enter}')
  const renamed = await screen.findByRole('button', { name: 'Rename Warm leads' })
  await waitFor(() => expect(document.activeElement).toBe(renamed))
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ name: 'Warm leads' })
  expect(screen.getByRole('button', { name: 'Views: Warm leads' })).toBeDefined()
})
