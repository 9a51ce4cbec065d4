import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../../testing/open-app.tsx'
import { data } from '../../../testing/server.ts'
import { serveSignedIn } from '../../../testing/signed-in.ts'

const FACTOR = { totp: { added_at: '2026-11-20T01:00:00.000Z' }, passkeys: [], recovery_codes_left: 4 }

test('removing the last second factor warns that the password alone then suffices', async () => {
  serveSignedIn({ 'GET /account/second-factor': () => ({ body: data({ ...FACTOR, is_required: false }) }) })
  const user = openApp('/second-factor')
  await user.click(await screen.findByRole('button', { name: 'Remove authenticator app' }))
  const text = 'You will then sign in with your password alone.'
  expect((await screen.findByRole('alertdialog')).textContent).toContain(text)
})

test('the last second factor cannot be removed if the business requires one', async () => {
  serveSignedIn({ 'GET /account/second-factor': () => ({ body: data({ ...FACTOR, is_required: true }) }) })
  openApp('/second-factor')
  await screen.findByText(/^Added/)
  expect(screen.queryByRole('button', { name: 'Remove authenticator app' })).toBeNull()
})

test('if the answer to a set-up or a removal is lost, the card shows what the server has', async () => {
  let totp: typeof FACTOR.totp | null = null
  const loseAnswer = (next: typeof totp) => () => {
    totp = next
    throw new TypeError('Failed to fetch')
  }
  serveSignedIn({
    'GET /account/second-factor': () => ({ body: data({ ...FACTOR, totp, is_required: false }) }),
    'POST /account/totp': () => ({
      status: 201,
      body: data({ secret: 'SECRET', otpauth_url: 'otpauth://totp/portal' }),
    }),
    'POST /account/totp/confirm': loseAnswer(FACTOR.totp),
    'DELETE /account/totp': loseAnswer(null),
  })
  const user = openApp('/second-factor')
  await user.click(await screen.findByRole('button', { name: 'Set up authenticator app' }))
  await user.type(await screen.findByLabelText('Code from the app'), '123456')
  await user.click(screen.getByRole('button', { name: 'Turn on' }))
  expect(await screen.findByText('Network error')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))

  await user.click(await screen.findByRole('button', { name: 'Remove authenticator app' }))
  await user.click(await screen.findByRole('button', { name: 'Remove' }))
  expect(await screen.findByText('Network error')).toBeDefined()
  expect(await screen.findByRole('button', { name: 'Set up authenticator app' })).toBeDefined()
})
