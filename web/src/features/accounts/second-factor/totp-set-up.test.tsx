import { fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../../testing/open-app.tsx'
import { data } from '../../../testing/server.ts'
import { serveSignedIn } from '../../../testing/signed-in.ts'

test('the secret on the page stays the same when the page fetches its data again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let secrets = 0
  const { seen } = serveSignedIn({
    'GET /account/second-factor': () => ({
      body: data({ totp: null, passkeys: [], recovery_codes_left: 0, is_required: false }),
    }),
    'POST /account/totp': () => {
      secrets += 1
      return { status: 201, body: data({ secret: `SECRET0${secrets}`, otpauth_url: 'otpauth://totp/portal' }) }
    },
  })
  openApp('/second-factor')
  fireEvent.click(await screen.findByRole('button', { name: 'Set up authenticator app' }))
  expect(await screen.findByText('SECR ET01')).toBeDefined()
  // Without a live stream, the page fetches all its data again every 15 seconds.
  const callsOf = (wanted: string) => seen.filter(({ path }) => path === wanted).length
  await vi.waitFor(() => expect(callsOf('/live')).toBe(1), { timeout: 10_000 })
  await vi.advanceTimersByTimeAsync(20_000)
  expect(callsOf('/account/second-factor')).toBe(2)
  expect(screen.getByText('SECR ET01')).toBeDefined()
  expect(secrets).toBe(1)
})
