import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'

test('an address without an account is told so, and what was typed stays', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ status: 404, body: failure('Email not found', 'NOT_FOUND') }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  const text = 'No account found with this email address. Please check the email or create a new account.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@acme.example')
  expect(screen.getByRole('link', { name: 'Back to sign in' }).getAttribute('href')).toBe('/login')
})

test('in development the answer’s token leads straight to the new password', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ body: data({ resetToken: 'tok' }) }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  const link = await screen.findByRole('link', { name: 'Reset password now (development)' })
  expect(link.getAttribute('href')).toBe('/reset-password?token=tok')
})

test('in production no token is answered and no link shown', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ body: data({}) }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  expect(await screen.findByText(/Reset instructions are on their way/)).toBeDefined()
  expect(screen.queryByText('Reset password now (development)')).toBeNull()
})

test('a link without its token says what to do', async () => {
  serve({})
  openApp('/reset-password')
  const text = 'Invalid or missing reset token. Please request a new password reset.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.queryByLabelText('New password')).toBeNull()
})

async function resetTo(password: string) {
  const user = openApp('/reset-password?token=tok')
  await user.type(await screen.findByLabelText('New password'), password)
  await user.type(screen.getByLabelText('Confirm new password'), password)
  await user.click(screen.getByRole('button', { name: 'Reset password' }))
}

test('a reset password leads to the sign-in page', async () => {
  const server = serve({ 'POST /auth/reset-password': () => ({ body: data({}) }) })
  await resetTo('Kauri-harbour-9')
  expect(await screen.findByText(/Your password was changed/)).toBeDefined()
  expect(server.seen[0]?.body).toEqual({ token: 'tok', newPassword: 'Kauri-harbour-9' })
  await waitFor(() => expect(window.location.pathname).toBe('/login'))
})

test('a common password is told on its field, a used link above the form', async () => {
  let code = 'WEAK_PASSWORD'
  serve({ 'POST /auth/reset-password': () => ({ status: 400, body: failure('No', code) }) })
  await resetTo('password1')
  expect(await screen.findAllByText('Password is too weak. Please choose a stronger password.')).toHaveLength(1)
  expect(screen.getByLabelText('New password').getAttribute('aria-invalid')).toBe('true')
  code = 'INVALID_RESET_TOKEN'
  screen.getByRole('button', { name: 'Reset password' }).click()
  expect(await screen.findByText('Invalid reset token. Please request a new password reset.')).toBeDefined()
})

test('the link of the welcome mail verifies once', async () => {
  const server = serve({ 'POST /auth/verify-email': () => ({ body: data({}) }) })
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('Your email address is verified. Thank you.')).toBeDefined()
  expect(server.seen.filter(({ path }) => path === '/auth/verify-email')).toHaveLength(1)
})

test('a used verification link says so', async () => {
  serve({
    'POST /auth/verify-email': () => ({ status: 400, body: failure('Used', 'INVALID_VERIFICATION_TOKEN') }),
  })
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('This verification link is invalid or was already used.')).toBeDefined()
})
