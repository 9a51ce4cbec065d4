import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'

test('if the invitation cannot be looked up because of too many requests, Try Again looks it up', async () => {
  const answers = [
    { status: 429, body: failure('Too many requests. Please wait a moment.', 'RATE_LIMITED') },
    { body: data({ businessName: 'Acme Broking', email: 'bo@acme.example', firstName: 'Bo' }) },
  ]
  serve({ 'POST /auth/invitation': () => answers.shift() ?? { status: 404, body: failure('Not found', 'NOT_FOUND') } })
  const user = openApp('/invite?token=tok')
  expect(await screen.findByText('Too many requests. Please wait a moment.')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('heading', { name: 'Join Acme Broking' })).toBeDefined()
})
