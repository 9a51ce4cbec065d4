import type { SecurityEntry } from '@portal/contract/security-log.ts'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const ROBIN = '01900000-0000-7000-8000-000000000001'

function entryOf(given: Partial<SecurityEntry>): SecurityEntry {
  return {
    id: given.event ?? 'entry-1',
    at: '2026-11-20T01:00:00.000Z',
    event: 'signed-in',
    person: { id: 'ada', name: 'Ada Nguyen' },
    subject: null,
    detail: null,
    reason: null,
    ip: '203.0.113.7',
    browser: 'Safari on iOS',
    ...given,
  }
}

function logged(entries: SecurityEntry[], next_cursor: string | null = null) {
  return { body: data({ entries, next_cursor }) }
}

test('an owner reads who did what from where, and can load older entries', async () => {
  const older = entryOf({ event: 'partner-activated', person: null, ip: null, browser: null })
  const ofKey = entryOf({ event: 'records-read', person: null, subject: 'Website form', browser: null })
  const { seen } = serveSignedIn({
    'GET /security-log': ({ query }) =>
      query['cursor'] === 'older'
        ? logged([older, ofKey])
        : logged([entryOf({}), entryOf({ event: 'sign-in-failed', reason: 'INVALID_PASSWORD' })], 'older'),
  })
  const user = openApp('/security')
  const table = await screen.findByRole('table', { name: 'Security log' })
  const [, first, second] = within(table).getAllByRole('row')
  expect(first?.textContent).toMatch(/Signed inAda NguyenSafari on iOS203\.0\.113\.7/)
  expect(second?.textContent).toMatch(/Sign-in failedThe password is not right\./)
  await user.click(screen.getByRole('button', { name: 'Load more' }))
  expect(await within(table).findByText('The portal’s operators')).toBeDefined()
  expect(within(table).getAllByRole('row').at(-1)?.textContent).toMatch(/begun: Website formAn API key/)
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  expect(seen.filter(({ path }) => path === '/security-log')).toHaveLength(2)
})

test('a chosen type filters the log, is put in the address, and can be cleared when no entry matches', async () => {
  const robin = { id: ROBIN, email: 'robin@acme.example', first_name: 'Robin', last_name: 'Lee', role: 'member' }
  const { seen } = serveSignedIn({
    'GET /security-log': ({ query }) => logged(query['type'] === 'keys' ? [] : [entryOf({})]),
    'GET /team': () => ({
      body: data({ people: [{ ...robin, is_active: true, last_seen_at: null }], invitations: [] }),
    }),
  })
  const user = openApp('/security')
  await screen.findByRole('table', { name: 'Security log' })
  await user.selectOptions(screen.getByLabelText('Type'), 'API keys')
  expect(await screen.findByText('No entries found')).toBeDefined()
  expect(window.location.search).toBe('?type=keys')
  await user.click(screen.getByRole('button', { name: 'Clear filters' }))
  expect(await screen.findByRole('table', { name: 'Security log' })).toBeDefined()
  await user.selectOptions(screen.getByLabelText('Who'), 'Robin Lee')
  await waitFor(() => expect(seen.at(-1)?.query).toEqual({ person: ROBIN }))
})

test('Try Again fetches a log that failed to load', async () => {
  let isBroken = true
  serveSignedIn({
    'GET /security-log': () => (isBroken ? { status: 400, body: failure('No', 'VALIDATION') } : logged([])),
  })
  const user = openApp('/security')
  expect(await screen.findByText('Failed to load the security log')).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Nothing in the log yet')).toBeDefined()
})
