import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

test('an announcement is shown without its HTML above each page, until the person puts it away', async () => {
  const text = '# Friday\nWe are **closed**. <img src=x onerror=alert(1)> [More](https://lender.example/friday)'
  const { seen } = serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', personId: 'h1', hold: null, announcement: { id: 'a1', text } }),
    }),
    'POST /account/announcement/put-away': () => ({ body: data({}) }),
    'GET /profile': () => ({ body: data({}) }),
  })
  const user = openApp('/profile')
  const announcement = await screen.findByRole('region', { name: 'From the lender' })
  expect(announcement.textContent).toContain('FridayWe are closed. <img src=x onerror=alert(1)> More')
  expect(announcement.querySelector('img')).toBeNull()
  expect(screen.getByRole('link', { name: 'More' }).getAttribute('href')).toBe('https://lender.example/friday')
  await user.click(screen.getByRole('button', { name: 'Put this announcement away' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'From the lender' })).toBeNull())
  expect(seen.filter(({ path }) => path === '/account/announcement/put-away')).toMatchObject([{ body: { id: 'a1' } }])
})
