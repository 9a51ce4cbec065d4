import type { Document } from '@portal/contract/documents.ts'
import { screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

afterEach(() => vi.useRealTimers())

function documentOf(given: Partial<Document>): Document {
  return {
    id: 'd1',
    name: 'Partner letter.pdf',
    size: 2_048,
    state: 'synced',
    problem: null,
    is_lenders: true,
    added_by: 'Maya Thornton',
    added_at: '2026-11-20T01:00:00.000Z',
    request_id: null,
    can_open: true,
    is_picture: false,
    take_back_until: null,
    ...given,
  }
}

function openLead(documents: () => Document[]) {
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    'GET /crm/documents/LO-7K3M9QAZ': () => ({ body: data({ documents: documents(), file_mb_max: 25 }) }),
  })
  openApp('/leads/LO-7K3M9QAZ')
  return server
}

test('a file of the lender’s that nothing has told of is on the page a minute after it was opened', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  let listed: Document[] = []
  const { seen } = openLead(() => listed)
  const asked = () => seen.filter(({ path }) => path.startsWith('/crm/documents/')).length
  expect(await screen.findByText(/No documents yet/)).toBeDefined()
  expect(asked()).toBe(1)
  listed = [documentOf({})]
  vi.advanceTimersByTime(60_000)
  expect(await screen.findByRole('button', { name: 'Partner letter.pdf' })).toBeDefined()
  expect(asked()).toBe(2)
})

test('a file that the lender has deleted says so, and cannot be opened', async () => {
  openLead(() => [documentOf({ state: 'deleted', name: 'bank.pdf', is_lenders: false, can_open: false })])
  const list = within(await screen.findByRole('list', { name: 'Documents' }))
  expect(list.getByRole('listitem').textContent).toMatch(
    /^bank\.pdfDeletedThe lender has deleted this file\. It can be sent again\./,
  )
  expect(list.queryByRole('button')).toBeNull()
})

test('an unfinished upload says how it goes on, to the person who began it', async () => {
  const unfinished = { state: 'uploading', is_lenders: false, can_open: false } as const
  openLead(() => [
    documentOf({ ...unfinished, id: 'own', name: 'own.pdf', take_back_until: '9999-12-31T00:00:00.000Z' }),
    documentOf({ ...unfinished, id: 'other', name: 'other.pdf' }),
  ])
  const rows = within(await screen.findByRole('list', { name: 'Documents' })).getAllByRole('listitem')
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^own\.pdfNot finishedChoose the same file again, and it goes on\./),
    expect.stringMatching(/^other\.pdfNot finished2 KB/),
  ])
  expect(screen.getByRole('button', { name: 'Remove own.pdf' })).toBeDefined()
})
