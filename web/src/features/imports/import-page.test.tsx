import type { Import, ImportRow } from '@portal/contract/imports.ts'
import { CONSENT_TEXT, CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const DONE: Import = {
  id: 'import-1',
  name: 'clients.csv',
  state: 'done',
  by: 'Robin Lee',
  is_own: true,
  columns: [],
  rows: 12,
  standings: { ready: 12, wrong: 0, duplicate: 0, known: 0 },
  offers: 0,
  chosen: 12,
  submitted: 10,
  left_out: 2,
  changed: 2,
  refused: 2,
  created_at: '2026-11-20T01:00:00.000Z',
  submitted_at: '2026-11-20T01:01:00.000Z',
  done_at: '2026-11-20T01:02:00.000Z',
  undo_until: null,
  undo: null,
  rows_kept_until: '2026-11-27T01:02:00.000Z',
}

test('rows that were refused are submitted again below the consent line', async () => {
  const again: Import = { ...DONE, state: 'submitting', submitted: 10, left_out: 0, changed: 0, refused: 0 }
  let shown = DONE
  const server = serveSignedIn({
    'GET /dashboard/leads/imports': () => ({ body: data({ imports: [shown] }) }),
    'GET /dashboard/leads/imports/import-1/rows': () => ({ body: paged({ rows: [] }) }),
    'POST /dashboard/leads/imports/import-1/submit': () => {
      shown = again
      return { status: 202, body: data(again) }
    },
  })
  const user = openApp('/leads/import')
  await user.click(await screen.findByRole('button', { name: /^Show the import/ }))
  const card = await screen.findByRole('region', { name: '2 rows can be submitted again' })
  expect(card.textContent).toContain(CONSENT_TEXT)
  await user.click(screen.getByRole('button', { name: 'Submit 2 Leads Again' }))
  await waitFor(() => expect(screen.getByText('10 of 12')).toBeDefined())
  const sent = server.seen.find(({ path }) => path.endsWith('/submit'))
  expect(sent?.body).toEqual({ consentVersion: CONSENT_VERSION, withDuplicates: false, rows: 2 })
  expect(screen.queryByRole('region', { name: '2 rows can be submitted again' })).toBeNull()
})

test('the focus stays on the page when what has it goes: a field that is right now, and a file that is discarded', async () => {
  const wrong: ImportRow = {
    number: 2,
    values: { businessName: 'Kauri Joinery', email: 'kauri' },
    mended: [],
    lead: null,
    problems: [{ field: 'email', message: 'Invalid email address', offer: null }],
    standing: 'wrong',
    duplicates: [],
    earlier: null,
    known_as: null,
    outcome: null,
    since: null,
    loid: null,
    undo: null,
    kept_because: null,
  }
  const checked: Import = { ...DONE, state: 'checked', rows: 1, standings: { ...DONE.standings, ready: 0, wrong: 1 } }
  let imports = [checked]
  serveSignedIn({
    'GET /dashboard/leads/imports': () => ({ body: data({ imports }) }),
    'GET /dashboard/leads/imports/import-1/rows': () => ({ body: paged({ rows: [wrong] }) }),
    'PUT /dashboard/leads/imports/import-1/rows': () => ({
      body: data({ import: checked, row: { ...wrong, problems: [], standing: 'ready' } }),
    }),
    'DELETE /dashboard/leads/imports/import-1': () => {
      imports = []
      return { body: data({ discarded: true }) }
    },
  })
  const user = openApp('/leads/import')
  const hasFocus = () => screen.getByRole('main').contains(document.activeElement)
  await user.type(await screen.findByLabelText('Email'), '@joinery.example{Enter}')
  await waitFor(() => expect(screen.queryByLabelText('Email')).toBeNull())
  expect(hasFocus()).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Discard File' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: /^Discard/ }))
  await screen.findByRole('region', { name: 'Choose a file' })
  await waitFor(() => expect(hasFocus()).toBe(true))
})
