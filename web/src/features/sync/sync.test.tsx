import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

type Handlers = Parameters<typeof serveSignedIn>[0]

const RESULT = { total_zoho_leads: 50, created: 3, updated: 2, converted: 1, skipped: 44, removed: 0, problems: [] }
const DEBUG = {
  steps: [{ name: 'Count leads', ok: true, ms: 12, detail: '50 leads' }],
  counts: { portal_leads: 47, zoho_leads: 50 },
  missing_fields: [],
  api_domain: 'http://crm.test',
  mode: 'sandbox',
}

async function openLeads(handlers: Handlers) {
  const server = serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }), ...handlers })
  const user = openApp('/leads')
  await screen.findByRole('table', { name: 'Leads' })
  const fetched = () => server.seen.filter(({ method, path }) => method === 'GET' && path === '/dashboard/leads').length
  return { user, button: screen.getByRole('button', { name: 'Sync from CRM' }), fetched }
}

test('a finished sync shows its counts, and the list is fetched again', async () => {
  const { user, button, fetched } = await openLeads({ 'POST /dashboard/sync-leads': () => ({ body: data(RESULT) }) })
  const before = fetched()
  await user.click(button)
  expect(await screen.findByText('Sync complete: 3 created, 2 updated, 1 converted')).toBeDefined()
  await waitFor(() => expect(fetched()).toBeGreaterThan(before))
})

test('a failed sync says why', async () => {
  const { user, button } = await openLeads({
    'POST /dashboard/sync-leads': () => ({ status: 502, body: failure('The CRM does not answer', 'CRM_UNAVAILABLE') }),
  })
  await user.click(button)
  expect(await screen.findByText('Sync failed: The CRM does not answer')).toBeDefined()
})

test('a long sync shows its progress and then its result', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200 })
  const run = { run_id: 'r1', kind: 'leads', phase: 'fetching leads', error: null, started_at: '', finished_at: null }
  const answers = [
    { ...run, status: 'running', done: 400, total: 1_600, result: null },
    {
      ...run,
      status: 'succeeded',
      done: 1_600,
      total: 1_600,
      result: { ...RESULT, problems: [{ zoho_id: '1', reason: 'x' }] },
    },
  ]
  const { user, button } = await openLeads({
    'POST /dashboard/sync-leads': () => ({ status: 202, body: data({ run_id: 'r1', status: 'running' }) }),
    'GET /dashboard/sync-runs/r1': () => ({ body: data(answers.shift()) }),
  })
  await user.click(button)
  const bar = await screen.findByRole('progressbar', { name: 'Syncing leads with the CRM' })
  expect(bar.getAttribute('aria-valuenow')).toBe('25')
  expect(button.getAttribute('aria-busy')).toBe('true')
  expect(
    await screen.findByText('Sync complete: 3 created, 2 updated, 1 converted, 1 record could not be read'),
  ).toBeDefined()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('the debug test shows its steps', async () => {
  const { user } = await openLeads({
    'POST /dashboard/debug-sync-leads': () => ({ body: { success: true, debug: DEBUG } }),
  })
  await user.click(screen.getByRole('button', { name: 'Debug' }))
  expect(await screen.findByText('Debug test passed')).toBeDefined()
  expect(screen.getByText('Count leads')).toBeDefined()
})

test.each([
  ['Debug test failed', { body: { success: false, error: 'Token refused', debug: DEBUG } }],
  ['Debug test error', { status: 502, body: failure('The CRM does not answer', 'CRM_UNAVAILABLE') }],
])('the debug test can end with: %s', async (text, answer) => {
  const { user } = await openLeads({ 'POST /dashboard/debug-sync-leads': () => answer })
  await user.click(screen.getByRole('button', { name: 'Debug' }))
  expect(await screen.findByText(text)).toBeDefined()
})
