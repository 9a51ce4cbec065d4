import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const ENTRY = {
  id: '0197-1',
  title: 'Note added',
  description: 'Acacia Joinery',
  quote: null,
  loid: null,
  about: null,
  by: null,
  is_new: false,
  created_at: '2026-11-20T00:00:00.000Z',
}

test('the button for older entries appears together with the entries, because nothing may push it down', async () => {
  const views = Promise.withResolvers<void>()
  const server = serveSignedIn({
    'GET /activity': () => ({ body: data({ activities: [ENTRY], next_cursor: ENTRY.id }) }),
    'GET /dashboard/views': async () => {
      await views.promise
      return { body: data({ views: [] }) }
    },
  })
  openApp('/activity')
  await expect.poll(() => server.seen.some(({ path }) => path === '/activity')).toBe(true)
  await new Promise((answered) => setTimeout(answered))
  expect(screen.getByRole('status', { name: 'Loading activity' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()

  views.resolve()
  expect(await screen.findByText('Note added')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Load more' })).toBeDefined()
})
