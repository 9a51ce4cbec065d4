import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

test('an owner accepts the agreement, and one that changed while the page was open is read again first', async () => {
  let version = '1'
  let isAccepted = false
  const state = () => ({
    agreement: {
      version,
      required_from: '2027-03-01',
      text: `# Terms ${version}`,
      sha256: version.repeat(64),
      is_required: false,
      is_accepted: isAccepted,
    },
    accepted: isAccepted
      ? [{ version, sha256: version.repeat(64), agreed_at: '2027-01-01T00:00:00.000Z', by: 'Ada', ip: '203.0.113.7' }]
      : [],
  })
  serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({
        partnerId: 'p1',
        personId: 'h1',
        role: 'owner',
        hold: null,
        agreement: isAccepted ? null : { version, required_from: '2027-03-01', is_required: false },
      }),
    }),
    'GET /account/agreement': () => ({ body: data(state()) }),
    'POST /account/agreement': ({ body }) => {
      if (JSON.stringify(body) !== JSON.stringify({ version, sha256: version.repeat(64) })) {
        return { status: 409, body: failure('The agreement has changed.', 'CONFLICT') }
      }
      isAccepted = true
      return { body: data(state()) }
    },
  })
  const user = openApp('/profile/notifications')
  const text = await screen.findByRole('region', { name: 'The text of the agreement' })
  expect(within(text).getByRole('heading', { name: 'Terms 1' })).toBeDefined()
  expect(
    await screen.findByText(/From Mar 1, 2027, the lender’s agreement, version 1, is needed to submit/),
  ).toBeDefined()
  const accept = () => screen.getByRole('button', { name: /Accept version/ })
  expect(accept()).toHaveProperty('disabled', true)

  version = '2'
  await user.click(screen.getByRole('checkbox', { name: /I have read/ }))
  await user.click(accept())
  await screen.findByRole('heading', { name: 'Terms 2' })
  expect(accept()).toHaveProperty('disabled', true)
  await user.click(screen.getByRole('checkbox', { name: /I have read/ }))
  await user.click(accept())
  expect((await screen.findByRole('list', { name: 'Accepted' })).textContent).toContain(`Version 2 accepted by Ada on`)
  await waitFor(() => expect(screen.queryByText(/is needed to submit/)).toBeNull())
})
